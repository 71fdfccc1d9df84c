package commands_test

import (
	"errors"
	"maps"
	"testing"

	"heddle/graph"
	"heddle/internal/discord"
	"heddle/internal/errtest"
	"heddle/store"
)

const (
	added        = "MESSAGE_REACTION_ADD"
	removed      = "MESSAGE_REACTION_REMOVE"
	removedAll   = "MESSAGE_REACTION_REMOVE_ALL"
	removedEmoji = "MESSAGE_REACTION_REMOVE_EMOJI"
)

// react takes a reaction event about a message, and reports whether it changed
// anything, as far as could be told without asking the store.
func (s *scene) react(event string, r discord.Reaction) bool {
	s.t.Helper()
	r.Channel, r.Guild = s.Channel, s.Guild
	change := s.ratings.Reacted(event, &r, s.Place().Scope)
	if change == nil {
		return false
	}
	errtest.None(s.t, change(s.Context()))
	return true
}

// thought returns what people think of each answer to a question, by its text.
func (s *scene) thought(question graph.MessageID, answers int) map[string]map[graph.UserID]bool {
	s.t.Helper()
	all := errtest.Must(s.Store.Ratings.Of(s.Context(), s.Place().Scope))(s.t)
	thought := make(map[string]map[graph.UserID]bool)
	for _, r := range s.recorded(question, answers) {
		people := make(map[graph.UserID]bool)
		for _, rating := range all[r.Original()] {
			people[rating.Person] = rating.Good
		}
		thought[r.Text] = people
	}
	return thought
}

func TestThumbsRateTheAnswerUntilTheyAreTakenBack(t *testing.T) {
	s := newScene(t)
	question, last := s.asked("tell me all about looms", long())
	first := s.Said()[0]
	for i, step := range []struct {
		event string
		part  graph.MessageID
		who   graph.UserID
		emoji string
		want  map[graph.UserID]bool
	}{
		{added, first.ID, s.Ann, "👍\uFE0F", map[graph.UserID]bool{s.Ann: true}},
		{added, last.ID, s.Bob, "👎🏿", map[graph.UserID]bool{s.Ann: true, s.Bob: false}},
		{added, last.ID, s.Ann, "👎", map[graph.UserID]bool{s.Ann: false, s.Bob: false}},
		{removed, last.ID, s.Ann, "👎", map[graph.UserID]bool{s.Ann: true, s.Bob: false}}, // the first one counts again
		{removed, last.ID, s.Bob, "👍🏿", map[graph.UserID]bool{s.Ann: true, s.Bob: false}},
		{removed, last.ID, s.Ann, "👎🏿", map[graph.UserID]bool{s.Ann: true, s.Bob: false}}, // of another person
		{removed, last.ID, s.Bob, "👎🏿", map[graph.UserID]bool{s.Ann: true}},
		{removed, last.ID, s.Ann, "👍", map[graph.UserID]bool{s.Ann: true}}, // on another part
		{removed, first.ID, s.Ann, "👍", map[graph.UserID]bool{}},
	} {
		s.react(step.event, discord.Reaction{Message: step.part, User: step.who, Emoji: step.emoji, Author: s.Self})
		if got := s.thought(question, 1)[long()]; !maps.Equal(got, step.want) {
			t.Errorf("after step %d people think %v, want %v", i+1, got, step.want)
		}
	}
}

func TestReactionsThatRateNothingChangeNothing(t *testing.T) {
	s := newScene(t)
	question, said := s.asked("a joke?", "A joke about warps.")
	for name, r := range map[string]discord.Reaction{
		"another emoji":                  {Message: said.ID, User: s.Ann, Emoji: "❤️"},
		"a custom emoji":                 {Message: said.ID, User: s.Ann},
		"two thumbs":                     {Message: said.ID, User: s.Ann, Emoji: "👍👍"},
		"a skin tone alone":              {Message: said.ID, User: s.Ann, Emoji: "🏻"},
		"a thumb and more":               {Message: said.ID, User: s.Ann, Emoji: "👎!"},
		"a bot's":                        {Message: said.ID, User: s.Ann, Emoji: "👍", Bot: true},
		"heddle's own":                   {Message: said.ID, User: s.Self, Emoji: "👍"},
		"to somebody else":               {Message: said.ID, User: s.Ann, Emoji: "👍", Author: s.Bob},
		"to a message that is no answer": {Message: question, User: s.Ann, Emoji: "👍"},
	} {
		for _, event := range []string{added, removed} {
			if s.react(event, r) {
				t.Errorf("%s, a reaction %s is taken to the store, want it ignored", event, name)
			}
		}
	}
	if got := s.thought(question, 1)["A joke about warps."]; len(got) != 0 {
		t.Errorf("people think %v, want none", got)
	}
}

func TestARatingDuringAnOutageIsTriedAgain(t *testing.T) {
	s := newScene(t)
	_, said := s.asked("a joke?", "A joke about warps.")
	errtest.None(t, s.Store.Close())
	for _, event := range []string{added, removed} {
		change := s.ratings.Reacted(event, &discord.Reaction{Channel: s.Channel, Message: said.ID, User: s.Ann, Emoji: "👍"}, s.Place().Scope)
		if err := change(s.Context()); !errors.Is(err, store.ErrUnavailable) {
			t.Errorf("%s fails with %v, want %v", event, err, store.ErrUnavailable)
		}
	}
}

func TestAModeratorTakesAwayAllRatingsOrThoseOfOneEmoji(t *testing.T) {
	s := newScene(t)
	question, said := s.asked("a joke?", "A joke about warps.")
	for _, test := range []struct {
		event, emoji string
		want         map[graph.UserID]bool
	}{
		{removedEmoji, "👎", map[graph.UserID]bool{s.Ann: true}},
		{removedEmoji, "👍", map[graph.UserID]bool{s.Bob: false}},
		{removedEmoji, "❤️", map[graph.UserID]bool{s.Ann: true, s.Bob: false}},
		{removedAll, "", map[graph.UserID]bool{}},
	} {
		s.react(added, discord.Reaction{Message: said.ID, User: s.Ann, Emoji: "👍"})
		s.react(added, discord.Reaction{Message: said.ID, User: s.Bob, Emoji: "👎"})
		s.react(test.event, discord.Reaction{Message: said.ID, Emoji: test.emoji})
		if got := s.thought(question, 1)["A joke about warps."]; !maps.Equal(got, test.want) {
			t.Errorf("after %s %q people think %v, want %v", test.event, test.emoji, got, test.want)
		}
	}
}

func TestARatingStaysWithTheAlternativeThatWasShown(t *testing.T) {
	s := newScene(t)
	question, _, second := s.joked()
	s.react(added, discord.Reaction{Message: second, User: s.Ann, Emoji: "👍"})
	s.step(second, back)
	s.react(added, discord.Reaction{Message: second, User: s.Bob, Emoji: "👎"})
	got := s.thought(question, 2)
	if !maps.Equal(got["A joke about wefts."], map[graph.UserID]bool{s.Ann: true}) ||
		!maps.Equal(got["A joke about warps."], map[graph.UserID]bool{s.Bob: false}) {
		t.Errorf("people think %v, want %v for \"A joke about wefts.\" and %v for \"A joke about warps.\"", got, map[graph.UserID]bool{s.Ann: true}, map[graph.UserID]bool{s.Bob: false})
	}
}
