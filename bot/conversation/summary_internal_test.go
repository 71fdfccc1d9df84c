package conversation

import (
	"context"
	"strings"
	"testing"
	"unicode/utf8"

	"heddle/bot/phrases"
	"heddle/graph"
	"heddle/graph/path"
	"heddle/llm"
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
			t.Errorf("%s: the summary takes %d tokens, want valid text of at most %d", name, got, room)
		}
		if whole := path.Summary(text); s.tokens.count(t.Context(), whole) <= room && turn.PlainText() != whole.PlainText() {
			t.Errorf("%s: a summary that fits is cut to %q, want it whole", name, turn.PlainText())
		} else if s.tokens.count(t.Context(), whole) > room && got < room/2 {
			t.Errorf("%s: the summary takes only %d tokens, want at least half of %d", name, got, room)
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
		t.Errorf("where nothing is summarised a summary has %d tokens, want 0", got)
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
			t.Errorf("named is %+v, want one of %v", ref, want)
		}
	}
	if len(got) != len(want) || (*summary)(nil).asSources() != nil {
		t.Errorf("named are %+v, want %v, and nil without a summary", got, want)
	}
}

// stretch returns what leaves a path of many messages, each of 100 letters, that may
// take few tokens.
func stretch(t *testing.T, tokens *tokens) []path.Left {
	t.Helper()
	g := &graph.Graph{Trigger: graph.Message{ID: 1000, Name: "ann", Text: "and?"}}
	for i := range 40 {
		g.Conversation = append(g.Conversation, graph.Node{Message: &graph.Message{
			ID: graph.MessageID(i + 1), Author: 7, Name: "bob", Text: strings.Repeat("x", 100),
		}})
	}
	count := func(turn path.Turn) int { return tokens.count(t.Context(), turn) }
	built := path.Build(g, path.Shape{Budget: 600, Count: count})
	left := built.Stretch()
	if len(left) < 30 {
		t.Fatalf("only %d messages leave, want at least 30", len(left))
	}
	return left
}

// TestARequestForASummaryFitsTheBudget has the provider count more than heddle does.
func TestARequestForASummaryFitsTheBudget(t *testing.T) {
	t.Parallel()
	frame := lettered(0)
	fixed := frame.count(t.Context(), path.Turn{Parts: []path.Part{path.Text(llm.System(phrases.ModelSummary))}}) + frame.ofText(t.Context(), phrases.ModelSummarise)
	before := &summary{turn: path.Summary("Bob said nothing.")}
	for name, test := range map[string]struct {
		ratio  float64 // of the provider's tokens to heddle's
		before *summary
	}{"alike": {1, nil}, "after a summary": {1, before}, "twice as costly": {1.9, nil}, "twice, after a summary": {1.9, before}} {
		room := fixed + 1000 // for some of the stretch
		tokens := lettered(int(float64(room) * test.ratio))
		tokens.calibration.add(t.Context(), test.ratio)
		left := stretch(t, tokens)
		s := &summaries{tokens: tokens}
		turns := s.condensable(t.Context(), test.before, left)
		sent := tokens.ofText(t.Context(), phrases.ModelSummarise)
		for _, turn := range turns {
			sent += tokens.count(t.Context(), turn)
		}
		if charged := int(float64(sent) * test.ratio); charged > tokens.budget || sent > tokens.ownBudget() || sent < tokens.ownBudget()-150 {
			t.Errorf("%s: the request takes %d tokens of %d, by heddle's count %d of %d; want it within both and less than 150 below the second", name, charged, tokens.budget, sent, tokens.ownBudget())
		}
		head := 1
		if test.before != nil {
			head = 2
			if turns[1].Role != path.RoleSummary {
				t.Errorf("%s: the summary before is not asked with: %+v, want Role %v", name, turns[1], path.RoleSummary)
			}
		}
		if all := path.Transcript(left, path.Naming{}); len(turns)-head >= len(all) || turns[len(turns)-1].Hash() != all[len(all)-1].Hash() {
			t.Errorf("%s: %d of %d turns are asked with, the newest not among them", name, len(turns)-head, len(all))
		}
	}
}

func TestWithoutABudgetAllOfAStretchIsSummarised(t *testing.T) {
	t.Parallel()
	left := stretch(t, lettered(600))
	s := &summaries{tokens: lettered(0)}
	if got, want := len(s.condensable(t.Context(), nil, left)), 1+len(path.Transcript(left, path.Naming{})); got != want {
		t.Errorf("a summary of everything is asked for with %d turns, want %d", got, want)
	}
}
