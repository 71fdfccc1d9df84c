package store

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"heddle/graph"
)

// Deletions erases what was derived from deleted messages.
type Deletions struct {
	base    *base
	scopes  *scopes
	ratings *Ratings
}

// Forget erases everything that was derived from deleted messages of a channel: every
// response that was made from one of them, the turns that no other response shares, and
// everything derived from those responses. Of a response only ids remain, under a
// random id. From then on Save refuses a response that was made from a deleted message.
//
// If a message is heddle's own, Forget also erases every response that the messages of
// that answer showed or were sent as, unless another message shows it. None of these
// responses is given again. Messages that were passed to Leave do not count as deleted.
//
// scope is the channel's. Forget also searches the other scopes in which the channel's
// messages were used. If Forget fails or its process ends, some responses may be erased
// already. Run completes the deletion, and so does another call of Forget. Forget
// returns the messages on Discord that need an update because of the deletion.
func (s *Deletions) Forget(ctx context.Context, scope Scope, channel graph.ChannelID, messages []graph.MessageID) (Stale, error) {
	scopes, err := s.scopes.scopesOf(ctx, channel)
	if err != nil {
		return Stale{}, err
	}
	scopes = append(scopes, scope)
	d, err := s.takingDown(ctx, scopes, messages)
	if err != nil {
		return Stale{}, err
	}
	if err := s.forgetIn(ctx, scopes, d); err != nil {
		return Stale{}, err
	}
	return viewer{s.base}.stale(ctx, d)
}

// ForgetChannel is like Forget for all messages of a channel that was deleted or can no
// longer be read. If the channel has a scope of its own, the key of that scope is
// destroyed.
func (s *Deletions) ForgetChannel(ctx context.Context, scope Scope, channel graph.ChannelID) error {
	name := channelName(channel)
	d := deletion{sets: []string{name}, marks: []Op{s.mark(name, s.latest())}}
	if scope.isOf(channel) {
		d.whole = []Scope{scope}
	}
	scopes, err := s.scopes.scopesOf(ctx, channel)
	if err != nil {
		return err
	}
	return s.forgetIn(ctx, append(scopes, scope), d)
}

// ForgetAuthor is like Forget for all messages that a person wrote, in every scope. It
// also removes all ratings that the person gave, and opts the person out.
func (s *Deletions) ForgetAuthor(ctx context.Context, author graph.UserID) error {
	begins := append(optingOut(author), erasingOf(erasingPerson, author).begun())
	if err := s.base.apply(ctx, "begin to erase a person", Change{scopePeople, begins}); err != nil {
		return err
	}
	return s.eraseAuthor(ctx, author)
}

func (s *Deletions) eraseAuthor(ctx context.Context, author graph.UserID) error {
	scopes, err := s.scopes.all(ctx)
	if err != nil {
		return err
	}
	name := authorName(author)
	if err := s.forgetIn(ctx, scopes, deletion{sets: []string{name}, marks: []Op{s.mark(name, s.latest())}}); err != nil {
		return err
	}
	return s.base.ended(ctx, erasingOf(erasingPerson, author))
}

// ForgetGuild erases everything stored for a guild, including channels with a scope of
// their own, and destroys the keys of its scopes.
func (s *Deletions) ForgetGuild(ctx context.Context, guild graph.GuildID) error {
	begins := []Op{erasingOf(erasingGuild, guild).begun()}
	if err := s.base.apply(ctx, "begin to erase a guild", Change{scopePeople, begins}); err != nil {
		return err
	}
	return s.eraseGuild(ctx, guild)
}

// eraseGuild erases what ForgetGuild has announced. Called again after an interruption,
// it erases the rest.
func (s *Deletions) eraseGuild(ctx context.Context, guild graph.GuildID) error {
	scopes, err := s.scopes.all(ctx)
	if err != nil {
		return err
	}
	scopes = slices.DeleteFunc(scopes, func(scope Scope) bool { return !scope.of(guild) })
	scopes = append(scopes, GuildScope(guild))
	d := deletion{sets: []string{responsesName, vectorPrefix, overridesName}, marks: []Op{s.mark(everything, s.latest())}, whole: scopes}
	if err := s.forgetIn(ctx, scopes, d); err != nil {
		return err
	}
	if err := (&Pauses{s.base}).Resume(ctx, guild); err != nil {
		return err
	}
	return s.base.ended(ctx, erasingOf(erasingGuild, guild))
}

