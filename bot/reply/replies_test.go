package reply_test

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"heddle/bot/reply"
	"heddle/graph"
	"heddle/internal/discord"
	"heddle/internal/discordtest"
	"heddle/internal/errtest"
	"heddle/internal/roomtest"
)

func creates(r discordtest.Request) bool { return r.Route == discordtest.RouteCreateMessage }
func edits(r discordtest.Request) bool   { return r.Route == discordtest.RouteEditMessage }
func writes(r discordtest.Request) bool  { return creates(r) || edits(r) }

// stage is an environment with a question in its channel, which its Replies answer.
type stage struct {
	*roomtest.Env
	to reply.To
}

func newStage(t *testing.T) *stage {
	t.Helper()
	env := roomtest.New(t)
	return &stage{env, reply.To{Channel: env.Channel, Trigger: env.Post(env.Ann, discordtest.Draft{Content: "how?"})}}
}

func (s *stage) await(t *testing.T, fits func(discordtest.Message) bool) discordtest.Message {
	t.Helper()
	return errtest.Must(s.Discord.Chat.AwaitMessage(t.Context(), s.to.Channel, fits))(t)
}

func contains(text string) func(discordtest.Message) bool {
	return func(m discordtest.Message) bool { return strings.Contains(m.Content, text) }
}

// ids returns the ids of what was sent, after checking that the server has the same.
func check(t *testing.T, s *stage, sent []reply.Sent, want ...string) {
	t.Helper()
	have := s.Said()
	if len(have) != len(want) || len(sent) != len(want) {
		t.Fatalf("%d messages are there, %d were reported, want %d", len(have), len(sent), len(want))
	}
	for i, m := range have {
		if m.Content != want[i] || sent[i].Text != want[i] || sent[i].ID != m.ID {
			t.Errorf("message %d is %q, reported as %q, want %q", i, m.Content, sent[i].Text, want[i])
		}
	}
}

// TestWhatRepliesToNothingIsSentOnceForItsCause says hello in a server, and loses Discord's
// response.
func TestWhatRepliesToNothingIsSentOnceForItsCause(t *testing.T) {
	s := newStage(t)
	s.Discord.Faults.Inject(discordtest.Fault{Match: creates, Status: 502, After: true})
	sent := errtest.Must(s.Replies.Reply(t.Context(), reply.To{Channel: s.to.Channel, Cause: reply.Joined(s.Guild)}, "Hello."))(t)
	check(t, s, sent, "Hello.")
}

func TestAnAnswerGrowsAndEnds(t *testing.T) {
	s := newStage(t)
	a := s.Replies.Begin(t.Context(), s.to)
	a.Append("Too short")
	a.Append(" to show, then not any more.")
	first := s.await(t, contains("any more. ▍"))
	if first.Reference == nil || first.Reference.Message != s.to.Trigger {
		t.Errorf("the answer replies to %+v, want Message %v", first.Reference, s.to.Trigger)
	}
	a.Append("\n```go\nx := 1")
	s.await(t, contains("x := 1\n``` ▍"))
	a.Append("\n```")
	sent := errtest.Must(a.Finish(t.Context(), reply.Final{}))(t)
	check(t, s, sent, "Too short to show, then not any more.\n```go\nx := 1\n```")
}

func TestALongAnswerIsAChainOfReplies(t *testing.T) {
	s := newStage(t)
	a := s.Replies.Begin(t.Context(), s.to)
	line := strings.Repeat("x", 99) + "\n"
	for range 45 {
		a.Append(line)
	}
	sent := errtest.Must(a.Finish(t.Context(), reply.Final{Notice: "-# cut short"}))(t)
	part := strings.TrimSpace(strings.Repeat(line, 20))
	check(t, s, sent, part, part, strings.Repeat(line, 5)+"-# cut short")
	before := s.to.Trigger
	for _, m := range s.Said() {
		if m.Reference == nil || m.Reference.Message != before {
			t.Errorf("%d replies to %+v, want %d", m.ID, m.Reference, before)
		}
		before = m.ID
	}
}

