package store

import (
	"context"
	"fmt"
	"slices"
	"time"

	"heddle/graph"
)

// Deletions erases what was derived from deleted messages, and tells how much that is.
type Deletions struct{ base *base }

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
	gone := slices.DeleteFunc(slices.Clone(messages), func(message graph.MessageID) bool { return left[message] })
	var leads []string
	var marks []condition
	for _, message := range gone {
		leads = append(leads, sourceName(message), replyName(message))
		marks = append(marks, below(sourceName(message), message))
	}
	erased, err := s.forgetIn(ctx, scopes, leads, marks...)
	if err != nil {
		return nil, err
	}
	return s.base.stale(ctx, erased, gone)
}

// ForgetSummary is like Forget for a summary that somebody deleted: it erases the summary, and
// everything that was made from it.
func (s *Deletions) ForgetSummary(ctx context.Context, scope Scope, summary SummaryID) error {
	_, err := s.forgetIn(ctx, []Scope{scope}, []string{summaryName(summary)})
	return err
}

// forgetIn erases what leads lead to in several scopes, and returns it. It marks all of them
// before it erases anything, so that Save refuses responses in progress everywhere, and an
// interrupted deletion can be completed.
func (s *Deletions) forgetIn(ctx context.Context, scopes []Scope, leads []string, marks ...condition) (gone []erased, err error) {
	var begin []transaction
	for _, scope := range scopes {
		begin = append(begin, transaction{scope, func(t *tx) error {
			t.forget(forgottenFor, marks...)
			for _, lead := range leads {
				t.add(followName, lead, s.base.lives.Response)
			}
			return nil
		}})
	}
	if err := s.base.updateAll(ctx, "mark as forgotten", begin...); err != nil {
		return nil, err
	}
	for _, scope := range scopes {
		e := eraser{base: s.base, scope: scope}
		if err := e.finish(ctx); err != nil {
			return gone, err
		}
		gone = append(gone, e.gone...)
	}
	return gone, nil
}

// latest returns an id above that of every existing message. Discord's ids contain the
// time. latest adds a minute, because Discord's time is known only to the second.
func (s *Deletions) latest() graph.MessageID {
	return graph.FirstMessageID(s.base.clock().Add(time.Minute))
}

// ForgetChannel is like Forget for all messages of a channel that was deleted or can no
// longer be read.
func (s *Deletions) ForgetChannel(ctx context.Context, scope Scope, channel graph.ChannelID) error {
	scopes, err := s.base.scopesOf(ctx, channel, scope)
	if err != nil {
		return err
	}
	name := channelName(channel)
	_, err = s.forgetIn(ctx, scopes, []string{name}, below(name, s.latest()))
	return err
}

// The erasure of a person or a guild is recorded from before its beginning until its
// end. If its process ends before it has marked every scope, Finish finds the record
// and begins the erasure again. A record is a letter and an id.
const (
	erasingPerson = "w"
	erasingGuild  = "g"
)

// ForgetAuthor is like Forget for all messages that a person wrote, in every scope. It
// also removes all ratings that the person gave, and opts the person out.
func (s *Deletions) ForgetAuthor(ctx context.Context, author graph.UserID) error {
	return s.forgetAll(ctx, erasingPerson+idBytes(author))
}

// ForgetGuild erases everything stored for a guild, including channels with a scope of
// their own.
func (s *Deletions) ForgetGuild(ctx context.Context, guild graph.GuildID) error {
	return s.forgetAll(ctx, erasingGuild+idBytes(guild))
}

// forgetAll records an erasure and carries it out.
func (s *Deletions) forgetAll(ctx context.Context, erasing string) error {
	err := s.base.write(ctx, "begin an erasure", scopePeople, func(t *tx) {
		if erasing[:1] == erasingPerson {
			t.optOut(graph.UserID(idOf(erasing[1:])))
		}
		t.add(erasingName, erasing, forever)
	})
	if err != nil {
		return err
	}
	return s.erase(ctx, erasing)
}

// erase carries out a recorded erasure, and removes the record. Called again after an
// interruption, it erases the rest.
func (s *Deletions) erase(ctx context.Context, erasing string) error {
	scopes, set, err := s.reach(ctx, erasing)
	if err != nil {
		return err
	}
	forgotten := set
	if erasing[:1] == erasingGuild {
		forgotten = everything
		if err := (&Overrides{s.base}).forget(ctx, graph.GuildID(idOf(erasing[1:]))); err != nil {
			return err
		}
	}
	if _, err := s.forgetIn(ctx, scopes, []string{set}, below(forgotten, s.latest())); err != nil {
		return err
	}
	return s.base.write(ctx, "note that everything is erased", scopePeople, func(t *tx) { t.take(erasingName, erasing) })
}

