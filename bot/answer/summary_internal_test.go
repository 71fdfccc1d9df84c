package answer

import (
	"context"
	"strings"
	"testing"
	"unicode/utf8"

	"heddle/graph/path"
	"heddle/store"
)

// lettered returns tokens that count characters, with a budget of so many.
func lettered(budget int) *tokens {
	count := func(_ context.Context, turn path.Turn) int { return utf8.RuneCountInString(turn.PlainText()) }
	return newTokens(unreachable{}, "m", Settings{Budget: budget, Count: count, Summaries: true})
}

func TestASummaryFitsItsRoom(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"short": "Ann told facts.", "long": strings.Repeat("fact ", 1000), "of wide characters": strings.Repeat("織り機", 1000),
		"empty": "", "one word": strings.Repeat("x", 10_000),
	} {
		s := &summaries{tokens: lettered(2400)}
		turn := s.clipped(t.Context(), text)
		room, got := s.tokens.summaryRoom(), s.tokens.count(t.Context(), turn)
		if got > room || !utf8.ValidString(turn.PlainText()) {
			t.Errorf("%s: the summary takes %d tokens of %d", name, got, room)
		}
		if whole := path.Summary(text); s.tokens.count(t.Context(), whole) <= room && turn.PlainText() != whole.PlainText() {
			t.Errorf("%s: a summary that fits is cut to %q", name, turn.PlainText())
		} else if s.tokens.count(t.Context(), whole) > room && got < room/2 {
			t.Errorf("%s: the summary takes only %d tokens of %d", name, got, room)
		}
	}
}

func TestTheRoomForASummaryIsAnEighthWithinBounds(t *testing.T) {
	t.Parallel()
	for budget, want := range map[int]int{0: 512, 80: 64, 800: 100, 100_000: 512} {
		if got := lettered(budget).summaryRoom(); got != want {
			t.Errorf("of a budget of %d tokens a summary has %d, want %d", budget, got, want)
		}
	}
	if got := newTokens(unreachable{}, "m", Settings{Budget: 800}).summaryRoom(); got != 0 {
		t.Errorf("where nothing is summarised a summary has %d tokens", got)
	}
}

// TestWhoseWordsAreInASummary names each author once for each channel, and no message.
func TestWhoseWordsAreInASummary(t *testing.T) {
	t.Parallel()
	s := &summary{sources: []store.SourceRef{
		{Message: 1, Channel: 7, Author: 8, Position: 1}, {Message: 2, Channel: 7, Author: 8}, {Message: 3, Channel: 7, Author: 9}, {Message: 4, Channel: 6, Author: 8},
	}}
	want := map[store.SourceRef]bool{{Channel: 7, Author: 8}: true, {Channel: 7, Author: 9}: true, {Channel: 6, Author: 8}: true}
	got := s.asSources()
	for _, ref := range got {
		if !want[ref] {
			t.Errorf("named is %+v", ref)
		}
	}
	if len(got) != len(want) || (*summary)(nil).asSources() != nil {
		t.Errorf("named are %+v", got)
	}
}
