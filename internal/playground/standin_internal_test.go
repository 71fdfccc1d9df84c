package playground

import (
	"fmt"
	"strings"
	"testing"

	"heddle/internal/openaitest"
)

func user(text string) openaitest.Message {
	return openaitest.Message{Role: "user", Parts: []openaitest.Part{{Text: text}}}
}

func TestTheStandInSaysWhatItWasGiven(t *testing.T) {
	long := make([]openaitest.Message, 0, 31)
	for i := range 300 {
		long = append(long, user(fmt.Sprintf("[speaker: Somebody with a rather long name]\nmessage %d%s", i, strings.Repeat(" many words", 200))))
	}
	for _, c := range []struct {
		name     string
		messages []openaitest.Message
		want     []string
	}{
		{"nothing", nil, []string{"**Hi, I'm a demo.**", "That was nothing."}},
		{
			"a question alone",
			[]openaitest.Message{{Role: "system", Parts: []openaitest.Part{{Text: "be kind"}}}, user("[speaker: Bo]\nhello?")},
			[]string{"out of the blue", "Then **Bo** asked: hello?"},
		},
		{"a conversation with background", []openaitest.Message{
			user("[speaker: Ada]\nthe proxy is broken"),
			{Role: "assistant", Parts: []openaitest.Part{{Text: "it is"}}},
			user("[heddle: added, not said by anyone]\nToday is Monday.\n[speaker: Cleo]\npizza?\n[speaker: Dev]\nyes"),
			user("[speaker: Bo]\nwhy?"),
		}, []string{"2 earlier messages belong", "> **Ada** the proxy is broken\n> **heddle** it is\n", "Then **Bo** asked: why?", "Of other talks it would get 2 messages as background"}},
		{
			"talks to describe",
			[]openaitest.Message{user("[speaker: talk 1]\nAda: is it \"broken\"?\nBo: yes\n"), user("[speaker: talk 2]\nCleo: pizza?\n")},
			[]string{`{"about":"It ends with “Bo: yes”. A real model sums it up here.","talk":1,"title":"is it \"broken\"?"}` + "\n", `"talk":2,"title":"pizza?"}`},
		},
		{
			"a talk to tell",
			[]openaitest.Message{user("[speaker: talk]\nAda: is it broken?\nBo: yes\n"), user("[speaker: whoever asks]\nis it?")},
			[]string{"I'm a demo", "> **Ada** is it broken?\n> **Bo** yes"},
		},
		{
			"a long conversation", append(long, user("[speaker: Bo]\nand?")),
			[]string{"300 earlier messages", "message 0 many", " more …\n> **Somebody with a rather long name** message ", "message 299 many"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := reply(readPrompt(c.messages))
			if len(got) > 2000 {
				t.Errorf("the report has %d characters, want at most 2000", len(got))
			}
			for _, want := range c.want {
				if !strings.Contains(got, want) {
					t.Errorf("%q is missing, want it in\n%s", want, got)
				}
			}
		})
	}
}
