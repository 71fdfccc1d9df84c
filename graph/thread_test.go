package graph_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"heddle/graph"
	"heddle/internal/errtest"
)

// The same messages and question, in a channel, in a thread without a starter and in
// one with, give the same context: a starter is where they stand, not an answer.
func TestAStarterIsAPlace(t *testing.T) {
	for seed := range uint64(100) {
		for _, total := range []int{5, 30, 40} {
			channel := expandIn(t, "channel", dice(seed), total)
			for _, place := range []string{"thread", "thread with starter"} {
				thread := expandIn(t, place, dice(seed), total)
				if want, got := said(channel.Conversation, channel.Background), said(thread.Conversation, thread.Background); !slices.Equal(got, want) {
					t.Fatalf("seed %d, %d messages: a %s gives %v, want %v as a channel does", seed, total, place, got, want)
				}
				full := len(channel.Conversation) == total // then the starter displaces one
				if want, got := said(channel.Conversation), said(thread.Conversation); !full && !slices.Equal(got, want) {
					t.Fatalf("seed %d, %d messages: a %s has the conversation %v, want %v as in a channel", seed, total, place, got, want)
				}
				if place == "thread with starter" && !slices.Contains(ids(thread.Conversation), starterID) {
					t.Fatalf("seed %d, %d messages: the conversation is %v, want the starter in it", seed, total, ids(thread.Conversation))
				}
			}
		}
	}
}

const (
	starterID graph.MessageID = 50
	pointerID graph.MessageID = 100
)

// said returns the ids of the 32 messages among the nodes, in order.
func said(nodes ...[]graph.Node) []graph.MessageID {
	said := slices.DeleteFunc(ids(slices.Concat(nodes...)), func(id graph.MessageID) bool { return id <= pointerID || id > pointerID+32 })
	slices.Sort(said)
	return said
}

// expandIn builds the graph of a question behind 32 messages in such a place.
func expandIn(t *testing.T, place string, affinity graph.Affinity, total int) *graph.Graph {
	t.Helper()
	w := newWorld()
	now := time.Date(2026, 1, 1, 9, 0, 0, 0, time.UTC)
	options := graph.Options{MinLinear: 10, MaxTotal: total, Affinity: affinity}
	starter := graph.Reference{Kind: graph.ReferenceStarter, Channel: 2, Message: starterID}
	if place != "channel" {
		options.Parent = 2
	}
	if place == "thread with starter" {
		for i := range graph.MessageID(5) {
			w.add(graph.Message{ID: starterID - 2 + i, Channel: 2, Author: 1, Time: now, Text: "in the parent channel"})
		}
		w.add(graph.Message{ID: pointerID, Channel: 1, Author: 1, Time: now, Text: "[started]", References: []graph.Reference{starter}})
	}
	for i := range 32 {
		now = now.Add(time.Minute)
		w.add(graph.Message{ID: pointerID + graph.MessageID(i+1), Channel: 1, Author: graph.UserID(i%3 + 1), Time: now, Text: fmt.Sprint("message ", i)})
	}
	trigger := graph.Message{ID: 200, Channel: 1, Author: 1, Time: now.Add(time.Minute), Text: "question"}
	if place == "thread with starter" {
		trigger.References = append(trigger.References, starter)
	}
	w.add(trigger)
	w.fold()
	return errtest.Must(graph.Expand(&source{world: w, order: inOrder}, w.byID[trigger.ID], options))(t)
}
