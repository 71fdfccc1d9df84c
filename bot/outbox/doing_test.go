package outbox_test

import (
	"errors"
	"testing"

	"heddle/bot/outbox"
	"heddle/internal/discord"
	"heddle/internal/discordtest"
	"heddle/internal/errtest"
)

func TestWhatIsBeingDoneIsShownUntilTheAnswerEnds(t *testing.T) {
	file := []discord.File{{Name: "a.txt", Data: []byte("data")}}
	for name, test := range map[string]struct {
		before, after string
		final         outbox.Final
		want          string // "" where nothing is left but files
	}{
		"above nothing, then text":       {"", "Found it.", outbox.Final{}, "Found it."},
		"below text, then more":          {"Let me see.", "\nFound it.", outbox.Final{}, "Let me see.\nFound it."},
		"above nothing, then a notice":   {"", "", outbox.Final{Notice: "It failed."}, "It failed."},
		"above nothing, then only files": {"", "", outbox.Final{Files: file}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t, discordtest.NoLimits(), quick())
			a := s.out.Answer(t.Context(), s.to)
			a.Append(test.before)
			a.Doing("-# looking")
			s.await(t, contains("-# looking"))
			a.Doing("-# asking")
			s.await(t, contains("-# asking"))
			a.Append(test.after)
			sent := errtest.Must(a.Finish(t.Context(), test.final))(t)
			check(t, s, sent, test.want)
			if got := len(s.answers()[0].Attachments); got != len(test.final.Files) {
				t.Errorf("%d files are there, want %d", got, len(test.final.Files))
			}
			if got := s.server.Record.Count(discordtest.RouteCreateMessage); got != 1 {
				t.Errorf("%d messages were made, want 1", got)
			}
		})
	}
}

// TestNothingToSayInPlaceOfAnAnswerLeavesItsMessage shows what is being done in the message
// of an answer that is to be replaced. That message is not heddle's to delete here, as it
// shows the answer again next.
func TestNothingToSayInPlaceOfAnAnswerLeavesItsMessage(t *testing.T) {
	s := newStage(t, discordtest.NoLimits(), quick())
	stood := errtest.Must(s.out.Reply(t.Context(), s.to, "What stood."))(t)
	a := s.out.Answer(t.Context(), s.over(stood))
	a.Doing("-# looking")
	s.await(t, contains("-# looking"))
	if _, err := a.Finish(t.Context(), outbox.Final{}); !errors.Is(err, outbox.ErrEmpty) || len(s.answers()) != 1 {
		t.Errorf("%d messages are left, with %v, want 1 and %v", len(s.answers()), err, outbox.ErrEmpty)
	}
}

func TestNothingToSayAfterSomethingWasDoneLeavesNothing(t *testing.T) {
	s := newStage(t, discordtest.NoLimits(), quick())
	a := s.out.Answer(t.Context(), s.to)
	a.Doing("-# looking")
	s.await(t, contains("-# looking"))
	sent, err := a.Finish(t.Context(), outbox.Final{})
	if !errors.Is(err, outbox.ErrEmpty) || len(sent) != 0 || len(s.answers()) != 0 {
		t.Errorf("%d messages are left, %d were reported, with %v, want 0, 0 and %v", len(s.answers()), len(sent), err, outbox.ErrEmpty)
	}
}
