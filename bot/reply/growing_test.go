package reply_test

import (
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"heddle/bot/reply"
	"heddle/bot/reply/split"
	"heddle/internal/discord"
	"heddle/internal/discordtest"
	"heddle/internal/errtest"
	"heddle/internal/wait"
)

func TestWhatIsBeingDoneIsShownUntilTheAnswerEnds(t *testing.T) {
	file := []discord.File{{Name: "a.txt", Data: []byte("data")}}
	for name, test := range map[string]struct {
		before, after string
		final         reply.Final
		want          string // "" where nothing is left but files
	}{
		"above nothing, then text":       {"", "Found it.", reply.Final{}, "Found it."},
		"below text, then more":          {"Let me see.", "\nFound it.", reply.Final{}, "Let me see.\nFound it."},
		"above nothing, then a notice":   {"", "", reply.Final{Notice: "It failed."}, "It failed."},
		"above nothing, then only files": {"", "", reply.Final{Files: file}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t)
			a := s.Replies.Begin(t.Context(), s.to)
			a.Append(test.before)
			a.Doing("-# looking")
			s.await(t, contains("-# looking"))
			a.Doing("-# asking")
			s.await(t, contains("-# asking"))
			a.Append(test.after)
			sent := errtest.Must(a.Finish(t.Context(), test.final))(t)
			check(t, s, sent, test.want)
			if got := len(s.Said()[0].Attachments); got != len(test.final.Files) {
				t.Errorf("%d files are there, want %d", got, len(test.final.Files))
			}
			if got := s.Discord.Record.Count(discordtest.RouteCreateMessage); got != 1 {
				t.Errorf("%d messages were made, want 1", got)
			}
		})
	}
}

// TestNothingToSayInPlaceOfAnAnswerLeavesItsMessage shows what is being done in the message
// of an answer that is to be replaced. That message is not heddle's to delete here, as it
// shows the answer again next.
func TestNothingToSayInPlaceOfAnAnswerLeavesItsMessage(t *testing.T) {
	s := newStage(t)
	stood := errtest.Must(s.Replies.Reply(t.Context(), s.to, "What stood."))(t)
	a := s.Replies.Begin(t.Context(), s.over(stood))
	a.Doing("-# looking")
	s.await(t, contains("-# looking"))
	if _, err := a.Finish(t.Context(), reply.Final{}); !errors.Is(err, reply.ErrEmpty) || len(s.Said()) != 1 {
		t.Errorf("%d messages are left, with %v, want 1 and %v", len(s.Said()), err, reply.ErrEmpty)
	}
}

func TestNothingToSayAfterSomethingWasDoneLeavesNothing(t *testing.T) {
	s := newStage(t)
	a := s.Replies.Begin(t.Context(), s.to)
	a.Doing("-# looking")
	s.await(t, contains("-# looking"))
	sent, err := a.Finish(t.Context(), reply.Final{})
	if !errors.Is(err, reply.ErrEmpty) || len(sent) != 0 || len(s.Said()) != 0 {
		t.Errorf("%d messages are left, %d were reported, with %v, want 0, 0 and %v", len(s.Said()), len(sent), err, reply.ErrEmpty)
	}
}

// TestWhatWasNoAnswerIsReplaced takes back two messages in which an answer began.
func TestWhatWasNoAnswerIsReplaced(t *testing.T) {
	for name, test := range map[string]struct {
		kept, after string
		want        []string
	}{
		"by the answer":                   {"", "The answer.", []string{"The answer."}},
		"but for its first words":         {"Let me look.\n\n", "Found it.", []string{"Let me look.\n\nFound it."}},
		"by nothing, and nothing is left": {"", "", nil},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t)
			a := s.Replies.Begin(t.Context(), s.to)
			a.Append(test.kept + strings.Repeat("I reason. ", 150))
			a.Append(strings.Repeat("More of it. ", 100))
			s.await(t, contains("More of it. More of it. ▍"))
			a.Replace(test.kept)
			a.Append(test.after)
			sent, err := a.Finish(t.Context(), reply.Final{})
			if errors.Is(err, reply.ErrEmpty) != (test.want == nil) {
				t.Errorf("it ended with %v, want %v only if there is no answer", err, reply.ErrEmpty)
			}
			check(t, s, sent, test.want...)
		})
	}
}

// timed takes requests in a bubble of synctest, and notes when each came.
type timed struct {
	began time.Time
	came  []time.Duration
	last  string // what the last one has a message show
}

