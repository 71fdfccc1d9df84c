package discordtest_test

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"time"

	"heddle/graph"
	"heddle/internal/discordtest"
)

func TestAThreadFromAMessageHasItsIdAndAStarter(t *testing.T) {
	p := newPlace(t, free())
	starter := p.say(t, "let us talk")
	a := p.do(t, http.MethodPost, p.messages()+"/"+starter.String()+"/threads", `{"name":"talk"}`)
	thread := graph.ChannelID(starter)
	info, err := p.World.Channel(thread)
	if err != nil || info.Parent != p.channel || info.Kind != discordtest.PublicThread {
		t.Fatalf("%s gave %+v, %v, want Parent %v, Kind %v and no error", a.body, info, err, p.channel, discordtest.PublicThread)
	}
	inside := p.Chat.Messages(thread)
	if len(inside) != 1 || inside[0].Type != discordtest.TypeThreadStarter || *inside[0].Reference != (discordtest.Reference{
		Guild: p.guild, Channel: p.channel, Message: starter,
	}) {
		t.Fatalf("in the thread there is %+v, want one message that points at its starter", inside)
	}
	var wire struct {
		Flags  int                 `json:"flags"`
		Thread struct{ ID string } `json:"thread"`
	}
	p.do(t, http.MethodGet, p.messages()+"/"+starter.String(), "").decode(t, &wire)
	if wire.Flags != discordtest.FlagHasThread || wire.Thread.ID != thread.String() {
		t.Errorf("the starter shows %+v, want Flags %v and Thread.ID %v", wire, discordtest.FlagHasThread, thread.String())
	}
	again := p.do(t, http.MethodPost, p.messages()+"/"+starter.String()+"/threads", `{"name":"talk"}`)
	if code, _ := again.code(t); code != 160004 {
		t.Errorf("a second thread gave %s, want code 160004", again.body)
	}
}

func TestAForumPostsFirstMessageHasTheThreadsId(t *testing.T) {
	p := newPlace(t, free())
	forum := p.World.AddChannel(p.guild, discordtest.ChannelDraft{Name: "forum", Kind: discordtest.Forum})
	thread, err := p.World.AddThread(forum, p.ann, discordtest.ThreadDraft{Name: "a question"})
	if err != nil {
		t.Fatal(err)
	}
	first, err := p.Chat.Post(thread, p.ann, discordtest.Draft{Content: "how?"})
	if err != nil || graph.ChannelID(first) != thread {
		t.Errorf("the first message of thread %[2]s is %[1]s, %[3]v, want the thread's id", first, thread, err)
	}
	a := p.do(t, http.MethodPost, "/channels/"+forum.String()+"/threads", `{"name":"mine","message":{"content":"so"}}`)
	var wire struct {
		ID      string                       `json:"id"`
		Message struct{ ID, Content string } `json:"message"`
	}
	a.decode(t, &wire)
	if wire.ID == "" || wire.ID != wire.Message.ID || wire.Message.Content != "so" {
		t.Errorf("got %s, want a thread with the id of its first message, which says \"so\"", a.body)
	}
}

func TestArchivedThreadsReopenUnlessLocked(t *testing.T) {
	p := newPlace(t, free())
	thread, err := p.World.AddThread(p.channel, p.ann, discordtest.ThreadDraft{Name: "old"})
	if err != nil {
		t.Fatal(err)
	}
	send := func() answer {
		return p.do(t, http.MethodPost, "/channels/"+thread.String()+"/messages", `{"content":"x"}`)
	}
	p.World.SetArchived(thread, true, true)
	if code, _ := send().code(t); code != 50083 {
		t.Errorf("a locked thread gave %d, want 50083", code)
	}
	p.World.SetArchived(thread, true, false)
	if a := send(); a.status != http.StatusOK {
		t.Errorf("posting into an archived thread gave %s, want status 200", a.body)
	}
	if info, _ := p.World.Channel(thread); info.Archived {
		t.Error("a message does not reopen an archived thread")
	}
}

func TestPrivatePlacesAreSeenByTheirReaders(t *testing.T) {
	p := newPlace(t, free())
	status := func(c graph.ChannelID) int { return p.do(t, http.MethodGet, "/channels/"+c.String(), "").status }
	hidden := p.World.AddChannel(p.guild, discordtest.ChannelDraft{Name: "hidden", Private: true})
	shared := p.World.AddChannel(p.guild, discordtest.ChannelDraft{Name: "shared", Private: true, Readers: []graph.UserID{p.bot.User}})
	secret, _ := p.World.AddThread(p.channel, p.ann, discordtest.ThreadDraft{Name: "secret", Private: true})
	invited, _ := p.World.AddThread(p.channel, p.ann, discordtest.ThreadDraft{Name: "in", Private: true, Members: []graph.UserID{p.bot.User}})
	if status(hidden) != 403 || status(shared) != 200 || status(secret) != 403 || status(invited) != 200 {
		t.Errorf("got %d %d %d %d, want 403, 200, 403 and 200", status(hidden), status(shared), status(secret), status(invited))
	}
	p.People.GrantRole(p.guild, p.bot.User, p.World.AddRole(p.guild, "admin", discordtest.Administrator, false))
	if status(hidden) != 200 || status(secret) != 200 {
		t.Error("an administrator cannot see a private channel")
	}
	p.People.Leave(p.guild, p.bot.User)
	if status(p.channel) != 403 {
		t.Error("a person who left can still see a channel")
	}
}