// forgetIn carries out a deletion in several scopes. It marks all of them before it
// erases anything, so that Save refuses responses in progress everywhere, and an
// interrupted deletion can be completed.
func (s *Deletions) forgetIn(ctx context.Context, scopes []Scope, d deletion) error {
	if len(d.sets) == 0 {
		return nil
	}
	slices.Sort(scopes)
	scopes = slices.Compact(scopes)
	begin := make([]Change, len(scopes))
	for i, scope := range scopes {
		if err := scope.check(); err != nil {
			return fmt.Errorf("forget: %w", err)
		}
		begin[i] = Change{scope, slices.Concat(d.marks, s.base.toFollow(d.sets...))}
		if slices.Contains(d.whole, scope) {
			begin[i].Ops = append(begin[i].Ops, s.base.toFollow(KeyName)...)
		}
	}
	if err := s.base.apply(ctx, "mark as forgotten", begin...); err != nil {
		return err
	}
	for _, scope := range scopes {
		if err := s.in(scope, d.erased).finish(ctx); err != nil {
			return err
		}
	}
	return nil
}

// in returns the eraser of a scope, which adds what it erases to all.
func (s *Deletions) in(scope Scope, all *erased) eraser {
	return eraser{s.base, s.ratings, scope, all}
}

// deletion describes what to forget in a scope: the sets that lead to the responses,
// and the marks by which Save refuses responses in progress. The keys of scopes that
// are forgotten as a whole are destroyed.
type deletion struct {
	sets   []string
	marks  []Op
	whole  []Scope
	parts  []graph.MessageID // all messages of those answers of heddle's of which one was deleted
	gone   []graph.MessageID // the deleted messages
	erased *erased           // collects what was erased; nil: not needed
}

func (s *Deletions) mark(of string, upTo graph.MessageID) Op {
	return forgotten(of, upTo, s.base.lives.Forgotten)
}

// forgotten returns the step that marks as forgotten what a set leads to, for ids up to
// upTo.
func forgotten[K any](set string, upTo graph.ID[K], ttl time.Duration) Op {
	return Op{Kind: OpRaise, Name: mark(set), Value: digits(upTo), TTL: ttl}
}

// below returns the condition that what a set leads to is not marked as forgotten for
// an id.
func below[K any](set string, id graph.ID[K]) Op {
	return Op{Kind: OpBelow, Name: mark(set), Value: digits(id)}
}

// latest returns an id above that of every existing message. Discord's ids contain the
// time. latest adds a minute, because Discord's time is known only to the second.
func (s *Deletions) latest() graph.MessageID {
	return graph.FirstMessageID(s.base.clock().Add(time.Minute))
}

// unforgotten returns the conditions under which a response may be saved.
func (r *Response) unforgotten() []Op {
	conditions := []Op{below(everything, r.Trigger), below(channelName(r.Channel), r.Trigger)}
	if r.Summary != 0 {
		conditions = append(conditions, below(condensedName(r.Summary), summaryForgotten))
	}
	if r.Reuses != (ResponseID{}) {
		conditions = append(conditions, below(recordName(r.Reuses), barred))
	}
	for _, reply := range r.Replies {
		conditions = append(conditions, below(sourceName(reply.ID), reply.ID))
	}
	for _, source := range r.Sources {
		if source.Message != 0 {
			conditions = append(conditions, below(sourceName(source.Message), source.Message))
		}
		conditions = append(conditions, below(authorName(source.Author), r.Trigger), below(channelName(source.Channel), r.Trigger))
	}
	slices.SortFunc(conditions, func(a, b Op) int { return cmp.Compare(a.Name, b.Name) })
	return slices.CompactFunc(conditions, func(a, b Op) bool { return a.Name == b.Name })
}
