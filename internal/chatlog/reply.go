package chatlog

import (
	"slices"
	"strings"

	"heddle/graph"
)

// WithoutReply returns a message without its reply.
func WithoutReply(m graph.Message) graph.Message {
	kept := make([]graph.Reference, 0, len(m.References))
	for _, r := range m.References {
		if r.Kind != graph.ReferenceReply {
			kept = append(kept, r)
		}
	}
	m.References = kept
	return m
}

func hasReply(m *graph.Message) bool {
	for _, r := range m.References {
		if r.Kind == graph.ReferenceReply {
			return true
		}
	}
	return false
}

// WithoutAddress returns a message without the address that a reply to a person adds.
func WithoutAddress(m graph.Message, person graph.UserID) graph.Message {
	if !strings.Contains(m.Text, "@") {
		m.References = slices.DeleteFunc(slices.Clone(m.References), func(r graph.Reference) bool {
			return r.Kind == graph.ReferenceAddress && r.User == person
		})
	}
	return m
}

// ReplyOf returns the index of the message that a message is shown to reply to, or -1.
func ReplyOf(m *graph.Message) int {
	for _, r := range m.References {
		if r.Kind == graph.ReferenceReply && r.Message != 0 {
			return Index(r.Message)
		}
	}
	return -1
}

// KeepReply returns only the reply among references.
func KeepReply(references []graph.Reference) []graph.Reference {
	for k, r := range references {
		if r.Kind == graph.ReferenceReply {
			return references[k : k+1 : k+1]
		}
	}
	return nil
}

// WithReply returns references, preceded by a reply to the message at an index.
func WithReply(references []graph.Reference, to int) []graph.Reference {
	reply := graph.Reference{
		Kind: graph.ReferenceReply, Channel: Channel,
		Message: MessageID(to), State: graph.ReferenceResolved,
	}
	return append([]graph.Reference{reply}, references...)
}
