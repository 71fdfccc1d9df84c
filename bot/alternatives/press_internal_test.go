package alternatives

import (
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"heddle/bot/guilds"
	"heddle/graph"
	"heddle/graph/path"
	"heddle/internal/discord"
	"heddle/internal/roomtest"
	"heddle/internal/wait"
	"heddle/store"
)

const (
	trigger = graph.MessageID(7)
	part    = graph.MessageID(8) // sent in the first millisecond of 2015
)

// heard is whether the answer to trigger was heard of.
type heard bool

func (h heard) Message(_ graph.ChannelID, id graph.MessageID) (graph.Message, bool) {
	return graph.Message{ID: id, Answers: trigger}, bool(h)
}

// reading is a press on a message of an answer that is not recorded yet.
type reading struct {
	age      time.Duration // of the message
	heard    heard         // whether this process heard of the message
	done     bool          // its question is marked as done
	changed  bool          // it was edited right before the press
	locked   bool          // this process changes what an answer in the channel shows
	recorded time.Duration // after the press; 0: never
	takes    time.Duration // a look-up in the store
}

// press presses, and returns after how long the answer was read or given up.
func (r reading) press(t *testing.T) (took time.Duration, err error) {
	t.Helper()
	began := part.Time().Add(r.age)
	if wait.For(t.Context(), time.Until(began)) != nil {
		t.Fatal("the test ended before the time of the press")
	}
	shared := roomtest.OpenStore(t)
	locks := locksOf(shared)
	if r.locked {
		defer locks.begin(channel)()
	}
	if r.done {
		r.markDone(t, shared)
	}
	reader := &pressed{
		displays: &displays{responses: slow{Responses: shared.Responses, takes: r.takes}, standing: shared.Displays, offers: shared.Displays, locks: locks, locales: guilds.New()},
		claims:   shared.Claims, history: r.heard,
	}
	p := &Press{Interaction: discord.Interaction{ID: discord.InteractionID(graph.FirstMessageID(time.Now())), Channel: channel, Message: part}}
	p.Place.Scope = store.GuildScope(1)
	if r.changed {
		p.Changed = time.Now()
	}
	var recording sync.WaitGroup
	defer recording.Wait()
	if r.recorded > 0 {
		recording.Go(func() { r.record(t, shared, p.Place.Scope) })
	}
	_, err = reader.read(t.Context(), p)
	return time.Since(began), err
}

// markDone marks the question as answered.
func (r reading) markDone(t *testing.T, shared *store.Store) {
	t.Helper()
	lease, err := shared.Claims.Claim(t.Context(), store.TriggerClaim(trigger), time.Minute)
	if err == nil {
		err = shared.Claims.Done(t.Context(), lease, "answered")
	}
	if err != nil {
		t.Fatal(err)
	}
}

// record records the answer when its time has come.
func (r reading) record(t *testing.T, shared *store.Store, scope store.Scope) {
	t.Helper()
	_ = wait.For(t.Context(), r.recorded)
	err := shared.Responses.Save(t.Context(), store.Response{
		Standing: store.Standing{Scope: scope, Channel: channel, Trigger: trigger, Replies: []store.Reply{{ID: part}}, Created: time.Now()},
		Input:    store.Input{PathHash: path.Path{}.Hash()}, Output: store.Output{Text: "Warps."},
	})
	if err != nil {
		t.Error(err)
	}
}

func TestAPressWaitsForAnAnswerThatIsYetToBeRecorded(t *testing.T) {
	for name, test := range map[string]struct {
		reading

		want time.Duration
		gone bool
	}{
		"its question is being answered":    {reading{heard: true, recorded: 9 * time.Second}, 9 * time.Second, false},
		"its question is answered for ever": {reading{heard: true}, pressTimeout, true},
		"time runs out during a look-up":    {reading{heard: true, takes: 90 * time.Millisecond}, pressTimeout, true},
		"its question was answered":         {reading{heard: true, done: true, recorded: time.Second}, 0, true},
		"its question was answered long ago, and the mark has expired": {
			reading{heard: true, age: 8 * 24 * time.Hour, recorded: time.Second}, 0, true,
		},
		"the answer is being changed here": {
			reading{heard: true, done: true, locked: true, age: 8 * 24 * time.Hour, recorded: 9 * time.Second}, 9 * time.Second, false,
		},
		"another process has just sent it":                       {reading{changed: true, recorded: time.Second}, time.Second, false},
		"another process has just sent it, and never records it": {reading{changed: true}, storingTime, true},
		"another process sent it some time ago":                  {reading{recorded: time.Second}, 0, true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				took, err := test.press(t)
				if errors.Is(err, ErrAnswersGone) != test.gone || !test.gone && err != nil || took < test.want || took > test.want+lockPause {
					t.Errorf("after %s: %v, want it after %s (gone: %t)", took, err, test.want, test.gone)
				}
			})
		})
	}
}
