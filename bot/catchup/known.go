package catchup

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"log/slog"
	"slices"
	"time"

	"heddle/bot/phrases"
	"heddle/bot/work"
	"heddle/graph"
	"heddle/graph/path"
	"heddle/llm"
	"heddle/store"
)

// known stores descriptions of talks. A description is stored as the summary of a path
// that contains only the talk, with the talk's messages as its sources. It is thus
// encrypted, found by the content of the talk, and erased with any of its messages,
// their older versions, and their authors.
type known struct {
	responses Responses
	people    People
	model     Model
	log       *slog.Logger
}

// recall sets the stored description of a talk, and reports whether there is one. A
// description made from other messages with the same content does not count.
func (k *known) recall(ctx context.Context, t *talk) bool {
	record := k.record(0, t)
	kept, found, err := k.responses.Summary(ctx, t.scope, record.SummaryID())
	if err != nil {
		k.log.DebugContext(ctx, "it could not be looked up what is known of a talk, the model is asked", "error", err)
	}
	if !found || !k.isOf(t, kept.Sources) {
		return false
	}
	return json.Unmarshal([]byte(kept.Text), &t.described) == nil && t.Title != ""
}

// isOf reports whether sources are the messages of a talk, and nobody who wrote them
// opted out.
func (k *known) isOf(t *talk, sources []store.SourceRef) bool {
	return slices.EqualFunc(t.sources(), sources, func(a, b store.SourceRef) bool {
		return a.Message == b.Message && a.Channel == b.Channel && !k.people.OptedOut(b.Author)
	})
}

// sources returns the Discord messages of a talk.
func (t *talk) sources() []store.SourceRef {
	var all []store.SourceRef
	for i := range t.Messages {
		m := &t.Messages[i]
		for _, id := range append([]graph.MessageID{m.ID}, m.Parts...) {
			all = append(all, store.SourceRef{Message: id, Channel: m.Channel, Author: m.Author, Edited: m.Edited})
		}
	}
	return all
}

// keep stores the model's description of a talk. After an error the model is asked
// again next time.
func (k *known) keep(ctx context.Context, at graph.MessageID, t *talk, answer *llm.Answer) {
	text, err := json.Marshal(t.described)
	if err != nil {
		return // it holds only texts, so this never happens
	}
	record := k.record(at, t)
	record.Text, record.FinishReason, record.Created = string(text), llm.FinishStop, time.Now()
	record.ResponseHash = path.ResponseHash(record.Text, record.FinishReason)
	record.Usage, record.Reported, record.Fingerprint = store.Usage(answer.Usage), answer.Model, answer.Fingerprint
	_, _ = rand.Read(record.ID[:]) // it never fails
	if err := k.responses.Save(ctx, record); err != nil && !errors.Is(err, store.ErrForgotten) {
		k.log.Log(ctx, work.LogLevel(err), "what was said of a talk could not be stored, the model is asked again next time", "error", err)
	}
}

// record returns the record of a description, without its text. It has no RequestHash,
// as the request was about other talks as well.
func (k *known) record(at graph.MessageID, t *talk) store.Response {
	record := store.Response{
		Standing: store.Standing{Scope: t.scope, Channel: t.First().Channel, Trigger: at, Summarises: len(t.Messages)},
		Input:    store.Input{Model: k.model.Model(), Path: []path.Turn{systemTurn(), t.turn("talk")}, Tail: phrases.ModelDescribe, Sources: t.sources()},
	}
	record.PathHash = path.Path{Turns: record.Path}.Hash()
	return record
}
