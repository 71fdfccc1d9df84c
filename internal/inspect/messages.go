package inspect

import (
	"encoding/json"
	"fmt"
)

// fields holds the fields of a message or of an object in it.
type fields = map[string]json.RawMessage

// prompt returns the messages of the request in TRL's form, in which the arguments of
// tool calls are objects and results have the name of the tool.
func (s *sample) prompt() ([]json.RawMessage, error) {
	prompt := make([]json.RawMessage, len(s.messages))
	tools := make(map[string]json.RawMessage) // names, by the call's id
	for i, raw := range s.messages {
		opened, err := change(raw, roleAssistant, func(f fields) error { return openCalls(f, tools) })
		if err != nil {
			return nil, err
		}
		prompt[i], err = change(opened, roleTool, func(f fields) error {
			if name := tools[string(f["tool_call_id"])]; name != nil {
				f["name"] = name
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return prompt, nil
}

// answered returns the model's answer as a message.
func (s *sample) answered() (json.RawMessage, error) {
	if s.said != nil {
		return s.said, nil
	}
	said, err := json.Marshal(assistant(s.response.Said()))
	if err != nil {
		return nil, fmt.Errorf("write an answer: %w", err)
	}
	return said, nil
}

// weighted returns the model's answer in OpenAI's form, with the weight for training.
func (s *sample) weighted() (json.RawMessage, error) {
	said, err := s.answered()
	if err != nil {
		return nil, err
	}
	return change(said, roleAssistant, func(message fields) error {
		message["weight"] = json.RawMessage("1")
		return nil
	})
}

// completion returns the model's answer in TRL's form.
func (s *sample) completion() (json.RawMessage, error) {
	said, err := s.answered()
	if err != nil {
		return nil, err
	}
	return change(said, roleAssistant, func(message fields) error { return openCalls(message, make(map[string]json.RawMessage)) })
}

const (
	roleAssistant = `"assistant"`
	roleTool      = `"tool"`
)

// change changes the fields of a message if it has this role.
func change(raw json.RawMessage, role string, change func(fields) error) (json.RawMessage, error) {
	var fields fields
	if err := json.Unmarshal(raw, &fields); err != nil {
		return nil, fmt.Errorf("read a message: %w", err)
	}
	if string(fields["role"]) != role {
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

// openCalls replaces the arguments of tool calls, which are strings, by the JSON in
// them. It records the names of the tools by the ids of the calls.
func openCalls(message fields, tools map[string]json.RawMessage) error {
	if message["tool_calls"] == nil {
		return nil
	}
	var calls []fields
	if err := json.Unmarshal(message["tool_calls"], &calls); err != nil {
		return fmt.Errorf("read tool calls: %w", err)
	}
	for _, call := range calls {
		var function fields
		var arguments string
		if json.Unmarshal(call["function"], &function) == nil {
			tools[string(call["id"])] = function["name"]
		}
		if json.Unmarshal(function["arguments"], &arguments) != nil || !json.Valid([]byte(arguments)) {
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
	message["tool_calls"] = changed
	return nil
}