// reach returns the scopes of a person or a guild, and the set that leads to everything
// in them that is to be erased.
func (s *Deletions) reach(ctx context.Context, erasing string) (scopes []Scope, set string, err error) {
	scopes, err = s.base.scopes(ctx)
	if erasing[:1] == erasingPerson {
		return scopes, authorName(graph.UserID(idOf(erasing[1:]))), err
	}
	guild := graph.GuildID(idOf(erasing[1:]))
	scopes = slices.DeleteFunc(scopes, func(scope Scope) bool { return !scope.of(guild) })
	if own := GuildScope(guild); !slices.Contains(scopes, own) {
		scopes = append(scopes, own)
	}
	return scopes, responsesName, err
}

// OfAuthor returns what ForgetAuthor would erase now.
func (s *Deletions) OfAuthor(ctx context.Context, author graph.UserID) (Extent, error) {
	return s.extent(ctx, erasingPerson+idBytes(author))
}

// OfGuild returns what ForgetGuild would erase now.
func (s *Deletions) OfGuild(ctx context.Context, guild graph.GuildID) (Extent, error) {
	return s.extent(ctx, erasingGuild+idBytes(guild))
}

// erasures returns the recorded erasures: they were interrupted, or a process is still
// carrying them out.
func (s *Deletions) erasures(ctx context.Context) ([]string, error) {
	begun, err := s.base.set(ctx, scopePeople, erasingName)
	if err != nil {
		return nil, fmt.Errorf("look for erasures that have not ended: %w", err)
	}
	return begun, nil
}

// Finish resumes interrupted deletions, for example of a process that ended. If another
// process is still carrying out a deletion, both complete it without harm. Store.Run
// calls Finish.
func (s *Deletions) Finish(ctx context.Context) error {
	begun, err := s.erasures(ctx)
	if err != nil {
		return err
	}
	for _, erasing := range begun {
		if err := s.erase(ctx, erasing); err != nil {
			return err
		}
	}
	scopes, err := s.base.scopes(ctx)
	if err != nil {
		return err
	}
	for _, scope := range scopes {
		if err := (&eraser{base: s.base, scope: scope}).finish(ctx); err != nil {
			return err
		}
	}
	return nil
}

// stragglers is how long after the lifetime of an older version EraseEdited looks for
// it again. It is longer than an answer takes that was begun before the edit.
const stragglers = 15 * time.Minute

// The form of a recorded edit: when heddle heard of it, the channel, the message, and the
// edit time of the new version, with times in Unix microseconds.
const editForm = "%d %d %d %d"

// Edited records that a message was edited. Once Lifetimes.Edited has passed,
// everything derived from its older versions is erased. Until then a question that is
// edited back gets its old answer again.
func (s *Deletions) Edited(ctx context.Context, channel graph.ChannelID, message graph.MessageID, edited time.Time) error {
	edit := fmt.Sprintf(editForm, s.base.clock().UnixMicro(), uint64(channel), uint64(message), edited.UnixMicro())
	return s.base.write(ctx, "note an edit", scopeEdited, func(t *tx) { t.add(setName, edit, s.base.lives.Response) })
}

// EraseEdited erases everything derived from versions of messages that were replaced
// longer than Lifetimes.Edited ago. Store.Run calls it.
func (s *Deletions) EraseEdited(ctx context.Context) error {
	edits, err := s.base.set(ctx, scopeEdited, setName)
	if err != nil {
		return fmt.Errorf("list what was edited: %w", err)
	}
	for _, edit := range edits {
		var heard, edited int64
		var channel, message uint64
		_, damage := fmt.Sscanf(edit, editForm, &heard, &channel, &message, &edited)
		age := s.base.clock().Sub(time.UnixMicro(heard))
		if damage == nil {
			if age < s.base.lives.Edited {
				continue
			}
			if err := s.supersede(ctx, graph.ChannelID(channel), graph.MessageID(message), time.UnixMicro(edited).UTC()); err != nil {
				return err
			}
		}
		if damage != nil || age >= s.base.lives.Edited+stragglers {
			if err := s.base.write(ctx, "drop an edit", scopeEdited, func(t *tx) { t.take(setName, edit) }); err != nil {
				return err
			}
		}
	}
	return nil
}