func TestFaultsNeverDoubleAnAnswer(t *testing.T) {
	after := func(f discordtest.Fault) discordtest.Fault { f.After = true; return f }
	for name, fault := range map[string]discordtest.Fault{
		"502 before it took effect":  discordtest.BadGateway(creates),
		"502 after it took effect":   after(discordtest.BadGateway(creates)),
		"cut before":                 {Match: creates, Cut: true},
		"cut after":                  {Match: creates, Cut: true, After: true},
		"500 after, twice":           {Match: creates, Status: 500, After: true, Times: 2},
		"a rate limit":               discordtest.TooMany(creates, discordtest.ScopeUser, 20*time.Millisecond),
		"a global limit":             discordtest.TooMany(creates, discordtest.ScopeGlobal, 20*time.Millisecond),
		"a limit without headers":    {Match: creates, Status: 429, Body: `{"message":"You are being rate limited.","retry_after":0.02,"global":false}`},
		"a limit as HTML":            {Match: creates, Status: 429, Header: http.Header{"Retry-After": {"1"}}, Body: "<!doctype html><title>Access denied</title>"},
		"an edit lost before":        discordtest.BadGateway(edits),
		"an edit lost after":         after(discordtest.BadGateway(edits)),
		"an edit limited":            discordtest.TooMany(edits, discordtest.ScopeUser, 20*time.Millisecond),
		"more 503 than Do tries":     {Match: edits, Status: 503, Times: 5},
		"numbers in strings":         {Match: writes, Rewrite: discordtest.NumbersAsStrings, Times: -1},
		"an answer that says little": {Match: creates, Rewrite: func([]byte) []byte { return []byte(`{"id":"1"}`) }, Skip: 99},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t)
			s.Discord.Faults.Inject(fault)
			a := s.Replies.Begin(t.Context(), s.to)
			a.Append("A first sentence that is long enough to be shown.")
			s.await(t, contains("A first"))
			a.Append(" And a second.")
			sent := errtest.Must(a.Finish(t.Context(), reply.Final{}))(t)
			check(t, s, sent, "A first sentence that is long enough to be shown. And a second.")
		})
	}
}

func TestAfterACrashTheSameMessageIsTakenUp(t *testing.T) {
	s := newStage(t)
	ctx, crash := context.WithCancel(t.Context())
	a := s.Replies.Begin(ctx, s.to)
	a.Append("Half of an answer, which then breaks")
	s.await(t, contains("breaks"))
	crash()
	sent := errtest.Must(reply.New(s.REST, s.Store.Responses, reply.Pace, s.Log).Reply(t.Context(), s.to, "The whole answer."))(t)
	check(t, s, sent, "The whole answer.")
	s.to.Generation++
	errtest.Must(s.Replies.Reply(t.Context(), s.to, "Another."))(t)
	if n := len(s.Said()); n != 2 {
		t.Errorf("another generation left %d messages, want 2", n)
	}
}

func TestADeletedAnswerStopsQuietly(t *testing.T) {
	s := newStage(t)
	a := s.Replies.Begin(t.Context(), s.to)
	reading, stop := a.While(t.Context())
	defer stop()
	a.Append("An answer that nobody wants to read.")
	m := s.await(t, contains("nobody"))
	s.Discord.Chat.Delete(s.to.Channel, m.ID)
	a.Append(" It goes on.")
	select {
	case <-reading.Done():
	case <-time.After(discordtest.Patience):
		t.Fatal("the answer was not stopped")
	}
	a.Append(" And on.")
	if _, err := a.Finish(t.Context(), reply.Final{}); !errors.Is(err, reply.ErrDeleted) {
		t.Errorf("got %v, want %v", err, reply.ErrDeleted)
	}
	if n := len(s.Said()); n != 0 {
		t.Errorf("%d messages are left, want 0", n)
	}
}

func TestRefusalsAreTyped(t *testing.T) {
	for name, test := range map[string]struct {
		code   string
		status int
		want   error
	}{
		"no permission": {"50013", 403, reply.ErrNoPermission},
		"no access":     {"50001", 403, reply.ErrNoPermission},
		"no DMs":        {"50007", 403, reply.ErrCannotDM},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t)
			s.Discord.Faults.Inject(discordtest.Fault{Status: test.status, Body: `{"message":"No","code":` + test.code + `}`})
			_, err := s.Replies.Reply(t.Context(), s.to, "Hello.")
			var refusal *discord.Error
			if !errors.Is(err, test.want) || !errors.As(err, &refusal) {
				t.Errorf("got %v, want %v and Discord's refusal", err, test.want)
			}
		})
	}
}

