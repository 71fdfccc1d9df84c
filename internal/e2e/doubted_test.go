package e2e_test

import (
	"strings"
	"testing"

	"heddle/graph"
	"heddle/internal/discordtest"
	"heddle/internal/openaitest"
)

// TestAPartThatIsDeletedInMidAnswerIsGivenAgain deletes the second part of an answer while
// it grows, as another process does that takes the question over. The edit that follows is
// refused, so that the first part stands alone, and nothing in it says that it is not all.
func TestAPartThatIsDeletedInMidAnswerIsGivenAgain(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	answer, goesOn := openaitest.Answer(lines(80), "and the end."), make(chan struct{})
	answer.Chunks[1].Wait = goesOn
	s.model.Queue(answer)
	s.always(openaitest.Answer(lines(80) + "and the end."))
	s.spawn("CLAIM_LEASE=1s")
	trigger := s.post(s.ann, discordtest.Draft{Content: s.mention("tell me everything")})
	s.grewTo(2)
	s.discord.Chat.Delete(s.channel, s.lastOf(trigger))
	close(goesOn)
	s.ends(trigger, "and the end.")
}

// TestWhatATakeOverDeletedIsGivenAgain removes a claim from Redis, so that another
// process takes the question over while its owner may still write. The other process
// deletes the second part of the answer and is then killed. The owner does not know that,
// and counts the question as done.
func TestWhatATakeOverDeletedIsGivenAgain(t *testing.T) {
	t.Parallel()
	for name, whole := range map[string]bool{"in mid-answer": false, "after the answer": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, discordtest.Options{})
			redis := s.redis()
			environ := []string{"REDIS_URL=" + redis.URL(), "CLAIM_LEASE=1s"}
			answer, goesOn := openaitest.Answer(lines(80), "and the end."), make(chan struct{})
			answer.Chunks[1].Wait = goesOn
			s.model.Queue(answer)
			s.always(openaitest.Answer(lines(80) + "and the end."))
			owner := s.spawn("REDIS_URL="+redis.URL(), "CLAIM_LEASE=10m") // so that it renews the claim only after minutes
			trigger := s.post(s.ann, discordtest.Draft{Content: s.mention("tell me everything")})
			s.grewTo(2)
			if _, err := redis.Do(s.ctx, "FLUSHALL"); err != nil {
				t.Fatal(err)
			}
			deletes, goOn := discordtest.Fault{Match: discordtest.On(discordtest.RouteDeleteMessage)}, make(chan struct{})
			if whole {
				deletes.Gate = goOn
			} else {
				deletes.GateAfter = goOn
			}
			deleted := s.discord.Faults.Inject(deletes)
			next := s.spawn(environ...)
			if err := deleted.Await(s.ctx, 1); err != nil {
				t.Fatal(err)
			}
			if !whole {
				s.standIn(1)
			}
			next.kill()
			close(goesOn)
			if err := owner.logs.await(s.ctx, `msg="a task is done" trigger=`+trigger.String()); err != nil {
				t.Fatal(err)
			}
			owner.kill()
			close(goOn)
			s.standIn(1)
			s.spawn(environ...)
			s.ends(trigger, "and the end.")
		})
	}
}

// TestPartsOfTwoAttemptsAreToldApartWithoutARecord has another process' edit arrive in the
// first part of an answer when nobody is left who knows what was sent. The next process
// finds that the parts do not belong together.
func TestPartsOfTwoAttemptsAreToldApartWithoutARecord(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		first string
		asked int
	}{
		"of two attempts": {strings.Repeat("a line of another answer\n", 75), 2},
		"of one":          {"", 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, discordtest.Options{})
			redis := s.redis()
			s.always(openaitest.Answer(lines(80) + "and the end."))
			c := s.spawn("REDIS_URL=" + redis.URL())
			trigger := s.post(s.ann, discordtest.Draft{Content: s.mention("tell me everything")})
			s.ends(trigger, "and the end.")
			if err := c.logs.await(s.ctx, `msg="a task is done" trigger=`+trigger.String()); err != nil {
				t.Fatal(err)
			}
			c.kill()
			if _, err := redis.Do(s.ctx, "FLUSHALL"); err != nil {
				t.Fatal(err)
			}
			first := s.answer(s.channel, trigger, "a line of an answer")
			if test.first != "" {
				if err := s.discord.Chat.Edit(s.channel, first.ID, test.first); err != nil {
					t.Fatal(err)
				}
			}
			next := s.spawn("REDIS_URL=" + redis.URL())
			if test.first != "" {
				if err := next.logs.await(s.ctx, `msg="a task is done" trigger=`+trigger.String()); err != nil {
					t.Fatal(err)
				}
			}
			s.asks("are you there?", "Yes.")
			if got := s.answer(s.channel, trigger, "a line of"); got.Content != first.Content {
				t.Errorf("the answer begins with %.40q, want what it began with before", got.Content)
			}
			if got := len(s.model.Requests()); got != test.asked+1 {
				t.Errorf("the model was asked %d times, want %d", got, test.asked+1)
			}
		})
	}
}

// lastOf returns the last part of the answer to a question.
func (s *screen) lastOf(trigger graph.MessageID) graph.MessageID {
	s.t.Helper()
	parts := []graph.MessageID{trigger}
	for _, m := range s.discord.Chat.Messages(s.channel) {
		if m.Author == s.heddle.User && m.Reference != nil && m.Reference.Message == parts[len(parts)-1] {
			parts = append(parts, m.ID)
		}
	}
	return parts[len(parts)-1]
}

// ends waits until an answer of two messages ends with a text.
func (s *screen) ends(trigger graph.MessageID, text string) {
	s.t.Helper()
	watcher := s.discord.Chat.Watch()
	defer watcher.Close()
	for {
		said := s.discord.Chat.Messages(s.channel)
		if last := said[len(said)-1]; s.own() == 2 && last.ID == s.lastOf(trigger) && strings.HasSuffix(last.Content, text) {
			return
		}
		if _, err := watcher.Next(s.ctx); err != nil {
			s.t.Fatalf("%d messages stand, want 2 that end with %q: %v", s.own(), text, err)
		}
	}
}
