package inspect

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"heddle/graph"
	"heddle/graph/path"
	"heddle/store"
)

// The formats of rows.
const (
	FormatOpenAI = "openai" // OpenAI's supervised fine-tuning
	FormatTRL    = "trl"    // TRL's prompt and completion
	FormatDPO    = "dpo"    // TRL's prompt, chosen and rejected
	FormatRaw    = "raw"    // everything
)

// maker makes the rows of a scope.
type maker func(ctx context.Context, s *store.Store, samples []sample, withheld *Withheld) ([]any, error)

func formats() map[string]maker {
	return map[string]maker{FormatOpenAI: each(openAI), FormatTRL: each(trl), FormatDPO: dpo, FormatRaw: each(raw)}
}

// each makes a row of every sample.
func each(row func(*sample) (any, error)) maker {
	return func(_ context.Context, _ *store.Store, samples []sample, _ *Withheld) ([]any, error) {
		rows := make([]any, len(samples))
		for i := range samples {
			var err error
			if rows[i], err = row(&samples[i]); err != nil {
				return nil, err
			}
		}
		return rows, nil
	}
}

// message is an answer as a message.
type message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
	Weight  *int   `json:"weight,omitempty"` // OpenAI's: 1 to train on it, 0 not to
}

func assistant(text string) message { return message{Role: "assistant", Content: text} }

// openAI is a conversation of which the last answer alone is trained on: the ones
// before it have rows of their own.
func openAI(s *sample) (any, error) {
	messages := make([]any, 0, len(s.messages)+1)
	for _, raw := range s.messages {
		masked, err := change(raw, func(fields map[string]json.RawMessage) error {
			fields["weight"] = json.RawMessage("0")
			return nil
		})
		if err != nil {
			return nil, err
		}
		messages = append(messages, masked)
	}
	answer := assistant(s.Said())
	answer.Weight = new(1)
	return struct {
		Messages []any           `json:"messages"`
		Tools    json.RawMessage `json:"tools,omitempty"`
	}{append(messages, answer), s.tools}, nil
}

// trl is a prompt, which is not trained on, with its completion.
func trl(s *sample) (any, error) {
	prompt, err := s.prompt()
	return struct {
		Prompt     []json.RawMessage `json:"prompt"`
		Completion []message         `json:"completion"`
		Tools      json.RawMessage   `json:"tools,omitempty"`
	}{prompt, []message{assistant(s.Said())}, s.tools}, err
}

// dpo pairs what people chose to see with the other answers to the same request.
func dpo(ctx context.Context, s *store.Store, samples []sample, withheld *Withheld) ([]any, error) {
	chosen, err := choices(ctx, s, samples)
	if err != nil {
		return nil, err
	}
	alternatives := make(map[path.Hash][]*sample) // by request: the same model, path and tail
	for i := range samples {
		alternatives[samples[i].RequestHash] = append(alternatives[samples[i].RequestHash], &samples[i])
	}
	rows := []any{}
	paired := make(map[store.ResponseID]bool)
	for i := range samples {
		preferred := &samples[i]
		if !chosen[preferred.ID] {
			continue
		}
		prompt, err := preferred.prompt()
		if err != nil {
			return nil, err
		}
		for _, other := range alternatives[preferred.RequestHash] {
			if chosen[other.ID] || other.Text == preferred.Text {
				continue
			}
			paired[preferred.ID], paired[other.ID] = true, true
			rows = append(rows, struct {
				Prompt   []json.RawMessage `json:"prompt"`
				Chosen   []message         `json:"chosen"`
				Rejected []message         `json:"rejected"`
				Tools    json.RawMessage   `json:"tools,omitempty"`
			}{prompt, []message{assistant(preferred.Said())}, []message{assistant(other.Said())}, preferred.tools})
		}
	}
	withheld.Unpaired += len(samples) - len(paired)
	return rows, nil
}

