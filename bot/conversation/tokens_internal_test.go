package conversation

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"unicode/utf8"

	"heddle/bot/phrases"
	"heddle/graph"
	"heddle/graph/path"
	"heddle/internal/errtest"
	"heddle/llm"
	"heddle/store"
	"heddle/store/bolt"
)

// lettered returns tokens that count characters, with a budget of so many.
func lettered(budget int) *tokens {
	count := func(_ context.Context, turn path.Turn) int { return utf8.RuneCountInString(turn.PlainText()) }
	return (&tokens{Budget: budget, Count: count, Summaries: true})
}

func TestASummaryFitsItsRoom(t *testing.T) {
	for name, text := range map[string]string{
		"short": "Ann told facts.", "long": strings.Repeat("fact ", 1000), "of wide characters": strings.Repeat("織り機", 1000),
		"empty": "", "one word": strings.Repeat("x", 10_000),
	} {
		tokens := lettered(2400)
		turn := tokens.clipped(t.Context(), text)
		room, got := tokens.summaryRoom(), tokens.Count(t.Context(), turn)
		if got > room || !utf8.ValidString(turn.PlainText()) {
			t.Errorf("%s: the summary takes %d tokens, want valid text of at most %d", name, got, room)
		}
		if whole := path.Summary(text); tokens.Count(t.Context(), whole) <= room && turn.PlainText() != whole.PlainText() {
			t.Errorf("%s: a summary that fits is cut to %q, want it whole", name, turn.PlainText())
		} else if tokens.Count(t.Context(), whole) > room && got < room/2 {
			t.Errorf("%s: the summary takes only %d tokens, want at least half of %d", name, got, room)
		}
	}
}

func TestTheRoomForASummaryIsAnEighthWithinBounds(t *testing.T) {
	for budget, want := range map[int]int{80: 64, 800: 100, 100_000: 512} {
		if got := lettered(budget).summaryRoom(); got != want {
			t.Errorf("of a budget of %d tokens a summary has %d, want %d", budget, got, want)
		}
	}
	if got := (&tokens{Budget: 800}).summaryRoom(); got != 0 {
		t.Errorf("where nothing is summarised a summary has %d tokens, want 0", got)
	}
}

// TestASummaryThatIsNotThereIsOnNoPath looks for one where the store holds none, and for none
// where the store is away, which nobody notices.
func TestASummaryThatIsNotThereIsOnNoPath(t *testing.T) {
	var log strings.Builder
	held := store.New(errtest.Must(bolt.Open(bolt.Options{Dir: t.TempDir()}))(t), store.Options{})
	deps := Deps{Store: held, Log: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))}
	s := summaries{&Preparer{deps: deps, tokens: lettered(800)}}
	if got := s.before(t.Context(), "g1", 7); got != nil {
		t.Errorf("a summary that is not stored reads %q, want none", got.turn.PlainText())
	}
	errtest.None(t, held.Close())
	if got := s.before(t.Context(), "g1", 0); got != nil || log.Len() > 0 {
		t.Errorf("where there was no summary there is %v, and logged is %q, want neither", got, log.String())
	}
}

// stretch returns what leaves a path of many messages, each of 100 letters, that may
// take few tokens.
func stretch(t *testing.T, tokens *tokens) []path.Turn {
	t.Helper()
	g := &graph.Graph{Trigger: graph.Message{ID: 1000, Name: "ann", Text: "and?"}}
	for i := range 40 {
		g.Conversation = append(g.Conversation, graph.Node{Message: &graph.Message{
			ID: graph.MessageID(i + 1), Author: 7, Name: "bob", Text: strings.Repeat("x", 100),
		}})
	}
	count := func(turn path.Turn) int { return tokens.Count(t.Context(), turn) }
	built := path.Build(g, path.Shape{Budget: 600, Count: count})
	left := path.Transcript(built.Stretch(), path.Naming{})
	if len(left) < 30 {
		t.Fatalf("only %d messages leave, want at least 30", len(left))
	}
	return left
}

