package e2e_test

import (
	"regexp"
	"strings"
	"testing"

	"heddle/graph"
	"heddle/internal/discordtest"
	"heddle/internal/openaitest"
)

// unanswered is a situation in which heddle does not answer commands.
type unanswered struct {
	environ func(*scene) []string
	arrange func(*scene)
	uses    map[string]map[string]any // the options, by command
	want    string
}

// refusals returns the situations in which heddle answers no command that everybody is to
// read.
func refusals() map[string]unanswered {
	ask, catchup := map[string]any{"question": "is the loom free?"}, map[string]any{"since": "3d", "public": true}
	both := map[string]map[string]any{"heddle ask": ask, "heddle catchup": catchup}
	return map[string]unanswered{
		"heddle is paused": {
			environ: func(s *scene) []string { return []string{"OPERATORS=" + s.ann.String()} },
			arrange: func(s *scene) {
				s.runs(s.ann, "heddle pause", map[string]any{"what": "pause"}, "nobody in this server")
			},
			uses: both, want: "I am paused for now.",
		},
		"they opted out": {
			arrange: func(s *scene) { s.runs(s.bob, "heddle opt-out", nil, "From now on I don't read") },
			uses:    both, want: "opted out",
		},
		"they may not ask": {
			environ: func(s *scene) []string { return []string{"BLOCK_USERS=" + s.bob.String()} }, uses: both, want: "I may not answer you here.",
		},
		"the limit is reached": {
			environ: func(*scene) []string { return []string{"LIMIT_PERSON=1 requests/day"} },
			arrange: func(s *scene) { s.runs(s.bob, "heddle ask", ask, "Yes.") },
			uses:    map[string]map[string]any{"heddle ask": ask}, want: "as much as one person may",
		},
		"the model fails": {
			arrange: func(s *scene) { s.always(openaitest.Reply{Status: 401}) },
			uses:    map[string]map[string]any{"heddle ask": ask}, want: "My language model refuses to work with me.",
		},
		"Discord fails": {
			arrange: func(s *scene) {
				fails := discordtest.Refused(discordtest.On(discordtest.RouteMessages), 500, 0, "internal")
				fails.Times = -1
				s.discord.Faults.Inject(fails)
			},
			uses: map[string]map[string]any{"heddle catchup": catchup}, want: "Discord didn't let me read the conversation.",
		},
		"the options are wrong": {
			uses: map[string]map[string]any{"heddle catchup": {"since": "soon", "public": true}}, want: "I don't understand that time.",
		},
		"nothing was said": {
			uses: map[string]map[string]any{"heddle catchup": {"since": "1m", "public": true}}, want: "Nothing was said there",
		},
	}
}

// start returns a scene with two talks and a heddle that runs with the settings of the case.
func (of *unanswered) start(t *testing.T) (*scene, *running) {
	t.Helper()
	s := newScene(t, discordtest.Options{})
	if of.environ != nil {
		s.environ = append(s.environ, of.environ(s)...)
	}
	s.twoTalks()
	s.always(openaitest.Answer("Yes."))
	return s, s.start()
}

// TestOnlyWhoAsksReadsARefusal uses every command that can answer for everybody, asked to do
// so, where it cannot be answered. The person alone reads why, and nothing stands in the
// channel.
func TestOnlyWhoAsksReadsARefusal(t *testing.T) {
	t.Parallel()
	for name, of := range refusals() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, _ := of.start(t)
			if of.arrange != nil {
				of.arrange(s)
			}
			for command, options := range of.uses {
				s.onlyReads(s.bob, command, options, of.want)
			}
		})
	}
}

// TestOnlyWhoPressesReadsARefusal has Bob press buttons of what everybody reads, an answer
// and a list of talks, where heddle does not answer him.
func TestOnlyWhoPressesReadsARefusal(t *testing.T) {
	t.Parallel()
	for name, of := range map[string]unanswered{
		"heddle is paused": {
			environ: func(s *scene) []string { return []string{"OPERATORS=" + s.ann.String()} },
			arrange: func(s *scene) {
				s.runs(s.ann, "heddle pause", map[string]any{"what": "pause"}, "nobody in this server")
			},
			want: "I am paused for now.",
		},
		"they opted out": {
			arrange: func(s *scene) { s.runs(s.bob, "heddle opt-out", nil, "From now on I don't read") }, want: "opted out",
		},
		"they may not ask": {
			environ: func(s *scene) []string { return []string{"BLOCK_USERS=" + s.bob.String()} }, want: "I may not answer you here.",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, r := of.start(t)
			question := s.post(s.ann, discordtest.Draft{Content: s.mention("is the loom free?")})
			answer := s.standsLike(s.answer(s.channel, question, "Yes."), regexp.MustCompile("^Yes"), "Why? ↻ ⋯")
			r.settled(s, question)
			in := s.runs(s.ann, "heddle catchup", map[string]any{"since": "3d", "public": true}, "talks**")
			list, _ := s.discord.Chat.Message(s.channel, in.Public[0])
			if of.arrange != nil {
				of.arrange(s)
			}
			before := s.standing()
			for label, m := range map[string]discordtest.Message{"↻": answer, "1": list} {
				press := s.press(s.bob, m, label)
				s.ephemeral(press, of.want)
				if now, _ := s.discord.Chat.Message(s.channel, m.ID); now.Content != m.Content {
					t.Errorf("after a press of %s everybody reads %q, want %q", label, now.Content, m.Content)
				}
			}
			if after := s.standing(); after != before {
				t.Errorf("%d messages of heddle's stand in the channel, want %d", after, before)
			}
		})
	}
}

// onlyReads has somebody use a command, and fails the test unless they alone read an answer
// that contains a text.
func (s *scene) onlyReads(who graph.UserID, command string, options map[string]any, want string) {
	s.t.Helper()
	s.registered()
	before := s.standing()
	id, err := s.discord.Interactions.Invoke(s.channel, who, s.heddle.User, discordtest.Invocation{Command: command, Options: options})
	if err != nil {
		s.t.Fatal(err)
	}
	in, err := s.discord.Interactions.Await(s.ctx, id, func(in discordtest.Interaction) bool {
		return len(in.Public) > 0 || len(in.Private) > 0 && in.Private[0].Content != ""
	})
	if err != nil {
		s.t.Fatalf("%s is not answered: %v", command, err)
	}
	if len(in.Public) > 0 || !strings.Contains(in.Private[0].Content, want) || in.Private[0].Flags&discordtest.FlagEphemeral == 0 {
		s.t.Errorf("after %s everybody reads %v and the person %q, want none and %q in it", command, in.Public, s.firstOf(in), want)
	}
	if after := s.standing(); after != before {
		s.t.Errorf("after %s %d messages of heddle's stand in the channel, want %d", command, after, before)
	}
}

// standing returns the number of heddle's messages in the channel.
func (s *scene) standing() int {
	n := 0
	for _, m := range s.discord.Chat.Messages(s.channel) {
		if m.Author == s.heddle.User {
			n++
		}
	}
	return n
}
