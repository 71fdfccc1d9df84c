package conversation

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"time"
	"unicode/utf8"

	"heddle/bot/phrases"
	"heddle/graph/path"
	"heddle/llm"
	"heddle/store"
)

const (
	// summaryTimeout bounds how long an answer waits for a summary.
	summaryTimeout = 20 * time.Second
	// summaryTokens bounds the tokens of a request for a summary, including the model's
	// reasoning. A summary that exceeds its room on the path is cut off.
	summaryTokens = 1500
)

var errPartSummary = errors.New("the summary is not complete")

// summary is a summary on a path.
type summary struct {
	id      store.SummaryID
	turn    path.Turn
	sources []store.SourceRef // of the summary itself
}

// asSources returns the sources of a summary for the answer that is made from it:
// everybody whose words are in it, once for each channel.
func (s *summary) asSources() []store.SourceRef {
	if s == nil {
		return nil
	}
	return named(s.sources)
}

// summaries summarises the messages that leave paths.
type summaries struct{ *Preparer }

// of returns the summary for the path of a question: a new one if the path has reached
// another checkpoint, and otherwise that of the path that it continues, which also stands in
// after an error. It returns nil if there is none.
func (r summaries) of(ctx context.Context, p *Prepared) *summary {
	if !r.tokens.Summaries {
		return nil
	}
	stands := r.before(ctx, p.q.Place.Scope, p.from.before.Summary)
	stretch := p.Built.Stretch()
	if _, again := AsksAgain(&p.Graph.Trigger); len(stretch) > 0 && !again { // "again" concerns another path
		made, err := r.condense(ctx, r.record(ctx, p, stands, stretch))
		if err != nil {
			r.deps.Log.WarnContext(ctx, "what was left out could not be summarised, the answer goes without", "trigger", p.q.ID, "error", err)
		} else {
			stands = made
		}
	}
	return stands
}

// before returns the summary on the path that this one continues, or nil if there is none. It
// may be used, as the answer to that path may, which was made from it.
func (r summaries) before(ctx context.Context, scope store.Scope, id store.SummaryID) *summary {
	if id == 0 || !r.tokens.Summaries {
		return nil
	}
	kept, found, err := r.deps.Store.Responses.Summary(ctx, scope, id)
	if err != nil {
		r.deps.Log.DebugContext(ctx, "a summary could not be looked up, the answer goes without", "error", err)
	}
	if !found {
		return nil
	}
	return r.recorded(ctx, &kept)
}

// condense returns the summary that a record describes: a stored one that was made from the
// same messages, or a new one.
func (r summaries) condense(ctx context.Context, record store.Response) (*summary, error) {
	ctx, cancel := context.WithTimeout(ctx, summaryTimeout)
	defer cancel()
	made, found, err := r.deps.Store.Responses.Find(ctx, store.Want{Scope: record.Scope, PathHash: record.PathHash, Model: record.Model})
	if err != nil {
		return nil, fmt.Errorf("look for a summary: %w", err)
	}
	if both := len(Inherit(record.Sources, made.Sources)); found && both == len(record.Sources) && both == len(made.Sources) {
		return r.recorded(ctx, &made), nil
	}
	if err := r.ask(ctx, &record); err != nil {
		return nil, fmt.Errorf("ask for a summary: %w", err)
	}
	if err := r.deps.Store.Responses.Save(ctx, record); err != nil {
		return nil, fmt.Errorf("store a summary: %w", err)
	}
	return r.recorded(ctx, &record), nil
}

// ask has the model write a summary, and completes its record.
func (r summaries) ask(ctx context.Context, record *store.Response) error {
	defer r.deps.Replies.Typing(ctx, record.Channel)()
	answer, err := r.deps.Model.Stream(ctx, llm.Request{Path: path.Path{Turns: record.Path, Options: record.Options}}, nil)
	switch {
	case err != nil:
		return err
	case !answer.Complete():
		return errPartSummary
	}
	record.Text, record.FinishReason, record.Without = answer.Text, answer.FinishReason, answer.Without
	record.RequestHash, record.ResponseHash = answer.RequestHash, path.ResponseHash(answer.Text, answer.FinishReason)
	record.Usage, record.Created = store.Usage(answer.Usage), time.Now()
	record.Reported, record.Fingerprint = answer.Model, answer.Fingerprint
	return nil
}

// recorded returns a recorded summary in the form that it has on a path.
func (r summaries) recorded(ctx context.Context, kept *store.Response) *summary {
	return &summary{id: kept.SummaryID(), turn: r.tokens.clipped(ctx, kept.Text), sources: kept.Sources}
}

// record returns the record of a summary of what left a path, without its text. It is the
// answer to a path of its own, which contains the stretch turn by turn.
func (r summaries) record(ctx context.Context, p *Prepared, before *summary, stretch []path.Left) store.Response {
	record := store.Response{
		Standing: store.Standing{Scope: p.q.Place.Scope, Channel: p.q.Channel, Trigger: p.q.ID, Self: r.deps.Guilds.Self().ID, Summarises: len(stretch)},
		Input: store.Input{
			Model: r.deps.Model.Model(), Options: path.Options{Temperature: r.settings.Options.Temperature, MaxTokens: summaryTokens},
			Path: r.tokens.condensable(ctx, before, path.Transcript(stretch, r.Naming(p.offered))), Sources: before.asSources(),
		},
	}
	for i := range stretch {
		record.Sources = Inherit(record.Sources, p.Past.Of(*stretch[i].Message))
	}
	if before != nil {
		record.Summary = before.id
	}
	record.PathHash = path.Path{Turns: record.Path, Options: record.Options}.Hash()
	_, _ = rand.Read(record.ID[:]) // it never fails
	return record
}

// condensable returns the path that a summary answers: the newest turns of a stretch that
// fit the budget, after the summary before them.
func (t *tokens) condensable(ctx context.Context, before *summary, stretch []path.Turn) []path.Turn {
	head := []path.Turn{{Role: path.RoleSystem, Parts: []path.Part{path.Text(llm.System(phrases.ModelSummary))}}}
	if before != nil {
		head = append(head, before.turn)
	}
	task := path.Task(phrases.ModelSummarise)
	left := t.Budget - t.Count(ctx, task)
	for _, turn := range head {
		left -= t.Count(ctx, turn)
	}
	for i, turn := range slices.Backward(stretch) {
		if left -= t.Count(ctx, turn); left < 0 {
			stretch = stretch[i+1:]
			break
		}
	}
	return slices.Concat(head, stretch, []path.Turn{task})
}

// clipped returns a summary as a turn, cut to its room.
func (t *tokens) clipped(ctx context.Context, text string) path.Turn {
	room := t.summaryRoom()
	turn := path.Summary(text)
	for tokens := t.Count(ctx, turn); tokens > room && text != ""; tokens = t.Count(ctx, turn) {
		end := min(len(text)*room/tokens, len(text)-1)
		for end > 0 && !utf8.RuneStart(text[end]) {
			end--
		}
		text = text[:end]
		turn = path.Summary(text + "…")
	}
	return turn
}
