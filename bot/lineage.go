package bot

import (
	"crypto/sha256"
	"encoding/hex"

	"heddle/graph"
	"heddle/graph/path"
	"heddle/store"
)

// continuation is what a path goes on from: the zero continuation from nothing.
type continuation struct {
	path.Lineage

	before store.Recalled // the answer that the path continues
}

// continued joins to a graph what the answer that it continues was made from, as
// far as the channel's log holds it: a follow-up is answered from what its answer was
// answered from, and its path goes on where that one's ended.
func (b *Bot) continued(source graph.Source, g *graph.Graph, recalled map[graph.MessageID]store.Recalled) (continuation, error) {
	id, ok := path.Predecessor(g, func(id graph.MessageID) bool { _, ok := recalled[id]; return ok })
	if !ok {
		return continuation{}, nil
	}
	before := recalled[id]
	lineage := continuation{before: before}
	lineage.Positions = make(map[graph.MessageID]int)
	lineage.Cut, lineage.Checkpoint, lineage.Dropped = before.Cut, before.Checkpoint, before.Dropped
	var lookups []graph.Lookup
	for _, step := range before.Sources() {
		if step.Position == 0 {
			continue
		}
		lineage.Positions[step.Message] = step.Position
		if _, held := b.history.Message(step.Channel, step.Message); held {
			lookups = append(lookups, graph.Lookup{Channel: step.Channel, Message: step.Message})
		}
	}
	for _, file := range before.Files {
		if _, held := b.history.Message(before.Channel, file.Message); held {
			lineage.Files = append(lineage.Files, artifact(file))
		}
	}
	reading, err := source.Read(graph.Batch{Lookups: lookups})
	if err != nil {
		return lineage, err //nolint:wrapcheck // the caller says what it read for
	}
	messages := make([]graph.Message, 0, len(reading.Found))
	for _, found := range reading.Found {
		if found.State == graph.ReferenceResolved {
			messages = append(messages, found.Message)
		}
	}
	g.Join(id, messages)
	return lineage, nil
}

// extends says whether a path begins with all of the one that it continues.
func extends(built *path.Built, before *store.Recalled) bool {
	_, whole := built.Extends(before.Root, before.Prompts())
	return whole && before.ID != (store.ResponseID{})
}

// cacheKey is the same for all paths of a conversation. It is made from what nobody
// else knows and tells neither who talks nor where.
func cacheKey(scope store.Scope, built *path.Built, before *store.Recalled) string {
	if before.CacheKey != "" {
		return before.CacheKey
	}
	sum := sha256.Sum256(append([]byte("heddle/1/cache-key\x00"+string(scope)+"\x00"), built.Hash[:]...))
	return hex.EncodeToString(sum[:12])
}

// shape is how a path is made of a graph: what the operator chose, and what is on
// record of the answers in it.
func (b *Bot) shape(recalled map[graph.MessageID]store.Recalled, lineage path.Lineage) path.Shape {
	answers := make(map[graph.MessageID]path.Answer, len(recalled))
	for id, response := range recalled {
		answers[id] = answerOf(&response)
	}
	return path.Shape{
		System:         b.settings.System,
		Options:        b.settings.Options,
		Budget:         b.settings.Budget,
		Count:          b.settings.Count,
		Retention:      b.settings.Retention,
		ArtifactWindow: b.settings.ArtifactWindow,
		Answers:        answers,
		Lineage:        lineage,
	}
}

// answerOf is what a path wants to know of an answer on record. Its raw
// confidence cannot be compared with a threshold.
func answerOf(response *store.Recalled) path.Answer {
	answer := path.Answer{Trigger: response.Trigger, Finish: response.FinishReason, Turns: response.Transcript, Confidence: response.Confidence}
	for _, file := range response.Artifacts {
		answer.Artifacts = append(answer.Artifacts, artifact(file))
	}
	return answer
}

func artifact(file store.Artifact) path.Artifact {
	return path.Artifact{Message: file.Message, Attachment: file.Attachment, Name: file.Name}
}
