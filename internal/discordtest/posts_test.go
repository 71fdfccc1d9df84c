package discordtest_test

import (
	"fmt"
	"net/http"
	"testing"

	"heddle/graph"
	"heddle/internal/discordtest"
	"heddle/internal/errtest"
)

// TestAPostHasATitleAndTags has the bot open a post in a forum, and a moderator change it.
func TestAPostHasATitleAndTags(t *testing.T) {
	p := newPlace(t, free())
	forum := p.World.AddChannel(p.guild, discordtest.ChannelDraft{Name: "help", Kind: discordtest.Forum, Tags: []discordtest.Tag{{Name: "loom"}, {Name: "done", Emoji: "✅", Moderated: true}}})
	w := p.identified(t, intents)
	tags := p.World.Tags(forum)
	type thread struct {
		ID      graph.ChannelID
		Name    string
		Applied []discordtest.TagID     `json:"applied_tags"`
		Of      []struct{ Name string } `json:"available_tags"`
		Message struct{ Content string }
	}
	var of, made, told thread
	p.do(t, http.MethodGet, "/channels/"+forum.String(), "").decode(t, &of)
	body := fmt.Sprintf(`{"name":"any idea?","applied_tags":["%s"],"message":{"content":"see title"}}`, tags[0].ID)
	p.do(t, http.MethodPost, "/channels/"+forum.String()+"/threads", body).decode(t, &made)
	if len(of.Of) != 2 || of.Of[1].Name != "done" || made.Name != "any idea?" || made.Applied[0] != tags[0].ID || made.Message.Content != "see title" {
		t.Errorf("the forum is %+v and the post %+v, want two tags, and the title, the first tag and the message", of, made)
	}
	w.expect("THREAD_CREATE")
	if got := w.text(); got != "see title" {
		t.Errorf("the first message is %q, want %q", got, "see title")
	}
	p.World.SetPost(made.ID, "solved", tags[1].ID)
	if w.decode(w.expect("THREAD_UPDATE"), &told); told.Name != "solved" || told.Applied[0] != tags[1].ID {
		t.Errorf("the update is %+v, want the new title and tag", told)
	}
	if wrong := p.do(t, http.MethodPost, "/channels/"+forum.String()+"/threads", `{"name":"x","applied_tags":["1"],"message":{"content":"y"}}`); wrong.status != http.StatusBadRequest {
		t.Errorf("an unknown tag gave %d, want %d", wrong.status, http.StatusBadRequest)
	}
	p.World.RenameRole(p.guild, p.World.AddRole(p.guild, "staff", 0, true), "crew")
	w.expect("GUILD_ROLE_CREATE")
	var role struct{ Role struct{ Name string } }
	if w.decode(w.expect("GUILD_ROLE_UPDATE"), &role); role.Role.Name != "crew" {
		t.Errorf("the role is %+v, want crew", role)
	}
}

// TestAnnouncementsAreCopied publishes a message to a channel that follows, and edits and deletes
// it.
func TestAnnouncementsAreCopied(t *testing.T) {
	p := newPlace(t, free())
	news := p.World.AddChannel(p.guild, discordtest.ChannelDraft{Name: "news", Kind: discordtest.Announcement})
	webhook := p.World.Follow(news, p.channel, p.ann)
	id := errtest.Must(p.Chat.Post(news, p.bot.User, discordtest.Draft{Content: "new looms"}))(t)
	publish := "/channels/" + news.String() + "/messages/" + id.String() + "/crosspost"
	first, second := p.do(t, http.MethodPost, publish, ""), p.do(t, http.MethodPost, publish, "")
	if code, _ := second.code(t); first.status != http.StatusOK || code != 40033 {
		t.Errorf("publishing twice answered %s and %s, want the message and 40033", first.body, second.body)
	}
	newest := func() discordtest.Message {
		all := p.Chat.Messages(p.channel)
		return all[len(all)-1]
	}
	got := newest()
	if got.Content != "new looms" || got.Author != webhook || got.Flags != discordtest.FlagIsCrosspost || got.Reference.Message != id || got.Reference.Channel != news {
		t.Errorf("the copy is %+v, want what was published, from the webhook", got)
	}
	errtest.None(t, p.Chat.Edit(news, id, "old looms"))
	if got := newest(); got.Content != "old looms" || got.Edited.IsZero() {
		t.Errorf("the copy of an edited message is %+v, want the edit", got)
	}
	p.Chat.Delete(news, id)
	if got := newest(); got.Flags&discordtest.FlagSourceDeleted == 0 || got.Content == "old looms" {
		t.Errorf("the copy of a deleted message is %+v, want that it is gone", got)
	}
}

// TestADeferredAnswerArrivesWithoutAnEditTime has a bot defer an answer and give it later, by the
// API and without.
func TestADeferredAnswerArrivesWithoutAnEditTime(t *testing.T) {
	p := newPlace(t, free())
	w := p.identified(t, intents)
	m := p.created(t, pager)
	w.expect("MESSAGE_CREATE")
	in := p.pressed(t, w, m.ID)
	if a := p.callback(t, in, `{"type":5}`); a.status != http.StatusNoContent {
		t.Fatalf("deferring answered %d %s, want %d", a.status, a.body, http.StatusNoContent)
	}
	type deferred struct {
		ID          graph.MessageID
		Content     string
		Flags       int
		Edited      *string                                  `json:"edited_timestamp"`
		Application graph.UserID                             `json:"application_id"`
		By          struct{ User struct{ ID graph.UserID } } `json:"interaction_metadata"`
	}
	var begun, done deferred
	w.decode(w.expect("MESSAGE_CREATE"), &begun)
	p.do(t, http.MethodPatch, p.hook(in)+"/messages/@original", `{"content":"42"}`)
	w.decode(w.expect("MESSAGE_UPDATE"), &done)
	if begun.Flags != discordtest.FlagLoading || begun.Content != "" || done.Flags != 0 || done.Content != "42" || done.Edited != nil || done.By.User.ID != p.ann || done.Application != p.bot.User {
		t.Errorf("it begins as %+v and arrives as %+v, want a flag and then the content without an edit time", begun, done)
	}
	id := errtest.Must(p.Chat.Post(p.channel, p.bot.User, discordtest.Draft{Type: discordtest.TypeChatCommand, Flags: discordtest.FlagLoading}))(t)
	w.expect("MESSAGE_CREATE")
	errtest.None(t, p.Chat.Arrive(p.channel, id, "43"))
	if w.decode(w.expect("MESSAGE_UPDATE"), &done); done.ID != id || done.Content != "43" || done.Flags != 0 || done.Edited != nil {
		t.Errorf("it arrives as %+v, want the content without flag and edit time", done)
	}
}
