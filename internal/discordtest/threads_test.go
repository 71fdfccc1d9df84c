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

func TestArchivedThreadsAreListedTheLastFirst(t *testing.T) {
	clock := noon()
	p := newPlace(t, discordtest.Options{Limits: discordtest.NoLimits(), Clock: clock.Now})
	var made []graph.ChannelID
	for i := range 5 {
		id, err := p.World.AddThread(p.channel, p.ann, discordtest.ThreadDraft{Name: strconv.Itoa(i), Private: i == 4})
		if err != nil {
			t.Fatal(err)
		}
		made = append(made, id)
	}
	for _, i := range []int{4, 2, 1, 3} {
		clock.Advance(time.Minute)
		p.World.SetArchived(made[i], true, false)
	}
	want := []graph.ChannelID{made[3], made[1], made[2]}
	path := "/channels/" + p.channel.String() + "/threads/archived/public?limit=2"
	var first, rest threadList
	p.do(t, http.MethodGet, path, "").decode(t, &first)
	if !slices.Equal(first.ids(), want[:2]) || !first.More {
		t.Fatalf("the first page holds %+v, want %v", first, want[:2])
	}
	p.do(t, http.MethodGet, path+"&before="+url.QueryEscape(first.Threads[1].Metadata.At), "").decode(t, &rest)
	if !slices.Equal(rest.ids(), want[2:]) || rest.More {
		t.Errorf("the rest holds %+v, want %v", rest, want[2:])
	}
	if a := p.do(t, http.MethodGet, "/channels/"+p.channel.String()+"/threads/archived/private", ""); a.status != http.StatusForbidden {
		t.Errorf("private threads got %d without Manage Threads, want %d", a.status, http.StatusForbidden)
	}
}

func TestABotLearnsOfTheArchivedPrivateThreadsThatItIsAMemberOf(t *testing.T) {
	p := newPlace(t, free())
	var joined []graph.ChannelID
	for i := range 6 {
		draft := discordtest.ThreadDraft{Name: "private", Private: true}
		if i%2 == 0 {
			draft.Members = []graph.UserID{p.bot.User}
		}
		id, err := p.World.AddThread(p.channel, p.ann, draft)
		if err != nil {
			t.Fatal(err)
		}
		if i%2 == 0 {
			joined = append(joined, id)
		}
		p.World.SetArchived(id, true, false)
	}
	slices.Reverse(joined)
	path := "/channels/" + p.channel.String() + "/users/@me/threads/archived/private?limit=2"
	var first, rest threadList
	p.do(t, http.MethodGet, path, "").decode(t, &first)
	if !slices.Equal(first.ids(), joined[:2]) || !first.More {
		t.Fatalf("the first page holds %+v, want %v", first, joined[:2])
	}
	p.do(t, http.MethodGet, path+"&before="+joined[1].String(), "").decode(t, &rest)
	if !slices.Equal(rest.ids(), joined[2:]) || rest.More {
		t.Errorf("the rest holds %+v, want %v", rest, joined[2:])
	}
}

func TestABotThatMaySeeAChannelLearnsOfItsThreads(t *testing.T) {
	p := newPlace(t, free())
	hidden := p.World.AddChannel(p.guild, discordtest.ChannelDraft{Name: "hidden", Private: true})
	thread, err := p.World.AddThread(hidden, p.ann, discordtest.ThreadDraft{Name: "active"})
	if err != nil {
		t.Fatal(err)
	}
	w, _ := p.identified(t, intents)
	p.World.SetOverwrites(hidden)
	p.World.SetOverwrites(hidden, discordtest.Overwrite{Member: p.ann, Deny: discordtest.SendMessages})
	w.expect("CHANNEL_UPDATE")
	var sync struct {
		threadList
		Channels []graph.ChannelID `json:"channel_ids"`
	}
	w.decode(w.expect("THREAD_LIST_SYNC"), &sync)
	if !slices.Equal(sync.Channels, []graph.ChannelID{hidden}) || !slices.Equal(sync.ids(), []graph.ChannelID{thread}) {
		t.Errorf("got %+v, want Channels %v and ids() %v", sync, []graph.ChannelID{hidden}, []graph.ChannelID{thread})
	}
	w.expect("CHANNEL_UPDATE")
	p.say(t, "next")
	if got := w.text(); got != "next" {
		t.Errorf("got %q, want %q", got, "next")
	}
}

func TestAnswersAreCountedByStatus(t *testing.T) {
	p := newPlace(t, free())
	p.Faults.Inject(discordtest.TooMany(nil, discordtest.ScopeShared, time.Second))
	p.create(t, `{"content":"x"}`)
	p.create(t, `{"content":"y"}`)
	if n := p.Record.Answered(http.StatusTooManyRequests); n != 1 {
		t.Errorf("%d answers with 429, want 1", n)
	}
	p.Record.Forget()
	if n := p.Record.Answered(http.StatusOK); n != 0 {
		t.Errorf("%d answers after Forget, want 0", n)
	}
}
