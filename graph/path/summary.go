package path

import (
	"slices"
)

// Summary returns the turn that stands for messages that were left out.
func Summary(text string) Turn {
	return Turn{Role: RoleSummary, Parts: []Part{Text(validText(text))}}
}

// Stretch returns the messages that have just left the path, oldest first, from which
// the summary at this checkpoint is made. Messages that were found late and have no
// position of their own are left out, as they would be found, and leave, again and
// again.
func (b *Built) Stretch() []Left {
	var stretch []Left
	for _, left := range b.Left {
		if left.Why != LeftFulfilled && !left.draft.late {
			stretch = append(stretch, left)
		}
	}
	slices.SortStableFunc(stretch, func(a, b Left) int { return a.Source().Position().Compare(b.Source().Position()) })
	return stretch
}

// Transcript returns the turns of a stretch for a reader without tools, each speaker
// under a name of their own.
func Transcript(stretch []Left, naming Naming) []Turn {
	names := naming.Names()
	var turns []Turn
	for _, left := range stretch {
		name := names.Of(left.Source())
		if left.Turns()[0].Role != RoleUser {
			turns = append(turns, spoken(left.Turns())...)
			continue
		}
		for _, turn := range left.Turns() {
			turn.Speaker = name
			turns = append(turns, turn)
		}
	}
	return turns
}

// Summarise inserts a summary behind the system prompt. It stays there until the next
// checkpoint.
func (b *Built) Summarise(summary Turn) {
	b.Path.Turns = slices.Insert(b.Path.Turns, min(1, len(b.Path.Turns)), summary)
	b.behind = slices.Insert(b.behind, min(1, len(b.behind)), 0)
	b.Rehash()
}

// Extends returns the number of leading turns that the path shares with an earlier one,
// given by its root and prompt hashes, and reports whether those are all turns of the
// earlier one.
func (b *Built) Extends(root Hash, prompts []Hash) (shared int, whole bool) {
	if root != b.digest.root {
		return 0, false
	}
	for shared < min(len(prompts), len(b.digest.prompts)) && b.digest.prompts[shared] == prompts[shared] {
		shared++
	}
	return shared, shared == len(prompts)
}
