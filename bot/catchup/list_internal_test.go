package catchup

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"heddle/bot/phrases"
	"heddle/graph"
	"heddle/graph/recall"
)

func TestButtonsFitAndReadBack(t *testing.T) {
	for _, q := range []Query{
		{Until: 1, Channels: []graph.ChannelID{1}},
		{Since: time.Unix(1_800_000_000, 0), Until: math.MaxUint64, Channels: []graph.ChannelID{math.MaxUint64, math.MaxUint64 - 1, 7}},
	} {
		name := q.Name(ButtonList, math.MaxInt64)
		if len(name) > 100 {
			t.Errorf("%q has %d characters, want at most 100", name, len(name))
		}
		var read Query
		about, ok := read.Parse(strings.TrimPrefix(name, ButtonList))
		if !ok || about != math.MaxInt64 || !read.Since.Equal(q.Since) || read.Until != q.Until || !slices.Equal(read.Channels, q.Channels) {
			t.Errorf("%q reads %t, %+v, %d, want true, %+v and %d", name, ok, read, about, q, math.MaxInt64)
		}
	}
}

func FuzzButtons(f *testing.F) {
	for _, name := range []string{"", "0.1.1:0", "0.1:0", "zz.1.1.1.1.1:0", "-1.1.1:0", "0.0.1:0", "0.1.1:", ":::", "zzzzzzzzzzzzz.1.1:1"} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, rest string) {
		var q, same Query
		about, ok := q.Parse(rest)
		if !ok {
			return
		}
		of, ok := same.Parse(strings.TrimPrefix(q.Name(ButtonTalk, about), ButtonTalk))
		if !ok || same.Name(ButtonTalk, of) != q.Name(ButtonTalk, about) {
			t.Errorf("%q reads %+v, %d, and written again %+v, %d, want the same", rest, q, about, same, of)
		}
	})
}

// TestAFewGoodMatchesCountMoreThanMany finds one good match in a talk, and many poor ones in
// another.
func TestAFewGoodMatchesCountMoreThanMany(t *testing.T) {
	good, poor := &talk{}, &talk{}
	good.Messages = []graph.Message{{ID: 1}}
	found := []recall.Scored{{Anchor: 1, Score: 5}}
	for id := range graph.MessageID(2 * counted) {
		poor.Messages = append(poor.Messages, graph.Message{ID: 2 + id})
		found = append(found, recall.Scored{Anchor: 2 + id, Score: 1})
	}
	if all := best([]*talk{poor, good}, found); len(all) != 2 || all[0] != good {
		t.Errorf("found are %+v, want the talk with the good match first, of both", all)
	}
}

func TestTimesThatPeopleTypeAreRead(t *testing.T) {
	now := time.Date(2026, 3, 4, 18, 0, 0, 0, time.UTC)
	for text, want := range map[string]time.Time{
		"3h":               now.Add(-3 * time.Hour),
		"1d12h":            now.Add(-36 * time.Hour),
		" 2 D ":            now.Add(-48 * time.Hour),
		"90min":            now.Add(-90 * time.Minute),
		"1w":               now.Add(-7 * 24 * time.Hour),
		"2026-03-01":       time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC),
		"2026-03-01 14:30": time.Date(2026, 3, 1, 14, 30, 0, 0, time.UTC),
		"09:15":            time.Date(2026, 3, 4, 9, 15, 0, 0, time.UTC),
		"19:15":            time.Date(2026, 3, 3, 19, 15, 0, 0, time.UTC),
	} {
		if got, err := ParseSince(text, now); err != nil || !got.Equal(want) {
			t.Errorf("%q is %s, %v; want %s", text, got, err, want)
		}
	}
	for text, want := range map[string]phrases.ID{
		"": "catchup_no_time", "   ": "catchup_no_time", "soon": "catchup_no_time", "2026-02-30": "catchup_no_time",
		"25:61": "catchup_no_time", "0h": "catchup_no_time", "-3h": "catchup_no_time", "3": "catchup_no_time",
		"2026-03-05": "catchup_to_come",
	} {
		got, err := ParseSince(text, now)
		if refused, ok := errors.AsType[phrases.RefusedError](err); !ok || refused.ID != want {
			t.Errorf("%q is %s, %v; want %s", text, got, err, want)
		}
	}
}
