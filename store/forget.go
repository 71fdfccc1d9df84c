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

// Forget erases everything that was derived from deleted messages of a channel:
// every response that one of them was a source of, with its turns as far as no
// other response has them too, and in turn what was derived from those responses.
// Of each only its ids stay, under a random id. A response that is being made
// from a deleted message is refused by Save from then on.
//
// scope is the channel's; wherever else its messages were used is looked at too.
// After an error, or the end of the process, some may be erased; forgetting again
// goes on, and so does Run.
func (s *Deletions) Forget(ctx context.Context, scope Scope, channel graph.ChannelID, messages []graph.MessageID) error {
	d := deletion{}
	for _, message := range messages {
		d.sets = append(d.sets, sourceName(message))
		d.marks = append(d.marks, s.mark(sourceName(message), message))
	}
	return s.forgetChannel(ctx, scope, channel, d)
}

// ForgetChannel does as Forget for all messages of a channel that is gone or can
// no longer be read.
func (s *Deletions) ForgetChannel(ctx context.Context, scope Scope, channel graph.ChannelID) error {
	name := channelName(channel)
	d := deletion{sets: []string{name}, marks: []Op{s.mark(name, s.latest())}}
	return s.forgetChannel(ctx, scope, channel, d)
}

// ForgetAuthor does as Forget for all messages that a person wrote, everywhere, and
// takes back all ratings that the person gave. Other processes learn of it by Forgotten.
func (s *Deletions) ForgetAuthor(ctx context.Context, author graph.UserID) error {
	if err := s.announce(ctx, author); err != nil {
		return err
	}
	scopes, err := s.scopes.all(ctx)
	if err != nil {
		return err
	}
	name := authorName(author)
	return s.forgetIn(ctx, scopes, deletion{sets: []string{name}, marks: []Op{s.mark(name, s.latest())}})
}

// ForgetGuild erases all that was stored for a guild, its lone channels included.
func (s *Deletions) ForgetGuild(ctx context.Context, guild graph.GuildID) error {
	scopes, err := s.scopes.all(ctx)
	if err != nil {
		return err
	}
	scopes = slices.DeleteFunc(scopes, func(scope Scope) bool { return !scope.of(guild) })
	d := deletion{sets: []string{responsesName}, marks: []Op{s.mark(everything, s.latest())}}
	return s.forgetIn(ctx, append(scopes, GuildScope(guild)), d)
}

func (s *Deletions) forgetChannel(ctx context.Context, scope Scope, channel graph.ChannelID, d deletion) error {
	scopes, err := s.scopes.scopesOf(ctx, channel)
	if err != nil {
		return err
	}
	return s.forgetIn(ctx, append(scopes, scope), d)
}

// forgetIn begins in all scopes before it erases in the first: what is under way
// anywhere is refused from then on, and what is left where it is broken off is known.
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
		begin[i] = Change{scope, append(slices.Clone(d.marks), s.toFollow(d.sets...)...)}
	}
	if err := s.base.apply(ctx, "mark as forgotten", begin...); err != nil {
		return err
	}
	for _, scope := range scopes {
		if err := s.forgetOne(ctx, scope); err != nil {
			return err
		}
	}
	return nil
}

// deletion is what is to be forgotten in a scope: the sets that lead to the
// responses, and the marks that stop those that are under way.
type deletion struct {
	sets  []string
	marks []Op
}

func (s *Deletions) mark(of string, upTo graph.MessageID) Op {
	return forgotten(of, upTo, s.base.lives.Forgotten)
}

// forgotten returns the step that marks what a set leads to as forgotten, up to an id.
func forgotten[K any](set string, upTo graph.ID[K], ttl time.Duration) Op {
	return Op{Kind: OpRaise, Name: mark(set), Value: digits(upTo), TTL: ttl}
}

// below returns the condition that what a set leads to is not forgotten for an id.
func below[K any](set string, id graph.ID[K]) Op {
	return Op{Kind: OpBelow, Name: mark(set), Value: digits(id)}
}

// latest is an id that no message has yet: Discord's ids hold the time. A minute
// is left for clocks that differ.
func (s *Deletions) latest() graph.MessageID {
	const epoch = 1420070400000
	return graph.MessageID(uint64(s.base.now().Add(time.Minute).UnixMilli()-epoch) << 22) //nolint:gosec // now is after 2015
}

// unforgotten lists the conditions under which a response may be saved.
func (r *Response) unforgotten() []Op {
	conditions := []Op{below(everything, r.Trigger), below(channelName(r.Channel), r.Trigger)}
	if r.Summary != 0 {
		conditions = append(conditions, below(condensedName(r.Summary), r.Summary))
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

// forgetOne follows the sets that deletions have yet to follow in a scope until they
// are empty. Every round removes what it found, so that it ends.
func (s *Deletions) forgetOne(ctx context.Context, scope Scope) error {
	open, err := s.unfollowed(ctx, scope)
	if err != nil {
		return err
	}
	const width, depth = 64, 32 // sets and members in a round
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
		places, err := s.places(ctx, scope, members)
		if err != nil {
			return err
		}
		rest := slices.Clone(open[len(round):])
		var changes []Change
		for i, set := range round {
			for _, member := range members[i] {
				erased, derived := s.erase(ctx, scope, set, member, places[member.Name])
				changes = append(changes, erased...)
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

// erase gives the changes that erase a member of a set with the response it names,
// which was shown in places, and the sets of what was derived from that.
func (s *Deletions) erase(ctx context.Context, scope Scope, set string, member Member, places []graph.MessageID) (changes []Change, derived []string) {
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
	derived = r.derivedFrom()
	marks := s.summaryMarks(scope, &r.Response)
	ops := []Op{{Kind: OpPresent, Name: name}, {Kind: OpDelete, Name: name}}
	for _, index := range r.indexes() {
		ops = append(ops, Op{Kind: OpRemove, Name: index, Value: name})
	}
	ops = append(ops, s.toFollow(derived...)...) // in this step: nothing else leads there any more
	ops = slices.Concat(ops, unrated(name), hidden(name, places), s.bury(ctx, &r.Response))
	return append(marks, Change{scope, append(ops, r.prune()...)}, loose), derived
}

// bury gives the steps that leave a tombstone where a response was: ids under a
// random one, nothing that a text could be guessed from.
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
	if err != nil { // ids, numbers and times that were decoded before
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

// prune gives the steps that take a response out of the tree, and with it every
// node above that nothing else hangs below, and every turn that no node holds.
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
			ops[i].Skip = len(ops) - i - 1 // a node stays, and with it all above
		}
	}
	return ops
}