// choices are the samples that people chose among alternatives. What an edited
// question shows nobody chose.
func choices(ctx context.Context, s *store.Store, samples []sample) (map[store.ResponseID]bool, error) {
	chosen := make(map[store.ResponseID]bool)
	for i := range samples {
		if samples[i].Generation > 0 {
			continue
		}
		replies := make([]graph.MessageID, len(samples[i].Replies))
		for k, reply := range samples[i].Replies {
			replies[k] = reply.ID
		}
		some, err := s.Chosen(ctx, samples[i].Scope, replies)
		if err != nil {
			return nil, fmt.Errorf("read what was chosen: %w", err)
		}
		for _, id := range some {
			chosen[id] = true
		}
	}
	return chosen, nil
}

// raw is everything that is known of a response.
func raw(s *sample) (any, error) {
	return struct {
		Schema       string            `json:"schema"`
		ID           store.ResponseID  `json:"id"`
		Scope        store.Scope       `json:"scope"`
		PathHash     path.Hash         `json:"path_hash"`
		PromptHashes []path.Hash       `json:"prompt_hashes"`
		RequestHash  path.Hash         `json:"request_hash"`
		ResponseHash path.Hash         `json:"response_hash"`
		Model        string            `json:"model"`
		Options      path.Options      `json:"options"`
		Without      []string          `json:"without"`
		Request      json.RawMessage   `json:"request"`
		Response     message           `json:"response"`
		FinishReason string            `json:"finish_reason"`
		Usage        store.Usage       `json:"usage"`
		Confidence   *store.Confidence `json:"confidence"`
		OnPolicy     string            `json:"on_policy"` // "text": no token ids are kept
		Created      time.Time         `json:"created"`
		Reused       int               `json:"reused"`
		Question     graph.MessageID   `json:"question"`
		Generation   int               `json:"generation"` // of the answers to the question as it was edited
	}{
		"heddle/raw/1", s.ID, s.Scope, s.PathHash, s.Prompts, s.RequestHash, s.ResponseHash, s.Model, s.Options,
		append([]string{}, s.Without...), s.body, assistant(s.Said()), s.FinishReason, s.Usage, s.Confidence,
		"text", s.Created, s.reuses, s.Trigger, s.Generation,
	}, nil
}

// prompt is the request's messages with the arguments of tool calls as objects,
// which is how TRL has them.
func (s *sample) prompt() ([]json.RawMessage, error) {
	prompt := make([]json.RawMessage, len(s.messages))
	for i, raw := range s.messages {
		var err error
		if prompt[i], err = change(raw, openArguments); err != nil {
			return nil, err
		}
	}
	return prompt, nil
}

// change changes the fields of a message of the assistant. Others stay as they are.
func change(raw json.RawMessage, change func(map[string]json.RawMessage) error) (json.RawMessage, error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(raw, &fields); err != nil {
		return nil, fmt.Errorf("read a message: %w", err)
	}
	if string(fields["role"]) != `"assistant"` {
		return raw, nil
	}
	if err := change(fields); err != nil {
		return nil, err
	}
	changed, err := json.Marshal(fields)
	if err != nil {
		return nil, fmt.Errorf("write a message: %w", err)
	}
	return changed, nil
}

// openArguments takes the arguments of tool calls out of their strings, where they
// are JSON.
func openArguments(fields map[string]json.RawMessage) error {
	if fields["tool_calls"] == nil {
		return nil
	}
	var calls []map[string]json.RawMessage
	if err := json.Unmarshal(fields["tool_calls"], &calls); err != nil {
		return fmt.Errorf("read tool calls: %w", err)
	}
	for _, call := range calls {
		var function map[string]json.RawMessage
		var arguments string
		if json.Unmarshal(call["function"], &function) != nil || json.Unmarshal(function["arguments"], &arguments) != nil || !json.Valid([]byte(arguments)) {
			continue
		}
		function["arguments"] = json.RawMessage(arguments)
		changed, err := json.Marshal(function)
		if err != nil {
			return fmt.Errorf("write a tool call: %w", err)
		}
		call["function"] = changed
	}
	changed, err := json.Marshal(calls)
	if err != nil {
		return fmt.Errorf("write tool calls: %w", err)
	}
	fields["tool_calls"] = changed
	return nil
}
