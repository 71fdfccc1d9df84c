package store

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"heddle/graph"
	"heddle/internal/wait"
)

const (
	mostErasing    = 4096    // messages of one guild that wait
	mostErasingAll = 1 << 20 // messages of all guilds that wait
	erasedAtOnce   = 256     // messages in one step
	erasingGuilds  = 8       // guilds in which something is erased at the same time
	// erasingPatience bounds how long a question waits for erasures.
	erasingPatience = 5 * time.Second
)

// Erasing erases what was made from messages that were deleted or edited. Each guild, and each
// channel of direct messages, has a queue of its own, which holds ids alone, so that no
// question waits until another guild is erased (finding 4.5). While the store is away, the
// queues fill up to a bound. Of what does not fit, edits are dropped first, and a result says
// that the sources of the guild have to be compared with Discord. The erasure of a channel or
// a guild is never dropped.
//
// mu guards the fields below it; it is never held over I/O.
type Erasing struct {
	store   *Store
	log     *slog.Logger
	results chan Erased
	more    wait.Signal   // a queue has become ready, or a step has ended
	hurry   wait.Signal   // the next attempt need not wait for Retry
	closing chan struct{} // closed by Close

	mu     sync.Mutex
	queues map[Scope]*erasing // by queueOf
	ready  []Scope            // queues on which nobody works, in the order of their turns
	ids    int                // messages in all queues
	last   int                // the number of the deletion that was added last
	away   bool               // the store could not be reached at the last attempt
	tried  chan struct{}      // closed after the next attempt
}

// erasing is the queue of a guild.
type erasing struct {
	deletions []deletion // in order
	edits     map[graph.MessageID]Edit
	ids       int           // messages in both
	overflown bool          // something was dropped
	active    bool          // somebody works on it, or it is ready
	running   int           // the number of the deletion that is being carried out; 0 for none
	stepped   chan struct{} // closed after the next step
}

// deletion is an erasure that waits. Those of messages of one channel are joined.
type deletion struct {
	Erasure

	known bool // the caller takes back the answers to the messages
	first int  // the number of the first deletion in it
}

// Erased is the result of an erasure.
type Erased struct {
	Scope    Scope
	Channel  graph.ChannelID
	Messages []graph.MessageID             // the deleted ones, unless the caller takes back their answers
	Answers  map[graph.MessageID]AnswersTo // to those of them that were questions
	Stale    []Place                       // messages whose buttons need an update
	// Overflown means that deletions or edits in the scope's guild were dropped. Then only
	// Scope is set.
	Overflown bool
}

// NewErasing returns an Erasing with empty queues. Nothing is erased before Run.
func NewErasing(store *Store, log *slog.Logger) *Erasing {
	return &Erasing{
		store: store, log: log, results: make(chan Erased), more: wait.NewSignal(), hurry: wait.NewSignal(),
		closing: make(chan struct{}), queues: make(map[Scope]*erasing), tried: make(chan struct{}),
	}
}

// Results returns the channel of the results, which Run closes when it ends. Each step waits
// until its result is received.
func (e *Erasing) Results() <-chan Erased { return e.results }

// Deleted adds messages that were deleted. scope is that of their channel.
func (e *Erasing) Deleted(scope Scope, channel graph.ChannelID, messages ...graph.MessageID) {
	e.add(scope, deletion{Erasure: Erasure{Messages: messages, Channel: channel, Scope: scope}})
}

// Gone is like Deleted for questions whose answers the caller takes back. The result lists
// stale buttons alone.
func (e *Erasing) Gone(scope Scope, channel graph.ChannelID, messages ...graph.MessageID) {
	e.add(scope, deletion{Erasure: Erasure{Messages: messages, Channel: channel, Scope: scope}, known: true})
}

// Lost adds a channel that was deleted, or that heddle can no longer read.
func (e *Erasing) Lost(scope Scope, channel graph.ChannelID) {
	e.add(scope, deletion{Erasure: Erasure{Channel: channel, Scope: scope}})
}

// Left adds a guild that heddle left.
func (e *Erasing) Left(guild graph.GuildID) {
	e.add(GuildScope(guild), deletion{Erasure: Erasure{Guild: guild}})
}

// Edited adds an edit of a message. scope is that of its channel.
func (e *Erasing) Edited(scope Scope, edit Edit) {
	e.mu.Lock()
	defer e.mu.Unlock()
	q := e.queueLocked(scope)
	if _, waits := q.edits[edit.Message]; !waits && (q.ids >= mostErasing || e.ids >= mostErasingAll) {
		q.overflown = true
		return
	} else if !waits {
		q.ids++
		e.ids++
	}
	q.edits[edit.Message] = edit
}

