package llm

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/sashabaranov/go-openai"
)

// Beside is what a model sent beside its calls and may want back with them, such as Gemini's
// thought signatures (openclaude#67) or DeepSeek's reasoning (9router#773). It is returned
// only to that model of that provider, and only while the answer is being made. Nobody reads
// it, and it is never stored.
type Beside struct {
	owner   *Client
	message fields
	calls   []besideCall
}

// besideCall is what came with one call, and within its function.
type besideCall struct{ call, function fields }

// beside collects the pieces of unknown fields.
type beside map[string][]json.RawMessage

// add adds the fields of a piece of a message or a call.
func (b *beside) add(piece fields) {
	for name, value := range piece {
		switch name {
		case "role", "content", "refusal", "tool_calls", "function_call", "index", "id", "type", "function", "name", "arguments":
			continue
		}
		if !given(value) {
			continue
		}
		if *b == nil {
			*b = beside{}
		}
		(*b)[name] = append((*b)[name], value)
	}
}

// whole returns the fields, put together.
func (b *beside) whole() fields {
	whole := fields{}
	for name, pieces := range *b {
		whole[name] = fold(name, pieces)
	}
	return whole
}

// ofThought returns the fields of a message that belong to what the model thought. Others,
// such as citations, are not its own words, and providers refuse some of them.
func ofThought(all fields) fields {
	maps.DeleteFunc(all, func(name string, _ json.RawMessage) bool {
		return !containsAny(strings.ToLower(name), "reason", "think", "thought", "signature", "extra_content", "provider", "encrypted", "opaque")
	})
	return all
}

// kept returns what came with the calls.
func (a *assembly) kept() *Beside {
	if len(a.calls) == 0 {
		return nil
	}
	kept, some := &Beside{owner: a.owner, message: ofThought(a.beside.whole())}, false
	for _, c := range a.calls {
		one := besideCall{c.beside.whole(), c.function.whole()}
		kept.calls, some = append(kept.calls, one), some || len(one.call)+len(one.function) > 0
	}
	if !some && len(kept.message) == 0 {
		return nil
	}
	return kept
}

// fold returns the value of which a stream sent pieces: one object, one list, or one text if
// the field holds a text. Of other values the last one counts.
func fold(name string, pieces []json.RawMessage) json.RawMessage {
	last := pieces[len(pieces)-1]
	if len(pieces) == 1 {
		return last
	}
	var folded any = last
	switch last[0] {
	case '{':
		folded = foldObjects(pieces)
	case '[':
		folded = foldLists(pieces)
	case '"':
		if !containsAny(name, "text", "reason", "think", "thought", "summary") || containsAny(name, "signature", "encrypted", "opaque") {
			return last
		}
		var b strings.Builder
		for _, piece := range pieces {
			b.WriteString(scalar(piece))
		}
		folded = b.String()
	}
	encoded, err := json.Marshal(folded)
	if err != nil {
		return last
	}
	return encoded
}

func foldObjects(pieces []json.RawMessage) fields {
	var all beside
	for _, piece := range pieces {
		var object fields
		lenient(piece, &object)
		for name, value := range object {
			if all == nil {
				all = beside{}
			}
			all[name] = append(all[name], value)
		}
	}
	return all.whole()
}

// foldLists returns one list. Neighbours with the same index and type are pieces of one
// element, as in OpenRouter's reasoning_details.
func foldLists(pieces []json.RawMessage) []json.RawMessage {
	var whole, group []json.RawMessage
	var before string
	end := func() {
		if len(group) > 0 {
			whole = append(whole, fold("", group))
		}
		group = nil
	}
	for _, piece := range pieces {
		var elements []json.RawMessage
		lenient(piece, &elements)
		for _, element := range elements {
			var place struct {
				Index *number `json:"index"`
				Type  text    `json:"type"`
			}
			lenient(element, &place)
			key := ""
			if place.Index != nil {
				key = fmt.Sprint(*place.Index, place.Type)
			}
			if key == "" || key != before {
				end()
			}
			group, before = append(group, element), key
		}
	}
	end()
	return whole
}

// returned returns the body of a request with what its model sent beside earlier calls of this
// answer. DeepSeek V4 wants some reasoning in every turn of its own (opencode#24190); that of
// earlier answers is not kept, and an empty text will do.
func (c *Client) returned(body []byte, chat *chatRequest, since []*Beside, made *sent) ([]byte, error) {
	isOwn := func(b *Beside) bool { return b != nil && b.owner == c }
	isAssistant := func(m openai.ChatCompletionMessage) bool { return m.Role == openai.ChatMessageRoleAssistant }
	returns := slices.ContainsFunc(since, isOwn) && made.wants(featureBeside)
	empty := slices.ContainsFunc(chat.Messages, isAssistant) && !made.wants(featureUnreasoned)
	if !returns && !empty {
		return body, nil
	}
	messages := make([]any, len(chat.Messages))
	for i := len(messages) - 1; i >= 0; i-- {
		m := &chat.Messages[i]
		messages[i] = m
		if !isAssistant(*m) {
			continue
		}
		whole := object(m)
		if empty {
			whole["reasoning_content"] = json.RawMessage(`""`)
		}
		if len(m.ToolCalls) > 0 && len(since) > 0 {
			if last := since[len(since)-1]; returns && isOwn(last) {
				last.addTo(whole, m.ToolCalls)
			}
			since = since[:len(since)-1]
		}
		messages[i] = whole
	}
	all := object(chat)
	all["messages"], _ = json.Marshal(messages) // they are part of body
	return json.Marshal(all)                    //nolint:wrapcheck // it never fails: body is made of the same
}

// addTo adds the fields to a message with the calls.
func (b *Beside) addTo(message fields, made []openai.ToolCall) {
	maps.Copy(message, b.message)
	calls := make([]fields, len(made))
	for i := range calls {
		calls[i] = object(&made[i])
		if i >= len(b.calls) {
			continue
		}
		maps.Copy(calls[i], b.calls[i].call)
		function := object(&made[i].Function)
		maps.Copy(function, b.calls[i].function)
		calls[i]["function"], _ = json.Marshal(function)
	}
	message["tool_calls"], _ = json.Marshal(calls)
}

// object returns the fields with which a value is encoded.
func object(value any) fields {
	var all fields
	encoded, _ := json.Marshal(value)
	lenient(encoded, &all)
	return all
}
