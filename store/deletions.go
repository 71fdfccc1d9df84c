package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"heddle/graph"
)

// Deletions erases what was derived from deleted messages, and tells how much that is.
type Deletions struct{ base *base }

// Erasure is what a deletion erases. One field says what was deleted: all messages that a
// person wrote, in every scope, everything that is stored for a guild, all messages of a
// channel, some of them, or a summary. It is stored from before its beginning until its end.
// If its process ends meanwhile, Finish finds it and begins it again.
type Erasure struct {
	Messages []graph.MessageID `json:"messages,omitempty"` // of Channel
	Summary  SummaryID         `json:"summary,omitzero"`
	Person   graph.UserID      `json:"person,omitzero"`
	Guild    graph.GuildID     `json:"guild,omitzero"`
	Channel  graph.ChannelID   `json:"channel,omitzero"`
	Scope    Scope             `json:"scope,omitempty"` // of the channel or the summary

	// If a message was edited and not deleted, Edited is the time of the edit, of which heddle
	// heard at Heard, by Discord's clock.
	Edited time.Time `json:"edited,omitzero"`
	Heard  time.Time `json:"heard,omitzero"`
}

// record returns the stored form of the erasure.
func (e *Erasure) record() string {
	record, _ := json.Marshal(e) // it never fails: these are ids and times
	return string(record)
}

// Forget erases everything that was derived from deleted messages of a channel: every
// response that was made from one of them, the turns that no other response shares, and
// everything derived from those responses. Of a response only ids remain, under a
// random id. From then on Save refuses a response that was made from a deleted message.
//
// If a message is heddle's own, Forget also erases every response that the answer was sent
// as, which is not given again. Messages that were passed to Leave do not count as deleted.
//
// scope is the channel's. Forget also searches the other scopes in which the channel's
// messages were used. If Forget fails or its process ends, some responses may be erased
// already. Run completes the deletion, and so does another call of Forget. Forget
// returns the messages on Discord whose buttons need an update because of the deletion.
func (s *Deletions) Forget(ctx context.Context, scope Scope, channel graph.ChannelID, messages []graph.MessageID) ([]Place, error) {
	return s.forget(ctx, scope, channel, messages)
}

// Withdraw is like Forget for the messages of an answer that its asker deletes. In the same
// step it marks the question as withdrawn, in the lease's version or a newer one that is
// done. It is called before the messages are deleted on Discord: an answer came back if its
// process was killed in between (finding 4.13). The caller keeps the lease. If that has
// ended, Withdraw returns ErrLost and erases nothing.
func (s *Deletions) Withdraw(ctx context.Context, lease Lease, scope Scope, channel graph.ChannelID, messages []graph.MessageID) ([]Place, error) {
	return s.forget(ctx, scope, channel, messages, lease.withdraw())
}

// forget is Forget, which begins with other transactions.
func (s *Deletions) forget(ctx context.Context, scope Scope, channel graph.ChannelID, messages []graph.MessageID, first ...transaction) ([]Place, error) {
	scopes, err := s.base.scopesOf(ctx, channel, scope)
	if err != nil {
		return nil, err
	}
	left := make(map[graph.MessageID]bool) // heddle deleted them itself, because their answer became shorter
	for _, scope := range scopes {
		err := s.base.read(ctx, scope, func(t *tx) {
			for i, chosen := range t.displays(messages) {
				left[messages[i]] = left[messages[i]] || chosen.left(messages[i])
			}
		})
		if err != nil {
			return nil, fmt.Errorf("find what was chosen for messages: %w", err)
		}
	}
	deleted := slices.DeleteFunc(slices.Clone(messages), func(message graph.MessageID) bool { return left[message] })
	if len(deleted) == 0 {
		return nil, s.base.updateAll(ctx, "withdraw an answer", first...)
	}
	gone, err := s.erase(ctx, Erasure{Messages: deleted, Channel: channel, Scope: scope}, first...)
	if err != nil {
		return nil, err
	}
	return s.base.stale(ctx, gone, deleted)
}

// Erase is like Forget for whatever was deleted. With what a person wrote it removes all
// ratings that the person gave, and opts the person out.
func (s *Deletions) Erase(ctx context.Context, e Erasure) error {
	_, err := s.erase(ctx, e)
	return err
}

