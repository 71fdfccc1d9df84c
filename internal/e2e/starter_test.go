package e2e_test

import (
	"slices"
	"testing"

	"heddle/internal/discordtest"
	"heddle/internal/openaitest"
)

// TestAThreadMayHaveAnotherIDThanItsStarter is about servers on which the first message of
// a thread alone tells what the thread started from.
func TestAThreadMayHaveAnotherIDThanItsStarter(t *testing.T) {
	t.Parallel()
	for name, said := range map[string]int{"nothing else was said": 0, "some was said": 7, "much was said": 230} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, discordtest.Options{})
			s.always(openaitest.Answer("Red."))
			starter := s.post(s.bob, discordtest.Draft{Content: "shall we dye the wool?"})
			s.post(s.bob, discordtest.Draft{Content: "something else"})
			thread := s.thread("dye")
			s.postIn(thread, s.bob, discordtest.Draft{Type: 21, Raw: map[string]any{
				"message_reference":  map[string]any{"channel_id": s.channel.String(), "message_id": starter.String()},
				"referenced_message": map[string]any{"id": starter.String(), "channel_id": s.channel.String()},
			}})
			for range said {
				s.postIn(thread, s.bob, discordtest.Draft{Content: "hm"})
			}
			s.start()
			s.answer(thread, s.postIn(thread, s.ann, discordtest.Draft{Content: s.mention("which colour?")}), "Red.")
			if got := s.asked(1); !slices.Contains(got, "user: [speaker: bob]\nshall we dye the wool?") {
				t.Errorf("the model was asked %q, want %q among them", got, "user: [speaker: bob]\nshall we dye the wool?")
			}
		})
	}
}
