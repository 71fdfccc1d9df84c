package alternatives

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"heddle/bot/outbox"
	"heddle/bot/phrases"
	"heddle/bot/work"
	"heddle/graph"
	"heddle/internal/wait"
	"heddle/store"
)

// buttonStop ends an answer that is growing. Behind it stand who asked for the answer,
// the attempt to give it, and the question; see QuestionOf.
const buttonStop = buttonPrefix + "stop:"

// stopTold is how often a process looks whether another one was told to stop an answer.
const stopTold = time.Second

// attempt names one growing answer.
type attempt string

// stopName returns the name of the button that ends an attempt.
func stopName(asker graph.UserID, a attempt, question graph.MessageID) string {
	return buttonStop + asker.String() + ":" + string(a) + ":" + question.String()
}

// parseStop parses the name of the button that ends an attempt.
func parseStop(id string) (asker graph.UserID, a attempt, ok bool) {
	rest, is := strings.CutPrefix(id, buttonStop)
	who, name, cut := strings.Cut(rest, ":")
	name, _, _ = strings.Cut(name, ":")
	return asker, attempt(name), is && cut && asker.UnmarshalText([]byte(who)) == nil && len(name) == 2*attemptSize
}

const attemptSize = 8 // bytes

// marks keeps across processes what was done; store.Claims does.
type marks interface {
	claims
	Done(ctx context.Context, lease store.Lease, outcome string) error
}

// stops knows the answers that grow in this process, so that people can stop them. Its
// methods may be called from any goroutine.
//
// mu guards growing; it is never held over I/O.
type stops struct {
	marks  marks
	leases *work.Leases

	mu      sync.Mutex
	growing map[attempt]context.CancelFunc
}

func newStops(marks marks, leases *work.Leases) *stops {
	return &stops{marks: marks, leases: leases, growing: make(map[attempt]context.CancelFunc)}
}

// begin returns the name of an answer that begins to grow and a channel that is closed
// when somebody stops it. The caller must call end.
func (s *stops) begin(ctx context.Context) (a attempt, stopped <-chan struct{}, end func()) {
	var name [attemptSize]byte
	_, _ = rand.Read(name[:]) // it never fails
	a = attempt(hex.EncodeToString(name[:]))
	growing, stop := context.WithCancel(context.WithoutCancel(ctx))
	s.mu.Lock()
	s.growing[a] = stop
	s.mu.Unlock()
	leave := wait.Later(ctx, stopTold, func(ctx context.Context) { s.look(ctx, a) })
	return a, growing.Done(), func() {
		leave()
		s.mu.Lock()
		delete(s.growing, a)
		s.mu.Unlock()
		stop()
	}
}

// look stops an answer once another process was told to, until ctx ends.
func (s *stops) look(ctx context.Context, a attempt) {
	for {
		if _, told, err := s.marks.IsDone(ctx, store.StopClaim(string(a))); told && err == nil {
			s.stop(a)
			return
		}
		if wait.For(ctx, stopTold) != nil {
			return
		}
	}
}

// stop stops an answer and reports whether it grows in this process.
func (s *stops) stop(a attempt) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	stop, grows := s.growing[a]
	if grows {
		stop()
	}
	return grows
}

// tell has an answer stopped that grows in another process, if it does.
func (s *stops) tell(ctx context.Context, a attempt) error {
	lease, err := s.marks.Claim(ctx, store.StopClaim(string(a)), s.leases.TTL())
	if err == nil {
		err = s.marks.Done(ctx, lease, "stopped")
	}
	if err != nil && !errors.Is(err, store.ErrHeld) && !errors.Is(err, store.ErrDone) {
		return fmt.Errorf("stop an answer of another process: %w", err)
	}
	return nil
}

// Growing implements answer.Target.
func (r *reply) Growing(ctx context.Context, asker graph.UserID) (below outbox.Rows, stopped <-chan struct{}, end func()) {
	if r.displays.keys.policy != ButtonsOn {
		return nil, nil, func() {}
	}
	a, stopped, end := r.displays.stops.begin(ctx)
	label := r.displays.language(r.to.Channel).Text(phrases.LabelStop, nil)
	return outbox.Rows{{outbox.Button(stopName(asker, a, r.to.Trigger), label)}}, stopped, end
}

// stop ends an answer that grows, for who asked for it and for moderators. What stands
// stays.
func (s *Presses) stop(ctx context.Context, log *slog.Logger, p *Press) error {
	asker, a, _ := parseStop(p.CustomID)
	switch {
	case asker != p.User.ID && !p.moderates():
		s.say(ctx, log, p, phrases.StopDenied)
		return nil
	case s.displays.stops.stop(a):
		log.InfoContext(ctx, "an answer is stopped by whom it is for, or by a moderator")
		return nil
	case s.displays.stops.leases.Alone():
		s.say(ctx, log, p, phrases.StopLate)
	}
	return s.displays.stops.tell(ctx, a) // a process that has just begun knows of no other
}
