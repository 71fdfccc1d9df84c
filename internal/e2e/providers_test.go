package e2e_test

import (
	"strings"
	"testing"

	"heddle/bot/phrases"
	"heddle/internal/discordtest"
	"heddle/internal/openaitest"
)

// standIns starts two providers, which are asked in this order if the model fails, and
// takes the model itself away.
func (s *scene) standIns() (second, third *openaitest.Server) {
	s.t.Helper()
	servers := make([]*openaitest.Server, 2)
	for i, name := range []string{"second", "third"} {
		server, err := openaitest.Start(openaitest.Config{})
		if err != nil {
			s.t.Fatal(err)
		}
		s.t.Cleanup(func() { _ = server.Close() })
		s.environ = append(s.environ, "LLM_FALLBACK_"+string(rune('1'+i))+"="+name+"-model "+server.URL()+" sk-"+name)
		servers[i] = server
	}
	if err := s.model.Close(); err != nil {
		s.t.Fatal(err)
	}
	return servers[0], servers[1]
}

// TestTheThirdProviderAnswersIfTwoFail has the first of three providers be away, the second
// refuse to work, and the third answer, which neither calls tools nor sees pictures. The
// person who asked reads the answer, and why the picture was not seen; the log names both
// failures.
func TestTheThirdProviderAnswersIfTwoFail(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		refusal openaitest.Failure
		logged  string
	}{
		"a wrong key":      {openaitest.Failure{Status: 401, Code: "invalid_api_key", Message: "Incorrect API key provided: sk-second."}, `failure="not authorized"`},
		"an unknown model": {openaitest.Failure{Status: 404, Code: "model_not_found", Message: "The model does not exist."}, `failure="model or address not found"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, discordtest.Options{})
			second, third := s.standIns()
			second.Queue(openaitest.Fail(test.refusal), openaitest.Fail(test.refusal))
			third.Queue(
				openaitest.Fail(openaitest.Failure{Status: 400, Message: "This model does not support tools."}),
				openaitest.Fail(openaitest.Failure{Status: 400, Message: "This model does not support image input."}),
				openaitest.Answer("I would have to guess."), openaitest.Answer("Blue, I guess."),
			)
			r := s.start("VISION=on")
			question := s.post(s.bob, discordtest.Draft{Content: s.mention("which colour?"), Attachments: file("a.png", "image/png", picture(t, 8))})
			answer := s.answer(s.channel, question, "I would have to guess.")
			if want := "I would have to guess.\n" + phrases.English(phrases.NoticeUnseen); answer.Content != want {
				t.Errorf("the answer reads %q, want %q", answer.Content, want)
			}
			r.settled(s, question)
			s.tells(s.channel, answer.ID, "What this answer was made from", "-# third-model, ")
			s.answer(s.channel, s.post(s.bob, discordtest.Draft{Content: s.mention("one word?")}), "Blue, I guess.\n"+phrases.English(phrases.NoticeUnseen))
			if sent := string(third.Requests()[3].Body); strings.Contains(sent, `"tools"`) || strings.Contains(sent, "image_url") {
				t.Error("the third provider is sent again what it does not take")
			}
			r.end()
			logs := r.logs.String()
			for _, want := range []string{"model=test-model failure=unreachable next=second-model", "model=second-model " + test.logged + " next=third-model"} {
				if !strings.Contains(logs, want) {
					t.Errorf("the log lacks %q", want)
				}
			}
			if strings.Contains(logs, "sk-") {
				t.Errorf("the log contains a key that begins with %q, want no secret there", "sk-")
			}
			if recorded := s.recorded(question); recorded.Model != "third-model" {
				t.Errorf("the answer is recorded as %s's, want %q", recorded.Model, "third-model")
			}
		})
	}
}

// TestNoProviderAnswers has all three providers fail. The person who asked reads one sentence,
// and /heddle privacy names all three.
func TestNoProviderAnswers(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	second, third := s.standIns()
	for range 4 {
		second.Queue(openaitest.Reply{Status: 401})
		third.Queue(openaitest.Reply{Status: 401})
	}
	s.start()
	s.wholeAnswer(s.post(s.bob, discordtest.Draft{Content: s.mention("anybody?")}), phrases.English(phrases.ModelMisset))
	if got := s.uses(s.channel, "heddle privacy"); !strings.Contains(got, "(model second-model)") || !strings.Contains(got, "(model third-model)") {
		t.Errorf("privacy names not every provider that questions go to: %q, want %q in it and %q in it", got, "(model second-model)", "(model third-model)")
	}
}
