package tools

import (
	"context"
	"fmt"

	"heddle/graph/path"
	"heddle/llm"
)

// NameSubagent names the tool that asks a helper.
const NameSubagent = "ask_subagent"

// subagentPrompt is the system prompt of a helper.
const subagentPrompt = "You do one piece of work for an assistant that answers people. You know nothing of its conversation but what it writes to you. " +
	"Do what it asks, wholly and exactly; ask nothing back. Say so where something cannot be known."

// maxTask bounds the task of a helper, in bytes.
const maxTask = 64 << 10

// Subagent asks the model that makes the answer in a separate conversation, without tools.
type Subagent struct {
	Model   *llm.Client
	Options path.Options
}

// Spec implements Tool.
func (*Subagent) Spec() path.Tool {
	return path.Tool{
		Name: NameSubagent,
		Description: "A fresh helper condenses a text or checks work. It has no tools and sees only the task. " +
			"Do not ask it twice, nor what you can answer.",
		Schema: `{"type":"object","properties":{"task":{"type":"string"}},"required":["task"]}`,
	}
}

// Call implements Tool.
func (s *Subagent) Call(ctx context.Context, call Call) (Result, error) {
	var arguments struct {
		Task string `json:"task"`
	}
	switch err := decode(call.Arguments, &arguments); {
	case err != nil:
		return Result{}, err
	case arguments.Task == "":
		return Result{}, RefusalError("the task is empty.")
	case len(arguments.Task) > maxTask:
		return Result{}, RefusalError(fmt.Sprintf("the task is longer than %d KiB.", maxTask>>10))
	}
	branch := Branch{Path: path.Path{Options: s.Options, Turns: []path.Turn{
		{Role: path.RoleSystem, Parts: []path.Part{path.Text(llm.System(subagentPrompt))}},
		{Role: path.RoleUser, Speaker: "assistant", Parts: []path.Part{path.Text(arguments.Task)}},
	}}}
	answer, err := s.Model.Stream(ctx, llm.Request{Path: branch.Path, Model: call.Model}, nil)
	branch.Answer, branch.Refused = answer, err != nil
	result := Result{Text: answer.Text, Branch: &branch, Usage: answer.Usage}
	if err != nil {
		return result, fmt.Errorf("ask a helper: %w", err)
	}
	if answer.FinishReason == llm.FinishLength {
		result.Text += "\n(The helper's answer reached its length limit here.)"
	}
	return result, nil
}
