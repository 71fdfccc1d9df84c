package chatlog

import (
	"slices"
	"strings"

	"heddle/graph"
	"heddle/internal/evaluation"
)

func hasReply(m *graph.Message) bool {
	for _, r := range m.References {
		if r.Kind == graph.ReferenceReply {
			return true
		}
	}
	return false
}

// WithoutReply returns a message without its reply.
func WithoutReply(m graph.Message) graph.Message {
	m.References = slices.DeleteFunc(slices.Clone(m.References), func(r graph.Reference) bool { return r.Kind == graph.ReferenceReply })
	return m
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
		Kind: graph.ReferenceReply, Channel: evaluation.LogChannel,
		Message: evaluation.MessageID(to), State: graph.ReferenceResolved,
	}
	return append([]graph.Reference{reply}, references...)
}
