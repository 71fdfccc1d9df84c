package e2e_test

import (
	"testing"

	"heddle/internal/discordtest"
	"heddle/internal/openaitest"
)

// TestAReplyForSomebodyElseIsNotAnswered has Ann reply to an answer without its ping, and
// mention Bob. If she mentions heddle as well, it is for heddle, too.
func TestAReplyForSomebodyElseIsNotAnswered(t *testing.T) {
	s := newScene(t)
	s.always(openaitest.Answer("Yes."))
	s.start()
	answer := s.answered(s.channel, "is a warp lengthwise?", "Yes.")
	bob := "<@" + s.bob.String() + "> "
	below := func(text string, noPing bool) discordtest.Draft {
		return discordtest.Draft{Content: text, ReplyTo: answer.ID, NoPing: noPing}
	}
	silent := s.post(s.ann, below(bob+"told you so", true))
	edited := s.post(s.ann, below(bob+"you see", true))
	s.edit(edited, bob+"do you see?")
	s.wholeAnswer(s.post(s.ann, below(s.mention(bob+"agree?"), true)), "Yes.")
	s.wholeAnswer(s.post(s.ann, below(bob+"and heddle?", false)), "Yes.")
	s.wholeAnswer(s.post(s.ann, below("really?", true)), "Yes.")
	s.noAnswer(s.channel, silent)
	s.noAnswer(s.channel, edited)
}
