package e2e_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"heddle/graph"
	"heddle/internal/discordtest"
	"heddle/internal/openaitest"
)

// forwardedFrom returns a message of Bob's in the scene's channel, from before heddle starts, and
// another channel with Ann's forward of it.
func forwardedFrom(s *scene) (said graph.MessageID, elsewhere graph.ChannelID, forward graph.MessageID) {
	s.t.Helper()
	long := time.Now().Add(-48 * time.Hour) // so that it is not caught up
	said = s.post(s.bob, discordtest.Draft{Content: "the password is " + canary, At: long})
	elsewhere = s.discord.World.AddChannel(s.guild, discordtest.ChannelDraft{Name: "elsewhere"})
	forward = s.postIn(elsewhere, s.ann, discordtest.Draft{Forward: said, ForwardFrom: s.channel, At: time.Now().Add(-20 * time.Minute)})
	return said, elsewhere, forward
}

// lookUps returns how often a message was asked for by itself.
func (s *scene) lookUps(message graph.MessageID) int {
	return len(s.discord.Record.Requests(ofMessage(message)))
}

// ofMessage matches requests for one message.
func ofMessage(message graph.MessageID) func(discordtest.Request) bool {
	return func(r discordtest.Request) bool { return strings.HasSuffix(r.Path, "/messages/"+message.String()) }
}

// TestAForwardGoesWithItsOriginal has Ann forward what Bob wrote, heddle answer from it, and Bob
// take it back. Nothing uses the forward or that answer any more, also after a restart. The
// original was looked up once.
func TestAForwardGoesWithItsOriginal(t *testing.T) {
	inScenes(t, takingBack(), func(s *scene, takeBack func(*scene, graph.MessageID)) {
		s.repeats()
		said, in, forward := forwardedFrom(s)
		r := s.start()
		told := r.answer(s, in, s.askIn(in, s.ann, "what is it?"), "It is "+canary)
		r.answer(s, in, s.askIn(in, s.ann, "what was it?"), "It is "+canary)
		s.same("requests for the original", s.lookUps(said), 1)
		takeBack(s, said)
		asked := len(s.model.Requests())
		below := func(message graph.MessageID, question string) {
			s.t.Helper()
			s.answer(in, s.postIn(in, s.ann, discordtest.Draft{Content: s.mention(question), ReplyTo: message}), "I don't know.")
		}
		below(forward, "what of this?")
		below(told.ID, "what of that?")
		below(0, "what now?")
		s.postIn(in, s.ann, discordtest.Draft{Forward: forward, ForwardFrom: in})
		below(0, "and the forward of it?")
		s.model.Queue(call("search_channel", `{"words":"password"}`), openaitest.Answer("I don't know."))
		below(0, "look it up, please")
		r.end()
		s.start()
		below(0, "what after the restart?")
		for _, request := range s.model.Requests()[asked:] {
			s.lacks(string(request.Body), canary)
		}
	})
}

