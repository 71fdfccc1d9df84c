package llm_test

import (
	"bytes"
	"slices"
	"testing"

	"heddle/graph/path"
	"heddle/internal/openaitest"
	"heddle/llm"
)

func TestWhatCameOfToolsExtendsTheRequestBehindItsTail(t *testing.T) {
	t.Parallel()
	server, client := setup(t, nil)
	server.Queue(openaitest.Answer("one"), openaitest.Answer("two"))
	request := question()
	request.Tail = "Today is Monday."
	mustStream(t, client, request)
	request.Since = []path.Turn{
		{Role: path.RoleAssistant, Parts: []path.Part{path.ToolCall{ID: "c1", Name: "look", Arguments: `{}`}}},
		{Role: path.RoleTool, Parts: []path.Part{path.ToolResult{ID: "c1", Name: "look", Parts: []path.Part{path.Text("nothing")}}}},
	}
	mustStream(t, client, request)

	sent := server.Requests()
	first, _, _ := bytes.Cut(sent[0].Body, []byte(`],"stream"`))
	if !bytes.HasPrefix(sent[1].Body, first) {
		t.Errorf("the second request does not extend the first:\n%s\n%s\nwant %q at its start", sent[0].Body, sent[1].Body, first)
	}
	messages := sent[1].Chat.Messages
	if last := messages[len(messages)-1]; last.Role != "tool" || last.ToolCallID != "c1" || last.Text() != "nothing" {
		t.Errorf("the last message is %+v, want the result", last)
	}
}

func TestAClientTellsWhatItsProviderRejects(t *testing.T) {
	t.Parallel()
	server, client := setup(t, nil)
	server.Queue(openaitest.Reject("tools"), openaitest.Answer("without"))
	if got := client.Rejected(); len(got) != 0 {
		t.Errorf("before any request %q are rejected, want none", got)
	}
	request := question()
	request.Path.Tools = []path.Tool{{Name: "look", Schema: `{"type":"object"}`}}
	mustStream(t, client, request)
	if got := client.Rejected(); !slices.Equal(got, []string{llm.FeatureTools}) {
		t.Errorf("rejected are %q, want tools", got)
	}
}
