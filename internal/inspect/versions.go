package inspect

import (
	"cmp"
	"slices"
	"time"

	"heddle/graph"
	"heddle/graph/path"
	"heddle/store"
)

// Version is an edge from a path to the older path that it replaced or changed. An
// answer belongs to the older one.
type Version struct {
	Old store.ResponseID `json:"old"`
	New store.ResponseID `json:"new"`
	// Why is "edit" if one answer replaced another after an edit of their question. For
	// a path that continues an answered one, it is what changed: "squeezed" means that
	// a stretch was left out, "rewritten" that a message was edited, "prompt" that the
	// system prompt is another one, "tools" that tools or options are others, and
	// "others" that messages were inserted or removed.
	Why string `json:"why"`
	// From is the number of turns that both paths share.
	From int `json:"from"`
}

// The reasons of versions.
const (
	whyEdit      = "edit"
	whySqueezed  = "squeezed"
	whyRewritten = "rewritten"
	whyPrompt    = "prompt"
	whyTools     = "tools"
	whyOthers    = "others"
)

// versions returns the versions in the tree: first edits, oldest question first, then
// paths that continue others.
func (g *growing) versions() []Version {
	responses := slices.DeleteFunc(slices.Clone(g.responses), func(r store.Response) bool { return r.IsSummary() })
	slices.SortStableFunc(responses, func(a, b store.Response) int {
		return cmp.Or(cmp.Compare(a.Trigger, b.Trigger), cmp.Compare(a.Generation, b.Generation), given(&a).Compare(given(&b)))
	})
	found := []Version{}
	byID := make(map[store.ResponseID]*store.Response)
	first := 0 // generation 0 is the answer to the original question
	for i := range responses {
		byID[responses[i].ID] = &responses[i]
		if i > 0 && responses[i-1].Trigger == responses[i].Trigger && responses[i-1].Generation == responses[i].Generation {
			continue
		}
		older, newer := &responses[first], &responses[i]
		first = i
		if older == newer || older.Trigger != newer.Trigger {
			continue
		}
		if from, broke := g.broke(older, newer); broke {
			found = append(found, Version{Old: older.Original(), New: newer.Original(), Why: whyEdit, From: from})
		}
	}
	for i := range responses {
		newer := &responses[i]
		older := byID[newer.Continues]
		if older == nil || newer.Original() != newer.ID {
			continue
		}
		if from, broke := g.broke(older, newer); broke {
			found = append(found, Version{Old: older.Original(), New: newer.ID, Why: why(older, newer, from), From: from})
		}
	}
	return found
}

// broke returns the number of turns that the paths of two responses share. It reports
// whether the newer path changed something that an answer depends on. Changes after the
// last answer on the older path do not count.
func (g *growing) broke(older, newer *store.Response) (from int, broke bool) {
	from = shared(older.Prompts, newer.Prompts)
	if older.Root != newer.Root {
		from = 0
	}
	if from == len(older.Prompts) {
		return from, false
	}
	turns := append(g.conversation(older), answerTurns(older)...)
	return from, slices.ContainsFunc(turns[from:], func(t path.Turn) bool { return t.Role == path.RoleAssistant })
}

// conversation returns the turns of a response's path.
func (g *growing) conversation(r *store.Response) []path.Turn {
	turns := make([]path.Turn, len(r.Prompts))
	for i, prompt := range r.Prompts {
		turns[i] = g.turns[prompt]
	}
	return turns
}

// answerTurns returns the turn with the response's text, or nil if it has none.
func answerTurns(r *store.Response) []path.Turn {
	switch {
	case len(r.Transcript) > 0:
		return r.Transcript
	case r.Text == "":
		return nil
	default:
		return []path.Turn{{Role: path.RoleAssistant, Parts: []path.Part{path.Text(r.Text)}}}
	}
}

// why returns how the path of a response differs from the one that it continues.
func why(older, newer *store.Response, from int) string {
	switch {
	case older.Root != newer.Root:
		return whyTools
	case from == 0:
		return whyPrompt
	case newer.Checkpoint > older.Checkpoint || newer.Cut > older.Cut:
		return whySqueezed
	case rewritten(older, newer):
		return whyRewritten
	default:
		return whyOthers
	}
}

// rewritten reports whether a message on both paths is there in different versions.
func rewritten(older, newer *store.Response) bool {
	edited := make(map[graph.MessageID]time.Time)
	for _, source := range older.Sources {
		if source.Position > 0 {
			edited[source.Message] = source.Edited
		}
	}
	return slices.ContainsFunc(newer.Sources, func(source store.SourceRef) bool {
		before, there := edited[source.Message]
		return there && source.Position > 0 && !before.Equal(source.Edited)
	})
}

// given returns when a response was given or reused.
func given(r *store.Response) time.Time {
	if !r.Reused.IsZero() {
		return r.Reused
	}
	return r.Created
}

// shared returns the number of equal elements at the beginning of two lists.
func shared[T comparable](a, b []T) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

// keepVersions removes the versions of answers that are not shown.
func (t *Tree) keepVersions() {
	shown := make(map[store.ResponseID]bool)
	for _, n := range t.Nodes {
		for _, a := range n.Answers {
			shown[a.ID] = true
		}
	}
	t.Versions = slices.DeleteFunc(t.Versions, func(v Version) bool { return !shown[v.Old] && !shown[v.New] })
}