// erase stores an erasure, after the first transactions and in one step with them, carries it
// out and removes it, and returns what it erased. Before it erases anything it marks all
// scopes, so that Save refuses responses in progress everywhere. Called again after an
// interruption, it erases the rest.
func (s *Deletions) erase(ctx context.Context, e Erasure, first ...transaction) (gone []erased, err error) {
	at, err := s.reach(ctx, &e)
	if err != nil {
		return nil, err
	}
	record := e.record()
	begin := append(slices.Clone(first), transaction{scopePeople, func(t *tx) error {
		if e.Person != 0 && !slices.Contains(t.members(erasingName)[0], record) {
			t.optOut(e.Person) // who then opts in stays in
		}
		t.add(erasingName, record, forever)
		return nil
	}})
	if e.Person != 0 {
		begin = append(begin, nameless(e.Person))
	}
	for _, scope := range at.scopes {
		begin = append(begin, transaction{scope, func(t *tx) error {
			t.forget(forgottenFor, at.marks...)
			return nil
		}})
	}
	if err := s.base.updateAll(ctx, "mark as forgotten", begin...); err != nil {
		return nil, err
	}
	gone, err = s.carryOut(ctx, &e, at)
	if err == nil && e.Guild != 0 {
		err = errors.Join((&Overrides{s.base}).forget(ctx, e.Guild), (&Names{s.base}).forget(ctx, e.Guild))
	}
	if err != nil {
		return gone, err
	}
	return gone, s.end(ctx, record)
}

// carryOut erases what an erasure reaches, and returns it.
func (s *Deletions) carryOut(ctx context.Context, e *Erasure, at reach) (gone []erased, err error) {
	for _, scope := range at.scopes {
		in := eraser{base: s.base, scope: scope, of: e}
		for _, set := range at.sets {
			if err := in.follow(ctx, set); err != nil {
				return gone, err
			}
		}
		gone = append(gone, in.gone...)
		if e.Person != 0 {
			err = s.base.forgetRater(ctx, scope, e.Person)
		}
		if err != nil {
			return gone, err
		}
	}
	return gone, nil
}

// reach is where an erasure has to look.
type reach struct {
	scopes []Scope     // in which there may be something to erase
	sets   []string    // that lead to it there
	marks  []condition // by which what is made from it meanwhile is refused
}

// reach returns where an erasure has to look.
func (s *Deletions) reach(ctx context.Context, e *Erasure) (at reach, err error) {
	latest := graph.FirstMessageID(s.base.clock().Add(time.Minute)) // above all ids, which contain Discord's time, known to the second
	switch {
	case e.Guild != 0:
		at.scopes, err = s.base.scopes(ctx)
		own := GuildScope(e.Guild)
		at.scopes = append(slices.DeleteFunc(at.scopes, func(scope Scope) bool { return scope == own || !scope.of(e.Guild) }), own)
		return reach{at.scopes, []string{responsesName}, []condition{below(everything, latest)}}, err
	case e.Person != 0:
		at.scopes, err = s.base.scopes(ctx)
		at.sets = append(at.sets, authorName(e.Person))
	case e.Summary != 0:
		return reach{[]Scope{e.Scope}, []string{summaryName(e.Summary)}, nil}, nil
	default:
		at.scopes, err = s.base.scopesOf(ctx, e.Channel, e.Scope)
		for _, message := range e.Messages {
			at.sets = append(at.sets, sourceName(message), replyName(message))
			at.marks = append(at.marks, below(sourceName(message), message))
		}
		if len(e.Messages) > 0 {
			return at, err
		}
		at.sets = append(at.sets, channelName(e.Channel))
	}
	at.marks = []condition{below(at.sets[0], latest)}
	return at, err
}

// Finish erases what was derived from versions of messages that were replaced longer than
// Lifetimes.Edited ago, and resumes deletions that were interrupted, for example as their
// process ended. If another process is still carrying out a deletion, both complete it without
// harm. Store.Run calls Finish.
func (s *Deletions) Finish(ctx context.Context) error {
	begun, err := s.base.set(ctx, scopePeople, erasingName)
	if err != nil {
		return fmt.Errorf("look for erasures that have not ended: %w", err)
	}
	for _, record := range begun {
		var e Erasure
		damage := json.Unmarshal([]byte(record), &e)
		switch {
		case damage != nil:
			s.base.reject(ctx, fmt.Errorf("%w: an erasure: %w", ErrCorrupt, damage))
			err = s.end(ctx, record)
		case !e.Edited.IsZero(): // of an earlier heddle, which noted all edits here
			if err = s.Edited(ctx, Edit{e.Channel, e.Messages[0], e.Edited}); err == nil {
				err = s.end(ctx, record)
			}
		default:
			err = s.Erase(ctx, e)
		}
		if err != nil {
			return err
		}
	}
	return s.finishEdits(ctx)
}

// end removes a stored erasure.
func (s *Deletions) end(ctx context.Context, record string) error {
	return s.base.write(ctx, "note that everything is erased", scopePeople, func(t *tx) { t.take(erasingName, record) })
}
