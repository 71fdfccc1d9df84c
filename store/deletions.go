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
	var gone []graph.MessageID
	var leads []string
	var marks []condition
	for _, message := range messages {
		left, err := s.isLeft(ctx, scopes, message)
		if err != nil {
			return nil, err
		}
		if !left {
			gone = append(gone, message)
			leads = append(leads, sourceName(message), replyName(message))
			marks = append(marks, below(sourceName(message), message))
		}
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

// isLeft reports whether heddle deleted a message itself, because its answer became shorter.
func (s *Deletions) isLeft(ctx context.Context, scopes []Scope, message graph.MessageID) (bool, error) {
	for _, scope := range scopes {
		shown, err := s.base.displayOf(ctx, scope, message)
		if err != nil {
			return false, fmt.Errorf("find what was chosen for messages: %w", err)
		}
		if shown.left(message) {
			return true, nil
		}
	}
	return false, nil
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
	if err := s.base.vault.updateAll(ctx, "mark as forgotten", begin...); err != nil {
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
	err := s.base.vault.write(ctx, "begin to erase a person", scopePeople, func(t *tx) {
		t.optOut(author)
		t.add(erasingName, erasingPerson+idBytes(author), forever)
	})
	if err != nil {
		return err
	}
	return s.eraseAuthor(ctx, author)
}

// eraseAuthor erases what ForgetAuthor has announced. Called again after an interruption,
// it erases the rest.
func (s *Deletions) eraseAuthor(ctx context.Context, author graph.UserID) error {
	scopes, err := s.base.scopes(ctx)
	if err != nil {
		return err
	}
	name := authorName(author)
	if _, err := s.forgetIn(ctx, scopes, []string{name}, below(name, s.latest())); err != nil {
		return err
	}
	return s.ended(ctx, erasingPerson+idBytes(author))
}

// ForgetGuild erases everything stored for a guild, including channels with a scope of
// their own.
func (s *Deletions) ForgetGuild(ctx context.Context, guild graph.GuildID) error {
	err := s.base.vault.write(ctx, "begin to erase a guild", scopePeople, func(t *tx) {
		t.add(erasingName, erasingGuild+idBytes(guild), forever)
	})
	if err != nil {
		return err
	}
	return s.eraseGuild(ctx, guild)
}

// eraseGuild is eraseAuthor for ForgetGuild.
func (s *Deletions) eraseGuild(ctx context.Context, guild graph.GuildID) error {
	scopes, err := s.guildScopes(ctx, guild)
	if err != nil {
		return err
	}
	if _, err := s.forgetIn(ctx, scopes, []string{responsesName}, below(everything, s.latest())); err != nil {
		return err
	}
	if err := (&Overrides{s.base}).forget(ctx, guild); err != nil {
		return err
	}
	return s.ended(ctx, erasingGuild+idBytes(guild))
}

// OfAuthor returns what ForgetAuthor would erase now.
func (s *Deletions) OfAuthor(ctx context.Context, author graph.UserID) (Extent, error) {
	scopes, err := s.base.scopes(ctx)
	if err != nil {
		return Extent{}, err
	}
	return s.extent(ctx, scopes, authorName(author))
}

// OfGuild returns what ForgetGuild would erase now.
func (s *Deletions) OfGuild(ctx context.Context, guild graph.GuildID) (Extent, error) {
	scopes, err := s.guildScopes(ctx, guild)
	if err != nil {
		return Extent{}, err
	}
	return s.extent(ctx, scopes, responsesName)
}

// guildScopes returns the scopes of a guild.
func (s *Deletions) guildScopes(ctx context.Context, guild graph.GuildID) ([]Scope, error) {
	scopes, err := s.base.scopes(ctx)
	if err != nil {
		return nil, err
	}
	scopes = slices.DeleteFunc(scopes, func(scope Scope) bool { return !scope.of(guild) })
	if own := GuildScope(guild); !slices.Contains(scopes, own) {
		scopes = append(scopes, own)
	}
	return scopes, nil
}

// ended removes the record of an erasure, which is complete.
func (s *Deletions) ended(ctx context.Context, erasing string) error {
	return s.base.vault.write(ctx, "note that everything is erased", scopePeople, func(t *tx) { t.take(erasingName, erasing) })
}

// erasures returns the recorded erasures: they were interrupted, or a process is still
// carrying them out.
func (s *Deletions) erasures(ctx context.Context) ([]string, error) {
	begun, err := s.base.vault.set(ctx, scopePeople, erasingName)
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
		switch id := idOf(erasing[1:]); erasing[:1] {
		case erasingGuild:
			err = s.eraseGuild(ctx, graph.GuildID(id))
		case erasingPerson:
			err = s.eraseAuthor(ctx, graph.UserID(id))
		}
		if err != nil {
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
	return s.base.vault.write(ctx, "note an edit", scopeEdited, func(t *tx) { t.add(setName, edit, s.base.lives.Response) })
}

// EraseEdited erases everything derived from versions of messages that were replaced
// longer than Lifetimes.Edited ago. Store.Run calls it.
func (s *Deletions) EraseEdited(ctx context.Context) error {
	edits, err := s.base.vault.set(ctx, scopeEdited, setName)
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
			if err := s.base.vault.write(ctx, "drop an edit", scopeEdited, func(t *tx) { t.take(setName, edit) }); err != nil {
				return err
			}
		}
	}
	return nil
}
