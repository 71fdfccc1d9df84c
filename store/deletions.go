package store

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"slices"
	"time"

	"heddle/graph"
	"heddle/graph/path"
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
		begin[i] = Change{scope, slices.Concat(d.marks, s.toFollow(d.sets...))}
		if slices.Contains(d.whole, scope) {
			begin[i].Ops = append(begin[i].Ops, s.toFollow(KeyName)...)
		}
	}
	if err := s.base.apply(ctx, "mark as forgotten", begin...); err != nil {
		return err
	}
	for _, scope := range scopes {
		if err := s.forgetOne(ctx, scope, d.erased); err != nil {
			return err
		}
	}
	return nil
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

// forgetOne follows the sets of a scope that deletions still have to follow, until none
// is left. At last it destroys the key of the scope, if a deletion asks for that. It
// terminates because every round removes what it found.
func (s *Deletions) forgetOne(ctx context.Context, scope Scope, all *erased) error {
	open, err := s.unfollowed(ctx, scope)
	if err != nil {
		return err
	}
	sets := slices.DeleteFunc(slices.Clone(open), func(set string) bool { return set == KeyName })
	replies := slices.DeleteFunc(slices.Clone(sets), func(set string) bool { return !isReplySet(set) })
	derived, err := s.takeDown(ctx, scope, replies, all)
	if err != nil {
		return err
	}
	rest := slices.DeleteFunc(append(slices.Clone(sets), derived...), isReplySet)
	if err := s.follow(ctx, scope, rest, all); err != nil || len(sets) == len(open) {
		return err
	}
	return s.base.apply(ctx, "destroy the key of a scope", Change{scope, []Op{
		{Kind: OpRemove, Name: followName, Value: KeyName},
		{Kind: OpDelete, Name: KeyName},
	}})
}

// follow erases what the sets of a scope lead to.
func (s *Deletions) follow(ctx context.Context, scope Scope, open []string, all *erased) error {
	const width, depth = 64, 32 // sets in a round, and members of each
	for len(open) > 0 {
		round := open[:min(width, len(open))]
		queries := make([]Query, len(round))
		for i, set := range round {
			queries[i] = Query{Set: set, Limit: depth}
		}
		members, err := s.base.members(ctx, scope, queries...)
		if err != nil {
			return fmt.Errorf("find what is derived from something deleted: %w", err)
		}
		places, err := s.base.places(ctx, scope, members)
		if err != nil {
			return err
		}
		rest := slices.Clone(open[len(round):])
		var changes []Change
		for i, set := range round {
			for _, member := range members[i] {
				changed, derived := s.erase(ctx, scope, set, member, places[member.Name], (*Response).derivedFrom, all)
				changes = append(changes, changed...)
				rest = append(rest, derived...)
			}
			if len(members[i]) > 0 {
				rest = append(rest, set)
				continue
			}
			if err := s.ratings.forgetPerson(ctx, scope, set); err != nil {
				return err
			}
			changes = append(changes, Change{scope, []Op{{Kind: OpRemove, Name: followName, Value: set}}})
		}
		if err := s.base.apply(ctx, "erase what is derived from something deleted", changes...); err != nil {
			return err
		}
		open = rest
	}
	return nil
}

// erase returns the changes that erase the response that a member of a set names. places
// are the messages that show the response, and derived are the sets of what was derived
// from it, as derivedFrom returns them.
func (s *Deletions) erase(
	ctx context.Context, scope Scope, set string, member Member, places []graph.MessageID, derivedFrom func(*Response, []graph.MessageID) []string, all *erased,
) (changes []Change, derived []string) {
	name := member.Name
	loose := Change{scope, slices.Concat(unrated(name), hidden(name, places),
		[]Op{{Kind: OpDelete, Name: name}, {Kind: OpRemove, Name: set, Value: name}})}
	if member.Value == nil {
		return []Change{loose}, nil
	}
	r, err := decodeRecord(Key{scope, name}, member.Value)
	if err != nil {
		s.base.reject(ctx, err)
		return []Change{loose}, nil
	}
	s.base.counters.erased.Add(1)
	all.add(&r.Response, places)
	derived = derivedFrom(&r.Response, places)
	marks := s.summaryMarks(scope, &r.Response)
	ops := []Op{{Kind: OpPresent, Name: name}, {Kind: OpDelete, Name: name}}
	for _, index := range r.indexes() {
		ops = append(ops, Op{Kind: OpRemove, Name: index, Value: name})
	}
	ops = append(ops, s.toFollow(derived...)...) // in the same step, because afterwards nothing else leads to these sets
	ops = slices.Concat(ops, unrated(name), hidden(name, places), s.bury(ctx, &r.Response))
	return append(marks, Change{scope, append(ops, r.prune()...)}, loose), derived
}

// bury returns the steps that leave a tombstone for a response. A tombstone contains
// ids under a random id, and nothing from which a text could be guessed.
func (s *Deletions) bury(ctx context.Context, r *Response) []Op {
	stone := Response{
		Standing: Standing{Scope: r.Scope, Channel: r.Channel, Trigger: r.Trigger, Created: r.Created, Erased: s.base.now().UTC()},
		Input:    Input{Model: r.Model},
		Output:   Output{Usage: r.Usage},
	}
	_, _ = rand.Read(stone.ID[:]) // it never fails
	for _, reply := range r.Replies {
		stone.Replies = append(stone.Replies, Reply{ID: reply.ID})
	}
	record, err := stone.encode()
	if err != nil { // never: these ids, numbers and times were decoded before
		s.base.reject(ctx, err)
		return nil
	}
	ops := []Op{
		{Kind: OpPut, Name: recordName(stone.ID), Value: record, TTL: s.base.lives.Response},
		{Kind: OpAdd, Name: gravesName, Value: recordName(stone.ID), TTL: s.base.lives.Response},
		{Kind: OpAdd, Name: askedName(stone.Trigger), Value: recordName(stone.ID), TTL: s.base.lives.Response},
	}
	for _, reply := range stone.Replies {
		ops = append(ops, Op{Kind: OpAdd, Name: replyName(reply.ID), Value: recordName(stone.ID), TTL: s.base.lives.Response})
	}
	return ops
}

// prune returns the steps that remove a response from the tree, together with every
// node above it that has no other child and every turn that no other node holds.
func (r *record) prune() []Op {
	nodes := r.nodes()
	leaf := len(nodes) - 1
	var ops []Op
	if r.link != "" {
		text := path.Hash([]byte(r.link[1:]))
		ops = append(ops,
			Op{Kind: OpRemove, Name: usersName(text), Value: recordName(r.ID), Skip: 1},
			Op{Kind: OpDelete, Name: r.link})
	}
	ops = append(ops, Op{Kind: OpRemove, Name: nodeName(nodes[leaf]), Value: recordName(r.ID)})
	for i := leaf; i > 0; i-- {
		prompt := r.Prompts[i-1]
		ops = append(ops,
			Op{Kind: OpRemove, Name: usersName(prompt), Value: nodeName(nodes[i]), Skip: 1},
			Op{Kind: OpDelete, Name: turnName(prompt)},
			Op{Kind: OpRemove, Name: nodeName(nodes[i-1]), Value: nodeName(nodes[i])})
	}
	ops = append(ops,
		Op{Kind: OpDelete, Name: toolsName(r.Root)},
		Op{Kind: OpRemove, Name: rootsName, Value: nodeName(r.Root)})
	for i := range ops {
		if ops[i].Kind == OpRemove && ops[i].Skip == 0 {
			ops[i].Skip = len(ops) - i - 1 // if the node stays, so does everything above it
		}
	}
	return ops
}