// add adds a deletion. If there is no room for its messages, edits make room, and then the
// deletions of other messages. The check of the guild finds them all.
func (e *Erasing) add(scope Scope, d deletion) {
	e.mu.Lock()
	defer e.mu.Unlock()
	q := e.queueLocked(scope)
	e.last++
	d.first = e.last
	if e.fullLocked(q, d) {
		q.overflown = true
		clear(q.edits)
		e.countLocked(q)
	}
	if e.fullLocked(q, d) {
		q.deletions = slices.DeleteFunc(q.deletions, func(d deletion) bool { return len(d.Messages) > 0 })
		e.countLocked(q)
		return
	}
	n := len(q.deletions)
	if n > 0 && q.deletions[n-1].joins(&d) {
		q.deletions[n-1].Messages = slices.Concat(q.deletions[n-1].Messages, d.Messages)
	} else {
		q.deletions = append(q.deletions, d)
	}
	e.countLocked(q)
}

// joins reports whether the messages of another deletion can be erased with these.
func (d *deletion) joins(other *deletion) bool {
	return len(d.Messages) > 0 && len(other.Messages) > 0 && len(d.Messages)+len(other.Messages) <= erasedAtOnce &&
		d.Channel == other.Channel && d.Scope == other.Scope && d.known == other.known
}

// fullLocked reports whether there is no room for the messages of a deletion.
func (e *Erasing) fullLocked(q *erasing, d deletion) bool {
	n := len(d.Messages)
	return n > 0 && (q.ids+n > mostErasing || e.ids+n > mostErasingAll)
}

// countLocked counts the messages in a queue again.
func (e *Erasing) countLocked(q *erasing) {
	n := len(q.edits)
	for i := range q.deletions {
		n += len(q.deletions[i].Messages)
	}
	e.ids += n - q.ids
	q.ids = n
}

// queueOf returns the name of the queue of a scope.
func queueOf(scope Scope) Scope {
	guild, _, _ := strings.Cut(string(scope), ".") // a direct message's has no dot
	return Scope(guild)
}

// queueLocked returns the queue of a scope, in which the caller adds something.
func (e *Erasing) queueLocked(scope Scope) *erasing {
	scope = queueOf(scope)
	q := e.queues[scope]
	if q == nil {
		q = &erasing{edits: make(map[graph.MessageID]Edit), stepped: make(chan struct{})}
		e.queues[scope] = q
	}
	if !q.active {
		q.active = true
		e.ready = append(e.ready, scope)
		e.more.Set()
	}
	return q
}

// Await waits until the deletions are carried out that were added for the guild of a scope
// before, for a few seconds at most and not while the store is away. It reports whether they
// are.
func (e *Erasing) Await(ctx context.Context, scope Scope) bool {
	ctx, cancel := context.WithTimeout(ctx, erasingPatience)
	defer cancel()
	e.mu.Lock()
	defer e.mu.Unlock()
	for upTo := e.last; ; {
		q := e.queues[queueOf(scope)]
		if q == nil || !q.holds(upTo) {
			return true
		}
		if e.away {
			return false
		}
		stepped, tried := q.stepped, e.tried
		e.mu.Unlock()
		select {
		case <-stepped:
		case <-tried: // the store may be away now
		case <-ctx.Done():
		}
		e.mu.Lock()
		if ctx.Err() != nil {
			return false
		}
	}
}

// holds reports whether one of the deletions up to a number is not carried out yet.
func (q *erasing) holds(upTo int) bool {
	return q.running != 0 && q.running <= upTo || len(q.deletions) > 0 && q.deletions[0].first <= upTo
}

// Settle is Await for a caller whom the store has just answered: if the store was away, the
// next attempt is made now.
func (e *Erasing) Settle(ctx context.Context, scope Scope) bool {
	e.mu.Lock()
	q, away, tried := e.queues[queueOf(scope)], e.away, e.tried
	e.mu.Unlock()
	if away && q != nil {
		e.hurry.Set()
		_ = wait.Until(ctx, tried, erasingPatience) // what follows finds out what ended the wait
	}
	return e.Await(ctx, scope)
}

// Close makes Run return once nothing waits. From then on each step is tried only once, so
// that a store that is away cannot keep heddle from stopping. The check after the next start
// finds what is lost.
func (e *Erasing) Close() {
	close(e.closing)
	e.more.Set()
}

