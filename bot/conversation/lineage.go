package conversation

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"

	"heddle/graph"
	"heddle/graph/path"
	"heddle/store"
)

// continuation is the answer that a path continues, or the zero value if it continues
// none.
type continuation struct {
	path.Lineage

	before store.Recalled
}

// join adds to a graph what the answer that it continues was made from, as far as the
// channel's log holds it, and returns that answer. A follow-up is thus answered from the
// same messages as that answer, and its path begins with that answer's.
func (r *Preparer) join(source graph.Source, g *graph.Graph, recalled map[graph.MessageID]store.Recalled) (continuation, error) {
	id, ok := path.Predecessor(g, func(id graph.MessageID) bool { _, ok := recalled[id]; return ok })
	if !ok {
		return continuation{}, nil
	}
	before := recalled[id]
	lineage := continuation{before: before}
	lineage.Cut, lineage.Checkpoint, lineage.Dropped = before.Cut, before.Checkpoint, before.Dropped
	ids := make([]graph.MessageID, 0, len(before.Sources))
	lineage.Positions = make(map[graph.MessageID]int, len(before.Sources))
	for _, step := range before.Sources {
		if step.Position > 0 {
			ids = append(ids, step.Message)
			lineage.Positions[step.Message] = step.Position
		}
	}
	var lookups []graph.Lookup
	for _, missing := range g.JoinHeld(id, ids) {
		channel := before.Sources[slices.IndexFunc(before.Sources, func(s store.SourceRef) bool { return s.Message == missing })].Channel
		if _, held := r.history.Message(channel, missing); held {
			lookups = append(lookups, graph.Lookup{Channel: channel, Message: missing})
		}
	}
	for _, file := range before.Files {
		if _, held := r.history.Message(before.Channel, file.Message); held {
			lineage.Files = append(lineage.Files, artifact(file))
		}
	}
	reading, err := source.Read(graph.Batch{Lookups: lookups})
	if err != nil {
		return lineage, err
	}
	messages := make([]graph.Message, 0, len(reading.Found))
	for i, found := range reading.Found {
		// The source returns another message in place of one that must not be used.
		if found.State == graph.ReferenceResolved && found.Message.Holds(lookups[i].Message) {
			messages = append(messages, found.Message)
		}
	}
	g.Join(id, messages)
	return lineage, nil
}

// extends reports whether a path begins with all of the path that it continues.
func extends(built *path.Built, before *store.Recalled) bool {
	_, whole := built.Extends(before.Root, before.Prompts())
	return whole && before.ID != (store.ResponseID{})
}

// cacheKey returns the key that all paths of a conversation share. It is derived from a
// secret value and reveals neither the people nor the place.
func cacheKey(scope store.Scope, built *path.Built, before *store.Recalled) string {
	if before.CacheKey != "" {
		return before.CacheKey
	}
	sum := sha256.Sum256(append([]byte("heddle/1/cache-key\x00"+string(scope)+"\x00"), built.Hash[:]...))
	return hex.EncodeToString(sum[:12])
}

// made returns the files of a path as records.
func made(files []path.Artifact) []store.Artifact {
	kept := make([]store.Artifact, len(files))
	for i, file := range files {
		kept[i] = store.Artifact{Message: file.Message, Attachment: file.Attachment, Name: file.Name}
	}
	return kept
}

// artifact returns a recorded file as an artifact of a path.
func artifact(file store.Artifact) path.Artifact {
	return path.Artifact{Message: file.Message, Attachment: file.Attachment, Name: file.Name}
}
