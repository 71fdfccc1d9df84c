package e2e_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"heddle/graph"
	"heddle/internal/discordtest"
	"heddle/internal/openaitest"
)

// TestAThreadIsReadAsAChannelIs says the same 32 messages and asks the same question
// in a channel, in a thread from no message and in a thread from one: the model is
// shown the same of them, and the starter besides.
func TestAThreadIsReadAsAChannelIs(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	s.always(openaitest.Answer("Soon."))
	var asked [3][]string
	var tails [3]string
	now := time.Now()
	for i, create := range []func() graph.ChannelID{
		func() graph.ChannelID {
			return s.discord.World.AddChannel(s.guild, discordtest.ChannelDraft{Name: "loom"})
		},
		func() graph.ChannelID { return s.aside(0) },
		func() graph.ChannelID { return s.aside(s.said(time.Minute, "bob: shall we dye the wool?")[0]) },
	} {
		channel := create()
		if _, err := s.discord.Chat.Backfill(channel, twoTalks(s, now)); err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			s.start("REUSE_TTL=0s", "MAX_TOTAL=40")
		}
		s.answer(channel, s.postIn(channel, s.ann, discordtest.Draft{Content: s.mention("when is the red wool dry?")}), "Soon.")
		asked[i], tails[i] = s.asked(i+1), said(s.tail(i+1))
	}
	starter := "user: [speaker: bob]\nshall we dye the wool?"
	if got := asked[2]; !slices.Contains(got, starter) {
		t.Errorf("the starter is not in %q, want %q among them", got, starter)
	}
	asked[2] = slices.DeleteFunc(asked[2], func(turn string) bool {
		return turn == starter || strings.Contains(turn, "this thread was started")
	})
	for i, place := range []string{"channel", "thread", "thread with starter"} {
		if !slices.Equal(asked[i], asked[0]) || tails[i] != tails[0] {
			t.Errorf("in a %s the model is asked\n%q beside %q\nwant the same as in a channel\n%q beside %q", place, asked[i], tails[i], asked[0], tails[0])
		}
	}
	if !slices.ContainsFunc(asked[0], func(turn string) bool { return strings.Contains(turn, "the red wool hangs") }) {
		t.Errorf("the talk about the wool is not in %q", asked[0])
	}
}

// aside makes a thread that starts from a message, 0 for none.
func (p *people) aside(from graph.MessageID) graph.ChannelID {
	p.t.Helper()
	id, err := p.discord.World.AddThread(p.channel, p.bob, discordtest.ThreadDraft{Name: "aside", Starter: from})
	if err != nil {
		p.t.Fatal(err)
	}
	return id
}

// twoTalks is a talk about lunch and, hours later, one about wool, 32 messages in all.
func twoTalks(s *scene, now time.Time) []discordtest.Draft {
	lunch := []string{"who cooks lunch?", "not me, I cooked monday", "soup is enough for lunch", "which soup", "leek soup", "no leeks left", "potato soup then", "lunch at one"}
	wool := []string{"the red wool is too wet", "how wet is the red wool?", "it drips on the loom", "then hang the wool outside", "outside it rains", "in the barn then", "the barn has no line", "the red wool hangs over the beam"}
	drafts := make([]discordtest.Draft, 32)
	for i := range drafts {
		text, ago := lunch[i%8]+strings.Repeat("!", i/8), 9*time.Hour
		if i >= 20 {
			text, ago = wool[(i-20)%8]+strings.Repeat("!", i/28), time.Hour
		}
		drafts[i] = discordtest.Draft{Author: []graph.UserID{s.ann, s.bob}[i%2], Content: text, At: now.Add(time.Duration(i)*time.Minute - ago)}
	}
	return drafts
}

// said returns what people said of a tail, without heddle's own lines above it.
func said(tail string) string {
	_, said, _ := strings.Cut(tail, "Use it only if the last message above asks about it:\n")
	return said
}

// TestAChainOfRepliesIsInWhole asks at default settings in reply to chains of up to
// MAX_TOTAL messages, among others, and counts what the model is shown of them.
func TestAChainOfRepliesIsInWhole(t *testing.T) {
	t.Parallel()
	for _, length := range []int{12, 25, 28, 30} {
		t.Run(strconv.Itoa(length), func(t *testing.T) {
			t.Parallel()
			s := newScene(t, discordtest.Options{})
			s.model.Queue(openaitest.Answer("All of it."))
			var last graph.MessageID
			for i := range length {
				at := time.Now().Add(time.Duration(i-length-1) * 7 * time.Hour)
				ids, err := s.discord.Chat.Backfill(s.channel, s.chatter(at, last, i))
				if err != nil {
					t.Fatal(err)
				}
				last = ids[0]
			}
			s.start()
			trigger := s.post(s.ann, discordtest.Draft{Content: s.mention("and now?"), ReplyTo: last})
			s.answer(s.channel, trigger, "All of it.")
			asked := strings.Join(s.asked(1), "\n")
			for i := range length {
				if !strings.Contains(asked, fmt.Sprintf("step %d of it", i)) {
					t.Errorf("step %d of a chain of %d is not in %q", i, length, asked)
				}
			}
		})
	}
}

// chatter is a step of a chain that replies to the one before, and then others
// talking about something else.
func (p *people) chatter(at time.Time, before graph.MessageID, step int) []discordtest.Draft {
	drafts := []discordtest.Draft{{Author: p.ann, Content: fmt.Sprintf("step %d of it", step), ReplyTo: before, At: at}}
	for i := range 12 {
		drafts = append(drafts, discordtest.Draft{Author: p.bob, Content: fmt.Sprintf("cup %d of tea", i), At: at.Add(time.Duration(i+1) * time.Minute)})
	}
	return drafts
}
