package store

import (
	"context"
	"encoding/binary"
	"fmt"
	"strings"

	"heddle/graph"
)

// Vectors stores embeddings of exchanges: vectors that an embedding model made from
// their texts. A vector is erased when any message that it was made from is deleted.
type Vectors struct {
	base   *base
	scopes *scopes
}

// Vectors returns the part of a store that holds embeddings.
func (s *Store) Vectors() *Vectors { return &Vectors{s.base, &scopes{s.base}} }

// Vector is the embedding of one exchange.
type Vector struct {
	Anchor graph.MessageID // the message that the exchange begins with
	// Print is a fingerprint of the text and the model that the vector was made from.
	Print [16]byte
	// Values is the vector, scaled by a common factor and rounded.
	Values []int8
	// Made lists the messages that the vector was made from. Of does not return it.
	Made []SourceRef
}

// vectorName is the name of the vector of an exchange in a channel.
func vectorName(channel graph.ChannelID, anchor graph.MessageID) string {
	return vectorPrefix + idBytes(channel) + idBytes(anchor)
}

// isVector reports whether a member of a set is the name of a vector.
func isVector(member string) bool {
	return len(member) == len(vectorPrefix)+2*idSize && strings.HasPrefix(member, vectorPrefix)
}

// sets returns the sets in which a vector's name is.
func (v *Vector) sets(channel graph.ChannelID) []string {
	sets := []string{vectorPrefix, channelName(channel)}
	for _, made := range v.Made {
		sets = append(sets, sourceName(made.Message), authorName(made.Author))
	}
	return sets
}

// Put stores vectors of exchanges in a channel. It leaves out vectors that were made
// from a message that has been deleted meanwhile.
func (s *Vectors) Put(ctx context.Context, scope Scope, channel graph.ChannelID, vectors []Vector) error {
	if err := s.scopes.introduce(ctx, &Response{Standing: Standing{Scope: scope, Channel: channel}}); err != nil {
		return err
	}
	changes := make([]Change, 0, len(vectors))
	for i := range vectors {
		v := &vectors[i]
		name := vectorName(channel, v.Anchor)
		ops := []Op{below(everything, v.Anchor), below(channelName(channel), v.Anchor)}
		for _, made := range v.Made {
			ops = append(ops, below(sourceName(made.Message), made.Message), below(authorName(made.Author), made.Message))
		}
		b := append(make([]byte, 0, len(v.Print)+len(v.Values)), v.Print[:]...)
		for _, x := range v.Values {
			b = append(b, byte(x)) //nolint:gosec // reinterpreted as a byte
		}
		ops = append(ops, Op{Kind: OpPut, Name: name, Value: seal(Key{scope, name}, b), TTL: s.base.lives.Response})
		for _, set := range v.sets(channel) {
			ops = append(ops, Op{Kind: OpAdd, Name: set, Value: name, TTL: s.base.lives.Response})
		}
		changes = append(changes, Change{scope, ops})
	}
	return s.base.apply(ctx, "store what exchanges mean", changes...)
}

// Of returns the vectors of a channel's exchanges.
func (s *Vectors) Of(ctx context.Context, scope Scope, channel graph.ChannelID) ([]Vector, error) {
	members, err := s.base.members(ctx, scope, Query{Set: channelName(channel), Names: true})
	if err != nil {
		return nil, fmt.Errorf("list the vectors of a channel: %w", err)
	}
	var keys []Key
	for _, member := range members[0] {
		if isVector(member.Name) {
			keys = append(keys, Key{scope, member.Name})
		}
	}
	if len(keys) == 0 {
		return nil, nil
	}
	values, err := s.base.get(ctx, keys...)
	if err != nil {
		return nil, fmt.Errorf("read the vectors of a channel: %w", err)
	}
	vectors := make([]Vector, 0, len(keys))
	for i, value := range values {
		if value == nil {
			continue
		}
		b, err := unseal(keys[i], value)
		if err != nil || len(b) < len(Vector{}.Print) {
			s.base.reject(ctx, fmt.Errorf("%w: a vector", ErrCorrupt))
			continue
		}
		v := Vector{Anchor: graph.MessageID(binary.BigEndian.Uint64([]byte(keys[i].Name[len(keys[i].Name)-idSize:])))}
		b = b[copy(v.Print[:], b):]
		v.Values = make([]int8, len(b))
		for k, x := range b {
			v.Values[k] = int8(x) //nolint:gosec // as it was written
		}
		vectors = append(vectors, v)
	}
	return vectors, nil
}

// Drop removes vectors of a channel, to make room for others.
func (s *Vectors) Drop(ctx context.Context, scope Scope, channel graph.ChannelID, anchors []graph.MessageID) error {
	changes := make([]Change, len(anchors))
	for i, anchor := range anchors {
		name := vectorName(channel, anchor)
		changes[i] = Change{scope, []Op{
			{Kind: OpDelete, Name: name},
			{Kind: OpRemove, Name: vectorPrefix, Value: name},
			{Kind: OpRemove, Name: channelName(channel), Value: name},
		}}
	}
	return s.base.apply(ctx, "make room for what exchanges mean", changes...)
}

// supersededVector returns the change that erases a vector that was made from an edited message.
func supersededVector(scope Scope, set, name string) Change {
	return Change{scope, []Op{{Kind: OpDelete, Name: name}, {Kind: OpRemove, Name: set, Value: name}}}
}
