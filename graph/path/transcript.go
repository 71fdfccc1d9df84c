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
		results := resultsAfter(turns[i+1:])
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

// spoken returns the turns of an answer for a model without tools, which contain only
// the text.
func spoken(turns []Turn) []Turn {
	return transcript(slices.DeleteFunc(slices.Clone(turns), func(turn Turn) bool { return turn.Role == RoleTool }))
}

// resultsAfter returns the turns of tools at the beginning of turns.
func resultsAfter(turns []Turn) []Turn {
	n := 0
	for n < len(turns) && turns[n].Role == RoleTool {
		n++
	}
	return turns[:n]
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
