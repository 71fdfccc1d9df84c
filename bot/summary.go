package bot

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"
	"unicode/utf8"

	"heddle/bot/phrases"

	"heddle/graph"
	"heddle/graph/path"
	"heddle/llm"
	"heddle/store"
)

// The bounds of a summary.
const (
	// summaryTime is how long one is waited for: the answer waits for it.
	summaryTime = 20 * time.Second
	// A summary may take an eighth of the budget, but no less and no more than these
	// tokens on the path. The model may write more, which is cut off.
	leastSummary, mostSummary = 64, 512
	// summaryAnswer are the tokens that the model may take for it, its thoughts included.
	summaryAnswer = 1500
)

// summary is a summary that stands on a path.
type summary struct {
	id      store.SummaryID
	turn    path.Turn
	sources []store.SourceRef // of the summary itself
}

// asSources returns what names a summary's sources on an answer that was made from it:
// everybody whose words are in it, once for each channel.
func (s *summary) asSources() []store.SourceRef {
	if s == nil {
		return nil
	}
	var named []store.SourceRef
	known := make(map[store.SourceRef]bool)
	for _, source := range s.sources {
		ref := store.SourceRef{Channel: source.Channel, Author: source.Author}
		if !known[ref] {
			known[ref] = true
			named = append(named, ref)
		}
	}
	return named
}

// summaryRoom is how many tokens of the budget are kept free for a summary.
func (b *Bot) summaryRoom() int {
	switch {
	case !b.settings.Summaries:
		return 0
	case b.settings.Budget == 0:
		return mostSummary
	default:
		return min(max(b.settings.Budget/8, leastSummary), mostSummary)
	}
}

// summarise puts a summary of what was left out on a path: a new one where the path
// has come to another checkpoint, else the one that the path before had. A summary
// that cannot be had costs nothing but itself.
func (b *Bot) summarise(ctx context.Context, trigger *graph.Message, m mention, built *path.Built, from continuation) *summary {
	if !b.settings.Summaries || b.settings.Count == nil {
		return nil
	}
	stands := b.summaryBefore(ctx, m, from)
	stretch := built.Stretch()
	if len(stretch) > 0 && !asksAgain(trigger) { // that is asked about another path
		made, err := b.condense(ctx, m, stands, stretch)
		if err != nil {
			b.log.WarnContext(ctx, "what was left out could not be summarised", "trigger", m.id, "error", err)
		} else {
			stands = made
		}
	}
	if stands != nil {
		built.Summarise(stands.turn)
	}
	return stands
}

// summaryBefore is the summary on the path that this one continues.
func (b *Bot) summaryBefore(ctx context.Context, m mention, from continuation) *summary {
	id := from.before.Summary
	if id == 0 {
		return nil
	}
	kept, found, err := b.responses.Summary(ctx, m.place.Scope, id)
	if err != nil {
		b.log.DebugContext(ctx, "a summary could not be looked up", "error", err)
	}
	if !found {
		return nil
	}
	return &summary{id: id, turn: b.clippedSummary(kept.Text), sources: kept.Sources()}
}

func (b *Bot) summaryOf(kept *store.Response) *summary {
	return &summary{id: kept.SummaryID(), turn: b.clippedSummary(kept.Text), sources: kept.Sources}
}

// condense gives the summary of a stretch and of what was summarised before: the one
// that is kept, or a new one.
func (b *Bot) condense(ctx context.Context, m mention, before *summary, stretch []path.Left) (*summary, error) {
	ctx, cancel := context.WithTimeout(ctx, summaryTime)
	defer cancel()
	record := b.summaryRecord(m, before, stretch)
	sought, err := b.responses.Seek(ctx, store.Want{Scope: record.Scope, PathHash: record.PathHash, Model: record.Model}, b.settings.Lease)
	if err != nil {
		return nil, fmt.Errorf("look for a summary: %w", err)
	}
	if sought.Found {
		return b.summaryOf(&sought.Response), nil
	}
	defer b.leases.Keep(ctx, b.log, sought.Lead)()
	defer b.outbox.Typing(ctx, m.channel)()
	answer, err := b.model.Stream(ctx, llm.Request{Path: path.Path{Turns: record.Path, Options: record.Options}, Tail: record.Tail}, nil)
	switch {
	case err != nil:
		return nil, fmt.Errorf("ask for a summary: %w", err)
	case !answer.Complete():
		return nil, fmt.Errorf("ask for a summary: %w", errPartSummary)
	}
	record.Text, record.FinishReason, record.Without = answer.Text, answer.FinishReason, answer.Without
	record.RequestHash, record.ResponseHash = answer.RequestHash, path.ResponseHash(answer.Text, answer.FinishReason)
	record.Usage, record.Created = store.Usage(answer.Usage), b.now()
	record.Reported, record.Fingerprint = answer.Model, answer.Fingerprint
	if err := b.responses.Save(ctx, record); err != nil {
		return nil, fmt.Errorf("keep a summary: %w", err)
	}
	return b.summaryOf(&record), nil
}

var errPartSummary = errors.New("the summary is not whole")

// summaryRecord is a summary as it is kept, yet without the model's words: an answer
// to a path of its own, which holds the stretch turn by turn.
func (b *Bot) summaryRecord(m mention, before *summary, stretch []path.Left) store.Response {
	record := store.Response{
		Standing: store.Standing{Scope: m.place.Scope, Channel: m.channel, Trigger: m.id, Self: b.guilds.Self().ID, Summarises: len(stretch)},
		Input: store.Input{
			Model:   b.model.Model(),
			Options: path.Options{Temperature: b.settings.Options.Temperature, MaxTokens: summaryAnswer},
			Path:    b.condensable(before, stretch), Tail: phrases.ModelSummarise,
			Sources: before.asSources(),
		},
	}
	for i := range stretch {
		source := stretch[i].Source()
		record.Sources = append(record.Sources, store.SourceRef{
			Message: source.ID, Channel: source.Channel, Author: source.Author, Edited: source.Edited,
		})
	}
	if before != nil {
		record.Summary = before.id
	}
	record.PathHash = path.Path{Turns: record.Path, Options: record.Options}.Hash()
	_, _ = rand.Read(record.ID[:]) // it never fails
	return record
}

// condensable is the path whose answer is the summary: the newest turns of the
// stretch that fit the budget, behind the summary before them.
func (b *Bot) condensable(before *summary, stretch []path.Left) []path.Turn {
	head := []path.Turn{{Role: path.RoleSystem, Parts: []path.Part{path.Text(llm.System(phrases.ModelSummary))}}}
	if before != nil {
		head = append(head, before.turn)
	}
	turns := path.Transcript(stretch)
	if b.settings.Budget == 0 {
		return append(head, turns...)
	}
	left := b.settings.Budget
	for _, turn := range head {
		left -= b.settings.Count(turn)
	}
	from := len(turns)
	for from > 0 {
		if left -= b.settings.Count(turns[from-1]); left < 0 {
			break
		}
		from--
	}
	return append(head, turns[from:]...)
}

// clippedSummary is a summary as a turn that takes no more tokens than it may.
func (b *Bot) clippedSummary(text string) path.Turn {
	room := b.summaryRoom()
	turn := path.Summary(text)
	for tokens := b.settings.Count(turn); tokens > room && text != ""; tokens = b.settings.Count(turn) {
		end := min(len(text)*room/tokens, len(text)-1)
		for end > 0 && !utf8.RuneStart(text[end]) {
			end--
		}
		text = text[:end]
		turn = path.Summary(text + "…")
	}
	return turn
}