func TestHistoryWithoutPermissionIsEmptyRatherThanAnError(t *testing.T) {
	p := newPlace(t, free())
	p.say(t, "x")
	p.World.SetOverwrites(p.channel, discordtest.Overwrite{Member: p.bot.User, Deny: discordtest.ReadMessageHistory})
	if a := p.do(t, http.MethodGet, p.messages(), ""); a.status != http.StatusOK || string(a.body) != "[]" {
		t.Errorf("got %d %s, want 200 and an empty list", a.status, a.body)
	}
}

func TestDirectMessagesOpenOnceAndCanBeClosed(t *testing.T) {
	p := newPlace(t, free())
	open := func(who graph.UserID) answer {
		return p.do(t, http.MethodPost, "/users/@me/channels", `{"recipient_id":"`+who.String()+`"}`)
	}
	var first struct{ ID graph.ChannelID }
	open(p.ann).decode(t, &first)
	if first.ID != p.World.OpenDM(p.ann, p.bot.User) {
		t.Error("a second direct channel was opened")
	}
	bob := p.People.AddUser("bob", p.guild)
	p.People.CloseDMs(bob)
	if code, _ := open(bob).code(t); code != 50007 {
		t.Errorf("closed direct messages gave %d, want 50007", code)
	}
}

func TestBackdatedMessagesFallWhereTheirTimeSays(t *testing.T) {
	p := newPlace(t, free())
	at := time.Date(2024, 5, 1, 0, 0, 0, 0, time.UTC)
	now := p.say(t, "now")
	then := p.post(t, discordtest.Draft{Content: "then", At: at})
	old, err := p.Chat.Backfill(p.channel, []discordtest.Draft{
		{Author: p.ann, Content: "second", At: at.Add(2 * time.Hour)}, {Author: p.ann, Content: "first", At: at.Add(time.Hour)},
	})
	if err != nil {
		t.Fatal(err)
	}
	var got []graph.MessageID
	for _, m := range p.Chat.Messages(p.channel) {
		got = append(got, m.ID)
	}
	want := []graph.MessageID{then, old[1], old[0], now}
	for i := range want {
		if got[i] != want[i] {
			t.Fatalf("got %v, want %v", got, want)
		}
	}
	if !then.Time().Equal(at) {
		t.Errorf("the message was made at %s, want %s", then.Time(), at)
	}
}

func TestWatchersSeeEverythingInOrder(t *testing.T) {
	p := newPlace(t, free())
	w := p.Chat.Watch()
	defer w.Close()
	id := p.say(t, "a")
	p.Chat.Type(p.channel, p.ann)
	if err := p.Chat.Edit(p.channel, id, "b"); err != nil {
		t.Fatal(err)
	}
	if err := p.Chat.React(p.channel, id, p.ann, "👍"); err != nil {
		t.Fatal(err)
	}
	p.Chat.Delete(p.channel, id)
	for _, want := range []discordtest.HappeningKind{discordtest.Created, discordtest.Typing, discordtest.Edited, discordtest.Reacted, discordtest.Deleted} {
		if h, err := w.Next(within(t)); err != nil || h.Kind != want {
			t.Fatalf("got %+v, %v, want %d", h, err, want)
		}
	}
	w.Close()
	if _, err := w.Next(within(t)); !errors.Is(err, discordtest.ErrClosed) {
		t.Errorf("after Close: %v, want %v", err, discordtest.ErrClosed)
	}
}

func TestWaitsEndWithTheirContextAndWithTheServer(t *testing.T) {
	p := newPlace(t, free())
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	never := func(discordtest.Message) bool { return false }
	if _, err := p.Chat.AwaitMessage(ctx, p.channel, never); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
	ended := make(chan error, 1)
	go func() {
		_, err := p.Chat.AwaitMessage(context.Background(), p.channel, never)
		ended <- err
	}()
	p.Close()
	if err := receive(t, ended); !errors.Is(err, discordtest.ErrClosed) {
		t.Errorf("got %v, want %v", err, discordtest.ErrClosed)
	}
}
