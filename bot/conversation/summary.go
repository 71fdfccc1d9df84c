package conversation

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"time"
	"unicode/utf8"

	"heddle/bot/phrases"
	"heddle/bot/sources"
	"heddle/bot/work"
	"heddle/graph"
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

// summaries summarises the messages that leave paths.
type summaries struct {
	responses Responses
	model     Model
	typing    Typing
	leases    *work.Leases
	tokens    *tokens
	guilds    Members
	naming    naming
	people    People
	log       *slog.Logger
	options   path.Options
}

// add adds a summary to a path: a new one if the path has reached another checkpoint,
// and otherwise that of the path that it continues. It returns nil if there is none.
// After an error the path has no summary.
func (s *summaries) add(ctx context.Context, trigger *graph.Message, q Question, built *path.Built, from continuation) *summary {
	if s.tokens.summaryRoom() == 0 || s.tokens.count == nil {
		return nil
	}
	stands := s.before(ctx, q, from)
	stretch := built.Stretch()
	if _, again := AsksAgain(trigger); len(stretch) > 0 && !again { // "again" concerns another path
		made, err := s.condense(ctx, q, trigger.Author, stands, stretch)
		if err != nil {
			s.log.WarnContext(ctx, "what was left out could not be summarised, the answer goes without", "trigger", q.ID, "error", err)
		} else {
			stands = made
		}
	}
	if stands != nil {
		built.Summarise(stands.turn)
	}
	return stands
}

// before returns the summary on the path that this one continues, or nil if there is
// none.
func (s *summaries) before(ctx context.Context, q Question, from continuation) *summary {
	id := from.before.Summary
	if id == 0 {
		return nil
	}
	kept, found, err := s.responses.Summary(ctx, q.Place.Scope, id)
	if err != nil {
		s.log.DebugContext(ctx, "a summary could not be looked up, the answer goes without", "error", err)
	}
	if !found || sources.AnyOut(s.people, kept.Sources) {
		return nil
	}
	return &summary{id: id, turn: s.clipped(ctx, kept.Text), sources: kept.Sources}
}

// recorded returns a recorded summary in the form that it has on a path.
func (s *summaries) recorded(ctx context.Context, kept *store.Response) *summary {
	return &summary{id: kept.SummaryID(), turn: s.clipped(ctx, kept.Text), sources: kept.Sources}
}

// condense returns the summary of a stretch and of the summary before it: a stored one
// if its sources may be read, or a new one.
func (s *summaries) condense(ctx context.Context, q Question, author graph.UserID, before *summary, stretch []path.Left) (*summary, error) {
	ctx, cancel := context.WithTimeout(ctx, summaryTimeout)
	defer cancel()
	record := s.record(ctx, q, before, stretch)
	sought, err := s.responses.Seek(ctx, store.Want{Scope: record.Scope, PathHash: record.PathHash, Model: record.Model}, s.leases.TTL())
	if err != nil {
		return nil, fmt.Errorf("look for a summary: %w", err)
	}
	if sought.Found {
		asker := q.AskedBy(cmp.Or(q.Asker, author))
		asker.Own = record.Sources
		if sources.MayBeGiven(ctx, s.log, s.guilds, asker, sought.Response.Sources) {
			return s.given(ctx, record, &sought.Response)
		}
	} else {
		defer s.leases.Keep(ctx, s.log, sought.Lead)()
	}
	defer s.typing.Typing(ctx, q.Channel)()
	answer, err := s.model.Stream(ctx, llm.Request{Path: path.Path{Turns: record.Path, Options: record.Options}, Tail: record.Tail}, nil)
	switch {
	case err != nil:
		return nil, fmt.Errorf("ask for a summary: %w", err)
	case !answer.Complete():
		return nil, fmt.Errorf("ask for a summary: %w", errPartSummary)
	}
	record.Text, record.FinishReason, record.Without = answer.Text, answer.FinishReason, answer.Without
	record.RequestHash, record.ResponseHash = answer.RequestHash, path.ResponseHash(answer.Text, answer.FinishReason)
	record.Usage, record.Created = store.Usage(answer.Usage), time.Now()
	record.Reported, record.Fingerprint = answer.Model, answer.Fingerprint
	if err := s.responses.Save(ctx, record); err != nil {
		return nil, fmt.Errorf("store a summary: %w", err)
	}
	return s.recorded(ctx, &record), nil
}

// given returns a stored summary for another use. If it was made from other messages
// with the same content, given stores a copy with the sources of both, so that a
// deletion of either erases it.
func (s *summaries) given(ctx context.Context, record store.Response, made *store.Response) (*summary, error) {
	both := sources.Inherit(record.Sources, made.Sources)
	if len(both) > len(made.Sources) {
		record.Sources, record.Output, record.RequestHash, record.Created = both, made.Output, made.RequestHash, made.Created
		record.Reuses, record.Reused = made.Original(), time.Now()
		if err := s.responses.Save(ctx, record); err != nil {
			return nil, fmt.Errorf("store a summary: %w", err)
		}
		return s.recorded(ctx, &record), nil
	}
	return s.recorded(ctx, made), nil
}

// record returns the record of a summary without its text. It is the answer to a path
// of its own, which contains the stretch turn by turn.
func (s *summaries) record(ctx context.Context, q Question, before *summary, stretch []path.Left) store.Response {
	record := store.Response{
		Standing: store.Standing{Scope: q.Place.Scope, Channel: q.Channel, Trigger: q.ID, Self: s.guilds.Self().ID, Summarises: len(stretch)},
		Input: store.Input{
			Model: s.model.Model(), Options: s.options, Path: s.condensable(ctx, before, stretch), Tail: phrases.ModelSummarise,
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

// condensable returns the path that a summary answers: the newest turns of the stretch
// that fit the budget, after the summary before them.
func (s *summaries) condensable(ctx context.Context, before *summary, stretch []path.Left) []path.Turn {
	head := []path.Turn{{Role: path.RoleSystem, Parts: []path.Part{path.Text(llm.System(phrases.ModelSummary))}}}
	if before != nil {
		head = append(head, before.turn)
	}
	turns := path.Transcript(stretch, s.naming.now())
	if s.tokens.budget == 0 {
		return append(head, turns...)
	}
	left := s.tokens.ownBudget() - s.tokens.ofText(ctx, phrases.ModelSummarise)
	for _, turn := range head {
		left -= s.tokens.count(ctx, turn)
	}
	from := len(turns)
	for from > 0 {
		if left -= s.tokens.count(ctx, turns[from-1]); left < 0 {
			break
		}
		from--
	}
	return append(head, turns[from:]...)
}

// clipped returns a summary as a turn, cut to its room.
func (s *summaries) clipped(ctx context.Context, text string) path.Turn {
	room := s.tokens.summaryRoom()
	turn := path.Summary(text)
	for tokens := s.tokens.count(ctx, turn); tokens > room && text != ""; tokens = s.tokens.count(ctx, turn) {
		end := min(len(text)*room/tokens, len(text)-1)
		for end > 0 && !utf8.RuneStart(text[end]) {
			end--
		}
		text = text[:end]
		turn = path.Summary(text + "…")
	}
	return turn
}