// TestAForwardIsUsedAsItsOriginalMayBe has a forward of each kind in a channel, from history and
// live, and asks what it says.
func TestAForwardIsUsedAsItsOriginalMayBe(t *testing.T) {
	type variant struct {
		arrange func(s *scene) discordtest.Draft
		known   bool // what it says may be used
	}
	gone := func(s *scene, id graph.MessageID) {
		s.t.Helper()
		s.same("messages that are deleted", s.discord.Chat.Delete(s.channel, id), 1)
	}
	secret := discordtest.Draft{Content: "the password is " + canary}
	inScenes(t, map[string]variant{
		"it stands": {func(s *scene) discordtest.Draft {
			return discordtest.Draft{Forward: s.post(s.bob, secret), ForwardFrom: s.channel}
		}, true},
		"in a server without heddle": {func(s *scene) discordtest.Draft {
			guild := s.discord.World.AddGuild("foreign")
			s.discord.People.Join(guild, s.bob)
			other := s.discord.World.AddChannel(guild, discordtest.ChannelDraft{Name: "foreign"})
			return discordtest.Draft{Forward: s.postIn(other, s.bob, secret), ForwardFrom: other}
		}, true},
		"Discord fails": {func(s *scene) discordtest.Draft {
			said := s.post(s.bob, secret)
			s.discord.Faults.Inject(discordtest.Fault{Match: ofMessage(said), Times: -1, Status: 500, Body: "{}"})
			return discordtest.Draft{Forward: said, ForwardFrom: s.channel}
		}, true},
		"a forward of a forward whose first was deleted": {func(s *scene) discordtest.Draft {
			first := s.post(s.bob, secret)
			again := s.post(s.ann, discordtest.Draft{Forward: first, ForwardFrom: s.channel})
			gone(s, first)
			snapshot := []any{map[string]any{"message": map[string]any{"content": secret.Content}}}
			return discordtest.Draft{Forward: again, ForwardFrom: s.channel, Raw: map[string]any{"message_snapshots": snapshot}}
		}, false},
		"a crosspost whose source was deleted": {func(s *scene) discordtest.Draft {
			first := s.post(s.bob, secret)
			gone(s, first)
			return discordtest.Draft{Content: secret.Content, Webhook: "weavers #news", Flags: 1 << 1, Raw: map[string]any{
				"message_reference": map[string]any{"message_id": first.String(), "channel_id": s.channel.String(), "guild_id": s.guild.String()},
			}}
		}, false},
	}, func(s *scene, test variant) {
		s.repeats()
		old := s.discord.World.AddChannel(s.guild, discordtest.ChannelDraft{Name: "old"})
		live := s.discord.World.AddChannel(s.guild, discordtest.ChannelDraft{Name: "live"})
		draft := test.arrange(s)
		said := draft
		said.At = time.Now().Add(-20 * time.Minute)
		s.postIn(old, s.ann, said)
		s.start()
		s.postIn(live, s.ann, draft)
		want := "I don't know."
		if test.known {
			want = "It is " + canary
		}
		for _, in := range []graph.ChannelID{old, live} {
			s.answered(in, "what is it?", want)
		}
	})
}

// TestAForwardOfAnAnswerIsUsedAsTheAnswerMayBe forwards heddle's answer to another channel. It is
// used there until what the answer was made from is taken back.
func TestAForwardOfAnAnswerIsUsedAsTheAnswerMayBe(t *testing.T) {
	inScenes(t, takingBack(), func(s *scene, takeBack func(*scene, graph.MessageID)) {
		s.repeats()
		in := s.discord.World.AddChannel(s.guild, discordtest.ChannelDraft{Name: "elsewhere"})
		r := s.start()
		said := s.post(s.bob, discordtest.Draft{Content: "the password is " + canary})
		told := r.answer(s, s.channel, s.ask(s.ann, "what is it?"), "It is "+canary)
		forward := s.postIn(in, s.ann, discordtest.Draft{Forward: told.ID, ForwardFrom: s.channel})
		asked := len(s.model.Requests())
		r.answer(s, in, s.askIn(in, s.ann, "what does that say?"), "I don't know.")
		s.contains(s.conversation(asked+1), "It is "+canary)
		takeBack(s, said)
		asked = len(s.model.Requests())
		for n, below := range []graph.MessageID{forward, 0} {
			s.answer(in, s.postIn(in, s.ann, discordtest.Draft{Content: s.mention(fmt.Sprintf("what of %d?", n)), ReplyTo: below}), "I don't know.")
		}
		for _, request := range s.model.Requests()[asked:] {
			s.lacks(string(request.Body), canary)
		}
	})
}

// TestAnOriginalThatIsDeletedInTheMidstOfAnAnswerIsInNone deletes what was forwarded out of a
// channel that few may read, where nobody knows of the answer that is being made from it.
func TestAnOriginalThatIsDeletedInTheMidstOfAnAnswerIsInNone(t *testing.T) {
	s := newScene(t)
	gate := s.pauses("It is "+canary+", which everybody ", "should know.")
	s.always(openaitest.Answer("I don't know."))
	staff := s.discord.World.AddChannel(s.guild, discordtest.ChannelDraft{Name: "staff"})
	s.discord.World.SetOverwrites(staff, discordtest.Overwrite{Member: s.ann, Deny: discordtest.ViewChannel})
	r := s.start()
	said := s.postIn(staff, s.bob, discordtest.Draft{Content: "the password is " + canary})
	s.post(s.bob, discordtest.Draft{Forward: said, ForwardFrom: staff})
	question := s.ask(s.ann, "what is it?")
	s.begun(s.channel, question, "It is "+canary)
	s.same("messages that are deleted", s.discord.Chat.Delete(staff, said), 1)
	s.uses(s.channel, "heddle help") // by then the deletion was heard of
	close(gate)
	r.wholeAnswer(s, question, "I don't know.")
	r.end()
	s.nowhere(canary)
}