func TestWithoutHistoryTheAnswerIsNoReply(t *testing.T) {
	s := newStage(t)
	s.Discord.World.SetOverwrites(s.to.Channel, discordtest.Overwrite{Role: graph.RoleID(s.Guild), Deny: discordtest.ReadMessageHistory})
	sent := errtest.Must(s.Replies.Reply(t.Context(), s.to, "Hello."))(t)
	check(t, s, sent, "Hello.")
	if r := s.Said()[0].Reference; r != nil {
		t.Errorf("it replies to %+v, want nil", r)
	}
}

func TestNothingIsSaidToADeletedQuestion(t *testing.T) {
	s := newStage(t)
	s.Discord.Chat.Delete(s.to.Channel, s.to.Trigger)
	if _, err := s.Replies.Reply(t.Context(), s.to, "Hello."); !errors.Is(err, reply.ErrQuestionGone) {
		t.Errorf("got %v, want %v", err, reply.ErrQuestionGone)
	}
	if said := s.Said(); len(said) > 0 {
		t.Errorf("%q stands, want nothing", said[0].Content)
	}
}

func TestFilesComeWithTheLastMessage(t *testing.T) {
	for name, text := range map[string]string{"with text": "Here it is.", "alone": ""} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t)
			lost := discordtest.BadGateway(writes)
			lost.After = true
			if text != "" {
				lost.Match = edits
			}
			s.Discord.Faults.Inject(lost)
			a := s.Replies.Begin(t.Context(), s.to)
			a.Append(text)
			sent := errtest.Must(a.Finish(t.Context(), reply.Final{
				Files: []discord.File{{Name: "a.txt", Type: "text/plain", Data: []byte("data")}},
			}))(t)
			check(t, s, sent, text)
			files := s.Said()[0].Attachments
			if len(files) != 1 || string(files[0].Data) != "data" || len(sent[0].Attachments) != 1 {
				t.Errorf("%d files are there, %d were reported, want the one that was sent", len(files), len(sent[0].Attachments))
			}
		})
	}
}

func TestRefusedFilesLeaveTheTextWhole(t *testing.T) {
	s := newStage(t)
	s.Discord.Faults.Inject(discordtest.Fault{Match: edits, Status: 413, Body: `{"message":"Request entity too large","code":40005}`})
	a := s.Replies.Begin(t.Context(), s.to)
	a.Append("Here it is.")
	sent, err := a.Finish(t.Context(), reply.Final{Files: []discord.File{{Name: "a", Data: []byte("data")}}})
	if !errors.Is(err, reply.ErrFiles) {
		t.Errorf("got %v, want %v", err, reply.ErrFiles)
	}
	check(t, s, sent, "Here it is.")
}

func TestTheChecksumTellsPartsApart(t *testing.T) {
	answer := []string{"The warp runs lengthwise,", "the weft across it,", "and 2 make cloth."}
	sum := reply.Checksum(answer)
	for name, other := range map[string][]string{
		"without its last part":      answer[:2],
		"without its first":          answer[1:],
		"in another order":           {answer[1], answer[0], answer[2]},
		"cut elsewhere":              {"The warp runs lengthwise, the", "weft across it,", answer[2]},
		"with a part of another one": {answer[0], "the weft across them,", answer[2]},
		"with one part more":         append(slices.Clip(answer), "Or felt."),
	} {
		if reply.Checksum(other) == sum {
			t.Errorf("%s, an answer has the same checksum, want another", name)
		}
	}
	if got := reply.Checksum([]string{" The warp runs lengthwise, ", "the weft across it,\n", "and 2 make cloth."}); got != sum || len(got) != 12 {
		t.Errorf("the checksum is %q, want %q, as Discord trims what is sent", got, sum)
	}
}