// Run carries out what is added until Close was called and nothing waits, or until ctx ends.
func (e *Erasing) Run(ctx context.Context) {
	defer close(e.results)
	var working sync.WaitGroup
	defer working.Wait()
	slots := make(chan struct{}, erasingGuilds)
	for ctx.Err() == nil {
		closing := e.isClosing() // what is added after this is not waited for
		e.mu.Lock()
		idle := len(e.queues) == 0
		var ready []Scope
		ready, e.ready = e.ready, nil
		e.mu.Unlock()
		for _, scope := range ready {
			select {
			case slots <- struct{}{}:
			case <-ctx.Done():
				return
			}
			working.Go(func() {
				defer func() { <-slots }()
				e.step(ctx, scope)
			})
		}
		if closing && idle {
			return
		}
		select {
		case <-e.more:
		case <-ctx.Done():
		}
	}
}

// step is what is carried out at once: a deletion, some edits, or nothing, after which the
// overflow of the queue is told.
type step struct {
	deletion

	edits     map[graph.MessageID]Edit
	overflown bool
}

// next takes the next step out of a queue. Questions wait for deletions, so these come first.
func (q *erasing) next() step {
	s := step{edits: make(map[graph.MessageID]Edit)}
	switch {
	case len(q.deletions) > 0:
		s.deletion, q.deletions = q.deletions[0], q.deletions[1:]
		q.running = s.first
	case len(q.edits) > 0:
		for id, edit := range q.edits {
			if len(s.edits) == erasedAtOnce {
				break
			}
			s.edits[id] = edit
			delete(q.edits, id)
		}
	default:
		s.overflown, q.overflown = q.overflown, false
	}
	return s
}

// step carries out the next step of a queue, and waits if the store is away.
func (e *Erasing) step(ctx context.Context, scope Scope) {
	closing := e.isClosing()
	e.mu.Lock()
	q := e.queues[scope]
	s := q.next()
	e.countLocked(q)
	e.mu.Unlock()

	result, err := e.carryOut(ctx, scope, &s)
	away := errors.Is(err, ErrUnavailable)
	e.mu.Lock()
	e.away = away
	close(e.tried)
	e.tried = make(chan struct{})
	e.mu.Unlock()
	again := away && !closing && ctx.Err() == nil
	switch {
	case again:
		e.rest(ctx)
	case away:
		e.log.ErrorContext(ctx, "the store is away at shutdown, an erasure is left to the next start", "error", err)
	case err != nil && ctx.Err() == nil:
		e.log.ErrorContext(ctx, "the store refused an erasure, which is dropped", "error", err)
	case len(result.Messages)+len(result.Stale) > 0 || result.Overflown:
		select {
		case e.results <- result:
		case <-ctx.Done():
		}
	}

	e.mu.Lock()
	defer e.mu.Unlock()
	if again {
		if s.first != 0 {
			q.deletions = slices.Insert(q.deletions, 0, s.deletion)
		}
		maps.Copy(s.edits, q.edits) // the newer ones
		q.edits = s.edits
	}
	q.running = 0
	e.countLocked(q)
	close(q.stepped)
	q.stepped = make(chan struct{})
	if len(q.deletions)+len(q.edits) > 0 || q.overflown {
		e.ready = append(e.ready, scope)
	} else {
		delete(e.queues, scope)
	}
	e.more.Set()
}

// carryOut carries out a step.
func (e *Erasing) carryOut(ctx context.Context, scope Scope, s *step) (Erased, error) {
	switch {
	case len(s.edits) > 0:
		return Erased{}, e.store.Deletions.Edited(ctx, slices.Collect(maps.Values(s.edits))...)
	case s.first == 0:
		return Erased{Scope: scope, Overflown: s.overflown}, nil
	case len(s.Messages) == 0:
		return Erased{}, e.store.Deletions.Erase(ctx, s.Erasure)
	}
	result := Erased{Scope: s.Scope, Channel: s.Channel}
	var err error
	if !s.known {
		result.Messages = s.Messages
		if result.Answers, err = e.store.Responses.answersTo(ctx, s.Scope, s.Messages); err != nil {
			return Erased{}, err
		}
	}
	result.Stale, err = e.store.Deletions.Forget(ctx, s.Scope, s.Channel, s.Messages)
	return result, err
}

// rest waits for Retry, or until the store works again or is to be tried now.
func (e *Erasing) rest(ctx context.Context) {
	timer := time.NewTimer(Retry)
	defer timer.Stop()
	for {
		e.mu.Lock()
		away, tried := e.away, e.tried
		e.mu.Unlock()
		if !away {
			return
		}
		select {
		case <-tried:
			continue
		case <-ctx.Done():
		case <-e.closing:
		case <-e.hurry:
		case <-timer.C:
		}
		return
	}
}

func (e *Erasing) isClosing() bool {
	select {
	case <-e.closing:
		return true
	default:
		return false
	}
}
