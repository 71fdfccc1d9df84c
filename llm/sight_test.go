package llm_test

import (
	"testing"

	"heddle/internal/openaitest"
	"heddle/llm"
)

func TestModelsThatSeeAreKnownByName(t *testing.T) {
	t.Parallel()
	for model, want := range map[string]llm.Sight{
		"gpt-4.1-mini": llm.SightYes, "openai/gpt-4o": llm.SightYes, "ft:gpt-4o-mini:org": llm.SightYes,
		"anthropic/claude-sonnet-4": llm.SightYes, "qwen2.5-vl:7b": llm.SightYes, "llava": llm.SightYes,
		"google/gemini-2.5-flash": llm.SightYes, "gemma3:4b": llm.SightYes,
		"gpt-3.5-turbo": llm.SightNo, "o1-mini": llm.SightNo, "gpt-oss-20b": llm.SightNo,
		"llama3.1": llm.SightUnknown, "test-model": llm.SightUnknown, "": llm.SightUnknown,
	} {
		if got := llm.SightOf(model); got != want {
			t.Errorf("SightOf(%q) is %d, want %d", model, got, want)
		}
	}
}

// TestSightIsTested has models that see, that make it up, and whose servers reject
// pictures.
func TestSightIsTested(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		replies []openaitest.Reply
		want    bool
	}{
		"it sees":            {[]openaitest.Reply{openaitest.Answer("Yellow, black, green.")}, true},
		"it sees and thinks": {[]openaitest.Reply{openaitest.Answer("<think>red?</think>yellow\nblack\ngreen")}, true},
		"it guesses":         {[]openaitest.Reply{openaitest.Answer("Red, green, blue.")}, false},
		"it says so":         {[]openaitest.Reply{openaitest.Answer("none")}, false},
		"its server rejects pictures": {[]openaitest.Reply{
			openaitest.Fail(openaitest.Failure{Status: 400, Message: "This model does not support image input."}), openaitest.Answer("yellow, black, green"),
		}, false},
	} {
		server, client := setup(t, nil)
		server.Queue(test.replies...)
		if got, err := client.TestSight(t.Context()); err != nil || got != test.want {
			t.Errorf("%s: %t, %v", name, got, err)
		}
		pictures := 0
		for _, part := range server.Requests()[0].Chat.Messages[1].Parts {
			if part.Image != "" {
				pictures++
			}
		}
		if pictures != 3 {
			t.Errorf("%d pictures were shown", pictures)
		}
	}
	server, client := setup(t, nil)
	server.Queue(openaitest.Reply{Status: 401, Body: `{}`})
	if _, err := client.TestSight(t.Context()); llm.KindOf(err) != llm.Auth {
		t.Errorf("a failure is %v", err)
	}
}
