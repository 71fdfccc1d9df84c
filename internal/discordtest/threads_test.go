package discordtest_test

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"testing"
	"time"

	"heddle/graph"
	"heddle/internal/discordtest"
)

type threadList struct {
	Threads []struct {
		ID       graph.ChannelID `json:"id"`
		Metadata struct {
			At string `json:"archive_timestamp"`
		} `json:"thread_metadata"`
	} `json:"threads"`
	More bool `json:"has_more"`
}

func (l threadList) ids() []graph.ChannelID {
	var all []graph.ChannelID
	for _, t := range l.Threads {
		all = append(all, t.ID)
	}
	return all
}

// TestArchivedThreadsAreListedTheLastFirst archives threads in another order than they were
// made in, and reads two lists of them, page by page: that of the public ones, and that of
// the private ones of which the bot is a member.
func TestArchivedThreadsAreListedTheLastFirst(t *testing.T) {
	clock := noon()
	p := newPlace(t, discordtest.Options{Limits: discordtest.NoLimits(), Clock: clock.Now})
	var made []graph.ChannelID
	for i := range 9 {
		draft := discordtest.ThreadDraft{Name: strconv.Itoa(i), Private: i > 3}
		if i > 5 {
			draft.Members = []graph.UserID{p.bot.User}
		}
		id := must(p.World.AddThread(p.channel, p.ann, draft))(t)
		made = append(made, id)
	}
	for _, i := range []int{4, 2, 1, 3, 5, 6, 7, 8} { // 0 stays open
		clock.Advance(time.Minute)
		p.World.SetArchived(made[i], true, false)
	}
	for path, test := range map[string]struct {
		want   []graph.ChannelID
		before func(threadList) string // of the second page
	}{
		"/threads/archived/public":            {[]graph.ChannelID{made[3], made[1], made[2]}, func(l threadList) string { return l.Threads[1].Metadata.At }},
		"/users/@me/threads/archived/private": {[]graph.ChannelID{made[8], made[7], made[6]}, func(l threadList) string { return l.Threads[1].ID.String() }},
	} {
		path = "/channels/" + p.channel.String() + path + "?limit=2"
		var first, rest threadList
		p.do(t, http.MethodGet, path, "").decode(t, &first)
		if !slices.Equal(first.ids(), test.want[:2]) || !first.More {
			t.Fatalf("the first page of %s holds %+v, want %v", path, first, test.want[:2])
		}
		p.do(t, http.MethodGet, path+"&before="+url.QueryEscape(test.before(first)), "").decode(t, &rest)
		if !slices.Equal(rest.ids(), test.want[2:]) || rest.More {
			t.Errorf("the rest of %s holds %+v, want %v", path, rest, test.want[2:])
		}
	}
}
