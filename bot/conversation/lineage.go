package conversation

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"time"

	"heddle/graph"
	"heddle/graph/path"
	"heddle/store"
)

// continuation is the answer that a path continues, or the zero value if it continues
// none.
type continuation struct {
	path.Lineage

	before store.Response
}

// join adds to a graph what the answer that it continues was made from, as far as the
// channel's log holds it, and returns that answer. A reply to it is thus answered from the same
// messages, and its path begins with that answer's. For any other continuation each message has
// the probability that it had for that answer, times that of the continuation.
func (r *Preparer) join(source graph.Source, g *graph.Graph, recalled map[graph.MessageID]store.Response) (continuation, error) {
	id, probability := path.Predecessor(g, func(id graph.MessageID) bool { _, ok := recalled[id]; return ok })
	if probability == 0 {
		return continuation{}, nil
	}
	before := recalled[id]
	lineage := continuation{before: before}
	lineage.Cut, lineage.Checkpoint, lineage.Dropped = before.Cut, before.Checkpoint, before.Dropped
	ids := make([]graph.MessageID, 0, len(before.Sources))
	belongs := make(map[graph.MessageID]float64, len(before.Sources))
	lineage.Positions = make(map[graph.MessageID]int, len(before.Sources))
	for i, step := range before.Sources {
		if step.Position > 0 {
			ids = append(ids, step.Message)
			lineage.Positions[step.Message] = step.Position
			belongs[step.Message] = probability * before.Belonged(i)
		}
	}
	if probability == 1 {
		ids = g.JoinHeld(id, ids)
	}
	var lookups []graph.Lookup
	for _, missing := range ids {
		channel := before.Sources[slices.IndexFunc(before.Sources, func(s store.SourceRef) bool { return s.Message == missing })].Channel
		if _, held := r.deps.History.Message(channel, missing); held {
			lookups = append(lookups, graph.Lookup{Channel: channel, Message: missing})
		}
	}
	for _, file := range before.Files {
		if _, held := r.deps.History.Message(before.Channel, file.Message); held {
			lineage.Files = append(lineage.Files, file)
		}
	}
	reading, err := source(graph.Batch{Lookups: lookups})
	if err != nil {
		return lineage, err
	}
	messages, nodes := make([]graph.Message, 0, len(reading.Found)), make([]graph.Node, 0, len(reading.Found))
	for i, found := range reading.Found {
		// The source returns another message in place of one that must not be used.
		if found.State == graph.ReferenceResolved && found.Message.Holds(lookups[i].Message) {
			messages = append(messages, found.Message)
			nodes = append(nodes, graph.Node{Message: &messages[len(messages)-1], Probability: belongs[lookups[i].Message]})
		}
	}
	if probability == 1 {
		g.Join(id, messages)
	} else {
		g.Carry(id, nodes)
	}
	return lineage, nil
}

// cacheKey returns the key that all paths of a conversation share. It is derived from a
// secret value and reveals neither the people nor the place.
func cacheKey(scope store.Scope, hash path.Hash, before *store.Response) string {
	if before.CacheKey != "" {
		return before.CacheKey
	}
	sum := sha256.Sum256(append([]byte("heddle/1/cache-key\x00"+string(scope)+"\x00"), hash[:]...))
	return hex.EncodeToString(sum[:12])
}

// bind binds the answers of a graph to the versions of messages that they were made
// from, as their records tell.
func bind(g *graph.Graph, records map[graph.MessageID]store.Response) {
	for i := range g.Conversation {
		id := g.Conversation[i].Message.ID
		record, ok := records[id]
		if !ok {
			continue
		}
		g.Bind(id, func(message graph.MessageID) (edited time.Time, known bool) {
			for _, source := range slices.Backward(record.Sources) {
				if source.Message == message && !source.Forwarded {
					return source.Edited, true
				}
			}
			return time.Time{}, false
		})
	}
}

// forPath returns the records of answers for the path. It uses the confidence that can be
// compared with a threshold, not the raw one. Of an answer for which a server's tool was used
// that is not lent to the asker, only the text is left, which everybody has read.
func (r *Preparer) forPath(p *Prepared) map[graph.MessageID]path.Answer {
	records := p.Past.Records()
	answers := make(map[graph.MessageID]path.Answer, len(records))
	for id, record := range records {
		answer := path.Answer{Trigger: record.Trigger, Finish: record.FinishReason, Confidence: record.Confidence.Comparable()}
		if p.offered.lends(p.ids, record.Outside) {
			answer.Turns = record.Transcript
		}
		for _, file := range record.Artifacts {
			answer.Artifacts = append(answer.Artifacts, file.Artifact)
		}
		answers[id] = answer
	}
	return answers
}
