package e2e_test

import (
	"testing"

	"heddle/graph"
	"heddle/internal/discordtest"
	"heddle/internal/openaitest"
)

// TestAMentionMissedInAThreadThatASyncBringsIsAnswered makes heddle miss a thread and
// all that is said in it until Discord lists the thread in a THREAD_LIST_SYNC, as it
// does when a bot gains access to a channel.
func TestAMentionMissedInAThreadThatASyncBringsIsAnswered(t *testing.T) {
	t.Parallel()
	for name, draft := range map[string]discordtest.ThreadDraft{
		"an active thread": {Name: "aside"},
		"a private thread": {Name: "aside", Private: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, discordtest.Options{})
			s.model.Queue(openaitest.Answer("It moves on Friday."))
			s.start()
			hear := s.discord.Events.Intercept(discordtest.Dropped("THREAD_CREATE", "MESSAGE_CREATE"))
			draft.Members = []graph.UserID{s.heddle.User}
			thread, err := s.discord.World.AddThread(s.channel, s.ann, draft)
			if err != nil {
				t.Fatal(err)
			}
			missed := s.postIn(thread, s.ann, discordtest.Draft{Content: s.mention("when does it move?")})
			hear()
			kind := 11
			if draft.Private {
				kind = 12
			}
			s.discord.Events.Dispatch(s.heddle.User, "THREAD_LIST_SYNC", map[string]any{
				"guild_id": s.guild, "channel_ids": []graph.ChannelID{s.channel},
				"threads": []map[string]any{{
					"id": thread, "type": kind, "parent_id": s.channel, "guild_id": s.guild, "last_message_id": missed,
				}},
			})
			s.answer(thread, missed, "It moves on Friday.")
		})
	}
}
