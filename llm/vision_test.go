package llm_test

import (
	"testing"

	"heddle/internal/openaitest"
	"heddle/llm"
)

func TestModelsThatSeeAreKnownByName(t *testing.T) {
	for model, want := range map[string]llm.Vision{
		"gpt-4.1-mini": llm.VisionYes, "openai/gpt-4o": llm.VisionYes, "ft:gpt-4o-mini:org": llm.VisionYes,
		"anthropic/claude-sonnet-4": llm.VisionYes, "qwen2.5-vl:7b": llm.VisionYes, "llava": llm.VisionYes,
		"google/gemini-2.5-flash": llm.VisionYes, "gemma3:4b": llm.VisionYes,
		"gpt-3.5-turbo": llm.VisionNo, "o1-mini": llm.VisionNo, "gpt-oss-20b": llm.VisionNo,
		"llama3.1": llm.VisionUnknown, "test-model": llm.VisionUnknown, "": llm.VisionUnknown,
	} {
		if got := llm.VisionOf(model); got != want {
			t.Errorf("VisionOf(%q) is %d, want %d", model, got, want)
		}
	}
}

// TestVisionIsTested tests models that see, models that guess, and models whose servers
// reject pictures.
func TestVisionIsTested(t *testing.T) {
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
		if got, err := client.TestVision(t.Context()); err != nil || got != test.want {
			t.Errorf("%s: %t, %v, want %t and no error", name, got, err, test.want)
		}
		pictures := 0
		for _, part := range server.Requests()[0].Chat.Messages[1].Parts {
			if part.Image != "" {
				pictures++
			}
		}
		if pictures != 3 {
			t.Errorf("%d pictures were shown, want 3", pictures)
		}
	}
	server, client := setup(t, nil)
	server.Queue(openaitest.Reply{Status: 401, Body: `{}`})
	if _, err := client.TestVision(t.Context()); llm.KindOf(err) != llm.Auth {
		t.Errorf("a refused key gives %v, want %v", err, llm.Auth)
	}
}