func TestARequestForASummaryFitsTheBudget(t *testing.T) {
	frame := lettered(0)
	fixed := frame.Count(t.Context(), path.Turn{Parts: []path.Part{path.Text(llm.System(phrases.ModelSummary))}}) + frame.ofText(t.Context(), phrases.ModelSummarise)
	for name, before := range map[string]*summary{"first": nil, "after a summary": {turn: path.Summary("Bob said nothing.")}} {
		tokens := lettered(fixed + 1000) // for some of the stretch
		left := stretch(t, tokens)
		turns := tokens.condensable(t.Context(), before, left)
		sent := 0
		for _, turn := range turns {
			sent += tokens.Count(t.Context(), turn)
		}
		if sent > tokens.Budget || sent < tokens.Budget-150 {
			t.Errorf("%s: the request takes %d tokens of %d, want it within and less than 150 below", name, sent, tokens.Budget)
		}
		if task := turns[len(turns)-1]; task.Role != path.RoleTask {
			t.Errorf("%s: the last turn is %+v, want the task", name, task)
		}
		head := 1
		if before != nil {
			head = 2
			if turns[1].Role != path.RoleSummary {
				t.Errorf("%s: the summary before is not asked with: %+v, want Role %v", name, turns[1], path.RoleSummary)
			}
		}
		if len(turns)-head-1 >= len(left) || turns[len(turns)-2].Hash() != left[len(left)-1].Hash() {
			t.Errorf("%s: %d of %d turns are asked with, the newest not among them", name, len(turns)-head-1, len(left))
		}
	}
}

func TestTheBudgetIsDivided(t *testing.T) {
	described := []path.Tool{{Name: strings.Repeat("n", 10), Description: strings.Repeat("d", 60), Schema: strings.Repeat("s", 30)}}
	without, with := lettered(2400).pathBudget(t.Context(), nil), lettered(2400).pathBudget(t.Context(), described)
	if want := 2400 - 2400/8 - 2400/8; without != want { // for the tail, and for a summary
		t.Errorf("a path may take %d tokens, want %d", without, want)
	}
	if without-with != 100 {
		t.Errorf("tools of 100 tokens leave %d of %d, want exactly theirs gone", with, without)
	}
	if got := lettered(10).pathBudget(t.Context(), described); got != 1 {
		t.Errorf("with hardly a budget a path may take %d tokens, want 1", got)
	}
}

// TestALongMessageKeepsNoOtherOutOfTheBackground has the newest message be longer than there is
// room for.
func TestALongMessageKeepsNoOtherOutOfTheBackground(t *testing.T) {
	g := &graph.Graph{}
	for i, text := range []string{"one", "two", strings.Repeat(" word", 99)} {
		g.Background = append(g.Background, graph.Node{Message: &graph.Message{ID: graph.MessageID(i + 1), Author: 1, Name: "bob", Text: text}})
	}
	words := func(_ context.Context, turn path.Turn) int { return len(strings.Fields(turn.PlainText())) }
	fits := &tokens{Budget: 400, Count: words}
	turns, _, _ := fits.background(t.Context(), g, path.Naming{}.Names(), fits.tailRoom())
	if len(turns) != 2 || turns[0].PlainText() != "one" || len(g.Background) != 2 {
		t.Errorf("%d turns are told and %d messages shown, want the two that fit", len(turns), len(g.Background))
	}
}

// TestTheBackgroundTakesAnEighthOfTheBudget has much be said in other talks.
func TestTheBackgroundTakesAnEighthOfTheBudget(t *testing.T) {
	var nodes []graph.Node
	for i := range 10 {
		nodes = append(nodes, graph.Node{Message: &graph.Message{ID: graph.MessageID(i + 1), Author: graph.UserID(i), Name: "bob", Text: fmt.Sprint(i, strings.Repeat(" word", 99))}})
	}
	words := func(_ context.Context, turn path.Turn) int { return len(strings.Fields(turn.PlainText())) }
	for budget, want := range map[int]int{500: 0, 800: 1, 2399: 2, 2400: 3, 80_000: 10} {
		fits := &tokens{Budget: budget, Count: words}
		turns, by, _ := fits.background(t.Context(), &graph.Graph{Background: nodes}, path.Naming{}.Names(), fits.tailRoom())
		if len(turns) != want || len(by) != want || want > 0 && by[want-1] != 9 || want > 0 && !strings.HasPrefix(turns[want-1].PlainText(), "9 ") {
			t.Errorf("with a budget of %d tokens %d turns of 100 are told, want the newest %d", budget, len(turns), want)
		}
	}
}
