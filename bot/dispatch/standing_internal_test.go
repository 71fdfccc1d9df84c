package dispatch

import (
	"errors"
	"testing"
	"time"

	"heddle/bot/answer"
	"heddle/bot/conversation"
	"heddle/bot/work"
	"heddle/graph"
	"heddle/internal/discord"
	"heddle/internal/discordtest"
	"heddle/internal/roomtest"
)

// TestWhatStandsIsReadAgainBeforeAnotherTry tries a question twice of which a read found
// the whole answer: the first try believes that, the next one reads again.
func TestWhatStandsIsReadAgainBeforeAnotherTry(t *testing.T) {
	t.Parallel()
	h := roomtest.New(t)
	question := h.Post(h.Ann, discordtest.Draft{Content: h.Mention("how?")})
	h.Post(h.Self, discordtest.Draft{Content: "Over, under.", ReplyTo: question})
	a := &asking{reader: &reader{history: h.History, rest: h.REST}, ledger: newLedger(h.Log, h.Store.Backlog), clock: local{}, log: h.Log}
	q := conversation.Question{Guild: h.Guild, Channel: h.Channel, ID: question, Place: h.Place()}
	try := a.taskFrom(q, asker{}, &standing{parts: []graph.MessageID{question + 1}, state: whole})
	for reads, stage := range []stage{fresh, tried} {
		try.stage = stage
		if got, err := try.do(h.Context(), h.Log); got != answer.Found || err != nil {
			t.Errorf("stage %d: the try ends with %q, %v, want %q and no error", stage, got, err, answer.Found)
		}
		if got := h.Discord.Record.Count(discordtest.RouteMessages); got != reads {
			t.Errorf("stage %d: %d reads were made, want %d", stage, got, reads)
		}
	}
}

// TestHalfAnAnswerThatGrowsIsLeftToWhoeverWritesIt looks at half an answer of another
// process that says something else at every look.
func TestHalfAnAnswerThatGrowsIsLeftToWhoeverWritesIt(t *testing.T) {
	t.Parallel()
	a := &asking{}
	taken := &task{asked: time.Now()}
	taken.again(work.ErrTaken)
	for _, text := range []string{"half ▍", "half an ▍", "half an answer ▍"} {
		stands := standing{parts: []graph.MessageID{7}, said: []discord.Message{{ID: 7, Content: text}}, state: half}
		if _, err := a.resumeFrom(t.Context(), nil, answer.Question{}, taken, stands); !errors.Is(err, work.ErrTaken) {
			t.Errorf("at %q the try ends with %v, want %v", text, err, work.ErrTaken)
		}
	}
}
