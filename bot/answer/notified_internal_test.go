package answer

import (
	"testing"
	"time"

	"heddle/bot/limits"
	"heddle/graph"
	"heddle/internal/discord"
)

func TestADenialIsToldOncePerChannel(t *testing.T) {
	d := newNotified()
	const open, closed, hidden = discord.Permissions(0), discord.PermissionReadHistory, discord.PermissionViewChannel
	for i, step := range []struct {
		channel graph.ChannelID
		missing discord.Permissions
		want    bool
	}{
		{1, open, false},
		{1, closed, true},
		{1, closed, false},
		{2, closed, true},
		{1, open, false},
		{2, closed, false},
		{1, closed, true},
		{1, hidden, true},
		{1, hidden, false},
		{1, closed, true},
	} {
		if got := d.ofDenial(step.channel, step.missing); got != step.want {
			t.Errorf("step %d: people are told: %t, want %t", i+1, got, step.want)
		}
	}
	for channel := range graph.ChannelID(mostNotified) {
		d.ofDenial(10+channel, closed)
	}
	if d.denied.Len() > mostNotified || !d.ofDenial(2, closed) {
		t.Errorf("%d channels are remembered, want at most %d, and the first one forgotten", d.denied.Len(), mostNotified)
	}
}

func TestNobodyIsToldTwiceOfALimit(t *testing.T) {
	began := time.Unix(1_700_000_000, 0)
	soon, late := began.Add(3*time.Minute), began.Add(time.Hour)
	told := newNotified()
	for i, step := range []struct {
		after   time.Duration
		person  graph.UserID
		channel graph.ChannelID
		of      limits.Whose
		until   time.Time
		want    bool
	}{
		{0, 1, 1, limits.OfPerson, late, true},
		{0, 1, 1, limits.OfPerson, late, false},
		{0, 2, 1, limits.OfPerson, late, true},
		{0, 1, 2, limits.OfPerson, late, true},
		{0, 1, 1, limits.OfAll, soon, true},
		{silence - 1, 1, 1, limits.OfPerson, late, false},
		{silence, 1, 1, limits.OfPerson, late, true},
		{silence, 1, 1, limits.OfPerson, late, false},
		{3 * time.Minute, 1, 1, limits.OfAll, late, true}, // the window before has ended
		{0, 1, 1, limits.OfAnswer, time.Time{}, true},
		{0, 1, 1, limits.OfAnswer, time.Time{}, true},
	} {
		e := &limits.ExceededError{Whose: step.of, Until: step.until}
		if got := told.ofLimit(step.person, step.channel, e, began.Add(step.after)); got != step.want {
			t.Errorf("in step %d somebody is told: %t, want %t", i+1, got, step.want)
		}
	}
}
