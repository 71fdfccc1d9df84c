package dispatch

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"

	"heddle/bot/answer"
	"heddle/bot/conversation"
	"heddle/bot/outbox"
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
	a := &asking{intake: &intake{guilds: h.Guilds}, reader: &reader{history: h.History, rest: h.REST}, ledger: newLedger(h.Log, h.Store.Backlog), clock: local{}, log: h.Log}
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

// TestNothingIsAnsweredWhereHeddleIsNot tries a question, and an edit of it, at every
// stage in which it may have no answer. The gateway last reported that heddle was removed
// from the guild, while requests there succeed again. Neither Discord nor the model is
// asked anything.
func TestNothingIsAnsweredWhereHeddleIsNot(t *testing.T) {
	t.Parallel()
	h := roomtest.New(t)
	q := conversation.Question{Guild: h.Guild, Channel: h.Channel, ID: h.Post(h.Ann, discordtest.Draft{Content: h.Mention("how?")}), Place: h.Place()}
	h.Event("GUILD_DELETE", `{"id":"`+h.Guild.String()+`"}`)
	a := &asking{intake: &intake{guilds: h.Guilds}, ledger: newLedger(h.Log, h.Store.Backlog), clock: local{}, log: h.Log}
	handle := func(context.Context, *slog.Logger, answer.Question) (answer.Outcome, error) {
		t.Error("the edit is handled, want that it waits")
		return answer.Answered, nil
	}
	for _, stage := range []stage{fresh, tried, stuck} {
		for name, try := range map[string]*task{"question": a.task(q, asker{}), "edit": a.edit(q, asker{}, time.Unix(1, 0), handle)} {
			try.stage = stage
			_, err := try.do(h.Context(), h.Log)
			if !errors.Is(err, work.ErrUnsent) || errors.Is(err, outbox.ErrStuck) != (stage == stuck) {
				t.Errorf("stage %d: the try of the %s ends with %v, want %v, and %v only at stage %d", stage, name, err, work.ErrUnsent, outbox.ErrStuck, stuck)
			}
		}
	}
	if got := h.Discord.Record.Count(discordtest.RouteMessages); got != 0 {
		t.Errorf("%d reads were made, want none", got)
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
