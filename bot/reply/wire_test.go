package reply_test

import (
	"encoding/json"
	"strings"
	"testing"

	"heddle/bot/reply"
	"heddle/graph"
	"heddle/internal/discord"
	"heddle/internal/discordtest"
	"heddle/internal/errtest"
)

// body is what Replies send, as far as a forgotten field of it does harm.
type body struct {
	Flags    *int             `json:"flags"`
	Content  *string          `json:"content"`
	Allowed  *json.RawMessage `json:"allowed_mentions"`
	Rows     *json.RawMessage `json:"components"`
	Nonce    string           `json:"nonce"`
	Enforced bool             `json:"enforce_nonce"`
	Files    []attachment     `json:"attachments"`
	Replies  *struct {
		Message graph.MessageID `json:"message_id"`
		Fails   *bool           `json:"fail_if_not_exists"`
	} `json:"message_reference"`
}

type attachment struct {
	ID   string `json:"id"`
	Name string `json:"filename"`
}

// written are the bodies of the writes so far, multipart forms included.
func (s *stage) written(t *testing.T, of func(discordtest.Request) bool) []body {
	t.Helper()
	var all []body
	for _, r := range s.Discord.Record.Requests(of) {
		var b body
		errtest.None(t, r.Decode(&b))
		all = append(all, b)
	}
	return all
}

// TestEveryWriteSaysWhoMayBePingedAndShowsNoPreviews sends each kind of message that
// Replies can send.
func TestEveryWriteSaysWhoMayBePingedAndShowsNoPreviews(t *testing.T) {
	s := newStage(t)
	a := s.Replies.Begin(t.Context(), s.to)
	a.Append("See https://example.com for the rest of it all.")
	s.await(t, contains("rest of it all."))
	sent := errtest.Must(a.Finish(t.Context(), reply.Final{
		Notice: "-# done", Buttons: pages("1"), Files: []discord.File{{Name: "a.txt", Data: []byte("data")}},
	}))(t)
	over := s.over(sent)
	over.Cause = reply.Interaction(1)
	errtest.Must(s.Replies.Put(t.Context(), over, reply.Final{Text: "Another https://example.com text."}))(t)
	errtest.Must(s.Replies.Reply(t.Context(), s.to, strings.Repeat("https://example.com and on.\n", 100)))(t)
	for _, b := range s.written(t, writes) {
		if b.Allowed == nil || string(*b.Allowed) != `{"parse":[],"replied_user":false}` {
			t.Errorf("a write is %+v, want allowed_mentions that ping nobody", b)
		}
		if b.Flags == nil || *b.Flags != discordtest.FlagSuppressEmbeds {
			t.Errorf("a write that lets previews be shown: %+v, want the flag %d", b, discordtest.FlagSuppressEmbeds)
		}
	}
	for _, m := range s.Said() {
		if m.Flags&discordtest.FlagSuppressEmbeds == 0 {
			t.Errorf("%q may show previews, want them suppressed", m.Content)
		}
	}
	for i, b := range s.written(t, creates) {
		if b.Nonce == "" || len(b.Nonce) > 25 || !b.Enforced || b.Replies == nil || b.Replies.Fails == nil || *b.Replies.Fails != (b.Replies.Message == s.to.Trigger) {
			t.Errorf("message %d is %+v, want a nonce of at most 25 characters that is enforced, and a reply that fails only without the question", i, b)
		}
	}
	for _, b := range s.written(t, edits) {
		if b.Content == nil || b.Rows == nil || string(*b.Rows) == "null" {
			t.Errorf("an edit leaves text or buttons as they were: %+v, want both set", b)
		}
	}
}

func TestFilesAreNamedOnceHoweverOftenTheyAreSent(t *testing.T) {
	s := newStage(t)
	s.Discord.Faults.Inject(discordtest.Fault{Match: edits, Status: 502, After: true})
	a := s.Replies.Begin(t.Context(), s.to)
	a.Append("Here they are, both of them, as was wished.")
	sent := errtest.Must(a.Finish(t.Context(), reply.Final{Files: []discord.File{{Name: "a.txt", Data: []byte("1")}, {Name: "b.txt", Data: []byte("2")}}}))(t)
	if got := s.Said()[0].Attachments; len(got) != 2 || len(sent[0].Attachments) != 2 {
		t.Errorf("%d files are there, %d were reported, want 2 and 2", len(got), len(sent[0].Attachments))
	}
	for _, b := range s.written(t, edits) {
		if len(b.Files) != 2 || b.Files[0] != (attachment{"0", "a.txt"}) || b.Files[1] != (attachment{"1", "b.txt"}) {
			t.Errorf("the files are named %+v, want 2 of them, %v first and %v second", b.Files, (attachment{"0", "a.txt"}), (attachment{"1", "b.txt"}))
		}
	}
}