// RoundTrip implements http.RoundTripper.
func (w *timed) RoundTrip(request *http.Request) (*http.Response, error) {
	var body struct {
		Content string `json:"content"`
	}
	_ = json.NewDecoder(request.Body).Decode(&body) // a typing indicator has no body
	w.came, w.last = append(w.came, time.Since(w.began)), body.Content
	return &http.Response{StatusCode: http.StatusOK, Request: request, Body: io.NopCloser(strings.NewReader(`{"id":"3"}`))}, nil
}

// newTimed returns Replies in a bubble of synctest, and what takes its requests.
func newTimed() (*timed, *reply.Replies) {
	w := &timed{began: time.Now()}
	rest := discord.NewREST(discord.RESTConfig{Transport: w})
	return w, reply.New(rest, nil, reply.Pace, slog.New(slog.DiscardHandler))
}

// Edits of a channel wait for its pace, however fast text comes; what comes
// while waiting is sent together.
func TestEditsKeepTheChannelsPace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, out := newTimed()
		a := out.Begin(t.Context(), reply.To{Channel: 1, Trigger: 2})
		const begin, words = "A first sentence that is long enough.", 33
		a.Append(begin)
		for range words {
			errtest.None(t, wait.For(t.Context(), 100*time.Millisecond))
			a.Append(" word")
		}
		synctest.Wait()
		first := 4 * time.Millisecond
		second := first + reply.Pace/4 // so far people see little
		if want := []time.Duration{first, second, second + reply.Pace, second + 2*reply.Pace}; !slices.Equal(w.came, want) {
			t.Errorf("the answer was shown after %v, want %v", w.came, want)
		}
		if want := begin + strings.Repeat(" word", words-6) + reply.Indicator; w.last != want {
			t.Errorf("the last edit shows %q, want %q", w.last, want)
		}
		errtest.Must(a.Finish(t.Context(), reply.Final{}))(t) // its edit waits for nothing
		want, took := begin+strings.Repeat(" word", words), time.Since(w.began)
		if w.last != want || took != words*100*time.Millisecond {
			t.Errorf("after %v the answer is %q, want %q after 3.3s", took, w.last, want)
		}
	})
}

func TestTypingIsRenewedUntilStopped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, out := newTimed()
		stop := out.Typing(t.Context(), 1)
		errtest.None(t, wait.For(t.Context(), 17*time.Second))
		stop()
		stop()
		errtest.None(t, wait.For(t.Context(), time.Minute))
		const first, every = 700 * time.Millisecond, 8 * time.Second
		if want := []time.Duration{first, first + every, first + 2*every}; !slices.Equal(w.came, want) {
			t.Errorf("the notices came after %v, want %v", w.came, want)
		}
	})
}

// TestAnAnswerThatMayNotBeEditedIsSentAnew lets Discord refuse the edits of a growing
// answer, in each of its parts and in every way that servers do.
func TestAnAnswerThatMayNotBeEditedIsSentAnew(t *testing.T) {
	long := strings.Repeat("a word and another one\n", 150) // two messages
	for name, refusal := range map[string]discordtest.Fault{
		"forbidden":             discordtest.Refused(edits, 403, 50013, "Missing Permissions"),
		"no such route":         {Match: edits, Status: 404, Body: "404 page not found"},
		"a method that is not":  {Match: edits, Status: 405, Body: "method not allowed"},
		"a form that is not it": discordtest.Refused(edits, 400, 50035, "Invalid Form Body"),
	} {
		for text, skip := range map[string]int{strings.Repeat("w", 35) + strings.Repeat("word", 20): 0, long: 1} {
			t.Run(name, func(t *testing.T) {
				s := newStage(t)
				fault := refusal // the subtests share it
				fault.Times, fault.Skip = -1, skip
				injected := s.Discord.Faults.Inject(fault)
				a := s.Replies.Begin(t.Context(), s.to)
				a.Append(text[:35])
				s.await(t, contains(reply.Indicator))
				if skip > 0 { // the first message is edited, the second is refused
					a.Append(text[35 : len(text)-80])
					s.await(t, func(m discordtest.Message) bool {
						return m.Reference != nil && m.Reference.Message != s.to.Trigger && strings.HasSuffix(m.Content, reply.Indicator)
					})
				}
				a.Append(text[len(text)-80:])
				errtest.None(t, injected.Await(t.Context(), 1))
				sent := errtest.Must(a.Finish(t.Context(), reply.Final{}))(t)
				want := split.Messages(text, split.Limit, nil)
				check(t, s, sent, want...)
				if n := injected.Hits(); n != 1 {
					t.Errorf("%d edits were tried, want 1: the first refusal says enough", n)
				}
			})
		}
	}
}
