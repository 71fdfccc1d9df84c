package path

import "slices"

// transcript returns the turns of an answer in which every tool call has a result and
// every result follows its call. Providers refuse anything else.
func transcript(turns []Turn) []Turn {
	whole := make([]Turn, 0, len(turns))
	for i := 0; i < len(turns); i++ {
		turn := turns[i]
		if turn.Role != RoleAssistant {
			continue // a result without a call before it
		}
		results := turns[i+1:]
		if end := slices.IndexFunc(results, func(t Turn) bool { return t.Role != RoleTool }); end >= 0 {
			results = results[:end]
		}
		i += len(results)
		pairs := paired(turn, results)
		turn.Parts = slices.DeleteFunc(validParts(turn.Parts), func(part Part) bool {
			call, ok := part.(ToolCall)
			_, result := part.(ToolResult)
			return result || ok && pairs[call.ID] == nil
		})
		if len(turn.Parts) == 0 {
			continue
		}
		whole = append(whole, turn)
		for _, part := range turn.Parts {
			if call, ok := part.(ToolCall); ok {
				result := *pairs[call.ID]
				result.Parts = validParts(result.Parts)
				whole = append(whole, Turn{Role: RoleTool, Parts: []Part{result}})
			}
		}
	}
	return whole
}

// Transcript returns the turns of a stretch for a reader without tools, each speaker
// under a name of their own.
func Transcript(stretch []Left, naming Naming) []Turn {
	names := naming.Names()
	var turns []Turn
	for _, left := range stretch {
		name := names.Of(left.Message)
		if left.turns[0].Role != RoleUser {
			turns = append(turns, spoken(left.turns)...)
			continue
		}
		for _, turn := range left.turns {
			turn.Speaker = name
			turns = append(turns, turn)
		}
	}
	return turns
}

// spoken returns the text of an answer as turns, for a model without tools.
func spoken(turns []Turn) []Turn {
	return transcript(slices.DeleteFunc(slices.Clone(turns), func(turn Turn) bool { return turn.Role == RoleTool }))
}

// paired returns the result of each call of a turn, by the id of the call. Calls with
// the same id have none.
func paired(turn Turn, results []Turn) map[string]*ToolResult {
	calls := map[string]int{}
	for _, part := range turn.Parts {
		if call, ok := part.(ToolCall); ok {
			calls[call.ID]++
		}
	}
	pairs := map[string]*ToolResult{}
	for _, result := range results {
		for _, part := range result.Parts {
			if r, ok := part.(ToolResult); ok && calls[r.ID] == 1 && pairs[r.ID] == nil {
				pairs[r.ID] = &r
			}
		}
	}
	return pairs
}

// validParts returns a copy of parts with valid UTF-8 in all texts, and without empty
// texts.
func validParts(parts []Part) []Part {
	valid := make([]Part, 0, len(parts))
	for _, part := range parts {
		if text, ok := part.(Text); ok {
			if text == "" {
				continue
			}
			part = Text(validText(string(text)))
		}
		valid = append(valid, part)
	}
	return valid
}

// Summary returns a turn in place of messages that were left out.
func Summary(text string) Turn {
	return Turn{Role: RoleSummary, Parts: []Part{Text(validText(text))}}
}

// Task returns a turn in which heddle itself asks the model for something.
func Task(text string) Turn {
	return Turn{Role: RoleTask, Parts: []Part{Text(validText(text))}}
}

// Stretch returns the messages that have just left the path, oldest first: the sources of
// the summary at this checkpoint. Messages without a position of their own are left out,
// as they would be found, and leave, again and again.
func (b *Built) Stretch() []Left {
	var stretch []Left
	for _, left := range b.Left {
		if left.Why != LeftFulfilled && !left.late {
			stretch = append(stretch, left)
		}
	}
	slices.SortStableFunc(stretch, func(a, b Left) int { return a.Message.Position().Compare(b.Message.Position()) })
	return stretch
}

// Summarise inserts a summary behind the system prompt. It stays there until the next
// checkpoint.
func (b *Built) Summarise(summary Turn) {
	b.Path.Turns = slices.Insert(b.Path.Turns, min(1, len(b.Path.Turns)), summary)
	b.TurnMessages = slices.Insert(b.TurnMessages, min(1, len(b.TurnMessages)), 0)
}
