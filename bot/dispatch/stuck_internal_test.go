package dispatch

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"heddle/bot/work"
	"heddle/graph"
	"heddle/store"
)

// question returns a task of answering a question, which the store keeps. Its attempts end as
// end does.
func (p *process) question(done *int, end func() error) *task {
	t := p.task(someKey, done, end)
	t.pending = store.Pending{Guild: 2, Channel: 1, Trigger: 5}
	t.by.guild = 2
	return t
}

// reports lets the gateway report a guild with the channel of the tasks.
func (p *process) reports(t *testing.T, topic string) {
	t.Helper()
	data := `{"id":"2","roles":[{"id":"2","permissions":"66560"}],"channels":[{"id":"1","type":0,"topic":"` + topic + `"}]}`
	if _, _, err := p.tasks.guilds.Apply("GUILD_CREATE", json.RawMessage(data)); err != nil {
		t.Fatal(err)
	}
	p.Surroundings()
}

// TestAStuckTaskIsLookedAtEverMoreRarely leaves parts where heddle may not read them for two
// days.
func TestAStuckTaskIsLookedAtEverMoreRarely(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, done := newProcess(t), 0
		stuckTask := p.question(&done, func() error { return errStuck })
		stuckTask.parts = someParts
		p.tasks.perform(t.Context(), stuckTask)
		p.runDelayed(t, 24*time.Hour)
		if most := 10 + 24*6; done > most || p.delayed() != 1 {
			t.Errorf("it was looked at %d times in a day, and %d wait; want at most %d, and that it waits", done, p.delayed(), most)
		}
		first := done
		p.runDelayed(t, 24*time.Hour)
		if again := done - first; again < 24*6-1 || again > 24*6+1 {
			t.Errorf("it was looked at %d times on the second day, want every ten minutes", again)
		}
		if n := strings.Count(p.logged.String(), "level=WARN"); n != 1 {
			t.Errorf("the log has %d warnings, want 1:\n%s", n, p.logged)
		}
	})
}

// TestAStuckTaskIsLookedAtWhenItsPlaceChanges lets heddle into a guild again. Events that
// change nothing there lead to no look.
func TestAStuckTaskIsLookedAtWhenItsPlaceChanges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, done := newProcess(t), 0
		stuckTask := p.question(&done, func() error { return errStuck })
		stuckTask.parts = someParts
		p.tasks.perform(t.Context(), stuckTask)
		p.runDelayed(t, 30*time.Minute)
		for _, step := range []struct {
			topic string
			looks int
		}{{"looms", 1}, {"looms", 0}, {"warps", 1}} {
			before := done
			p.reports(t, step.topic)
			p.runDelayed(t, time.Second/2)
			if got := done - before; got != step.looks {
				t.Errorf("after the channel came with the topic %q it was looked at %d times, want %d", step.topic, got, step.looks)
			}
		}
	})
}

// TestAChangeDuringALookIsNotMissed lets heddle into a guild again while Discord still refuses
// to let it read.
func TestAChangeDuringALookIsNotMissed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, done := newProcess(t), 0
		stuckTask := p.question(&done, func() error {
			if done == 20 {
				p.reports(t, "looms")
			}
			return errStuck
		})
		stuckTask.parts = someParts
		p.tasks.perform(t.Context(), stuckTask)
		for done < 20 {
			p.runDelayed(t, time.Minute)
		}
		if done != 21 {
			t.Errorf("it was looked at %d times, want once more at once after the change during the 20th", done)
		}
	})
}

// TestWhoeverAskedIsToldOnceOfATaskThatGetsStuck gets a task stuck again and again, also when
// its answer is looked at once more.
func TestWhoeverAskedIsToldOnceOfATaskThatGetsStuck(t *testing.T) {
	for name, begun := range map[string]stage{"tried": tried, "doubted": doubted} {
		synctest.Test(t, func(t *testing.T) {
			p, done, told := newProcess(t), 0, 0
			stuckTask := p.question(&done, func() error {
				if done%3 == 0 {
					return work.ErrLost
				}
				return errStuck
			})
			stuckTask.stage, stuckTask.parts = begun, someParts
			stuckTask.denied = func(context.Context) { told++ }
			p.tasks.perform(t.Context(), stuckTask)
			p.runDelayed(t, time.Hour)
			if done < 4 || told != 1 {
				t.Errorf("%s: after %d attempts whoever asked was told %d times, want once", name, done, told)
			}
		})
	}
}

// TestAnOverdueQuestionIsNotAnsweredOnceItsPartsAreDeleted ends the lifetime of a question of
// which parts stand, during an attempt or between two. Then the parts are deleted.
func TestAnOverdueQuestionIsNotAnsweredOnceItsPartsAreDeleted(t *testing.T) {
	for name, left := range map[string]time.Duration{"during an attempt": -time.Second, "between two": time.Second / 2} {
		synctest.Test(t, func(t *testing.T) {
			p, done, answered := newProcess(t), 0, 0
			standing := []graph.MessageID{7}
			var late *task
			late = p.question(&done, func() error {
				if !late.reads(standing) {
					return errNothingStands
				}
				late.answers()
				answered++
				return work.ErrUnsent
			})
			late.stage, late.claim, late.asked = tried, claimed, time.Now().Add(left-leastLife)
			p.tasks.perform(t.Context(), late)
			standing = nil
			p.runDelayed(t, time.Hour)
			if answered != 1 || p.delayed() != 0 || !strings.Contains(p.logged.String(), "it is dropped") {
				t.Errorf("%s: it was answered %d times, and %d wait; want once and none, and that it is dropped; logged was\n%s", name, answered, p.delayed(), p.logged)
			}
		})
	}
}

// unhindered is a REST whose requests never have to wait.
type unhindered struct{ REST }

func (unhindered) Delay(string, string) time.Duration { return 0 }
