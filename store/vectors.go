package store

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"heddle/graph"
)

// Vectors stores embeddings of exchanges: vectors that an embedding model made from
// their texts. A vector is erased when any message that it was made from is deleted.
type Vectors struct{ base *base }

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
	all := []transaction{s.base.lists(scope, []graph.ChannelID{channel})}
	for i := range vectors {
		all = append(all, transaction{scope, func(t *tx) error {
			s.put(t, channel, &vectors[i])
			return nil
		}})
	}
	return s.base.vault.updateAll(ctx, "store what exchanges mean", all...)
}

// put stores one vector, unless it was made from a message that has been deleted.
func (s *Vectors) put(t *tx, channel graph.ChannelID, v *Vector) {
	marks := []condition{below(everything, v.Anchor), below(channelName(channel), v.Anchor)}
	for _, made := range v.Made {
		marks = append(marks, below(sourceName(made.Message), made.Message), below(authorName(made.Author), made.Message))
	}
	if t.forgotten(marks) {
		return
	}
	b := append(make([]byte, 0, len(v.Print)+len(v.Values)), v.Print[:]...)
	for _, x := range v.Values {
		b = append(b, byte(x)) //nolint:gosec // reinterpreted as a byte
	}
	name := vectorName(channel, v.Anchor)
	t.put(name, string(b), s.base.lives.Response)
	for _, set := range v.sets(channel) {
		t.add(set, name, s.base.lives.Response)
	}
}

// Of returns the vectors of a channel's exchanges.
func (s *Vectors) Of(ctx context.Context, scope Scope, channel graph.ChannelID) ([]Vector, error) {
	names, err := s.base.vault.set(ctx, scope, channelName(channel))
	if err != nil {
		return nil, fmt.Errorf("list the vectors of a channel: %w", err)
	}
	names = slices.DeleteFunc(names, func(name string) bool { return !isVector(name) })
	if len(names) == 0 {
		return nil, nil
	}
	values, err := s.base.vault.values(ctx, scope, names...)
	if err != nil {
		return nil, fmt.Errorf("read the vectors of a channel: %w", err)
	}
	vectors := make([]Vector, 0, len(names))
	for i, b := range values {
		if b == nil {
			continue
		}
		if len(b) < len(Vector{}.Print) {
			s.base.reject(ctx, fmt.Errorf("%w: a vector", ErrCorrupt))
			continue
		}
		v := Vector{Anchor: graph.MessageID(idOf(names[i][len(names[i])-idSize:]))}
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
	return s.base.vault.write(ctx, "make room for what exchanges mean", scope, func(t *tx) {
		for _, anchor := range anchors {
			name := vectorName(channel, anchor)
			t.remove(name)
			t.take(vectorPrefix, name)
			t.take(channelName(channel), name)
		}
	})
}
