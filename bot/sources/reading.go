package sources

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"sync"

	"heddle/fetch"
	"heddle/graph"
	"heddle/store"
)

// Past is what was said in channels; fetch.History is it.
type Past interface {
	// Older passes the messages of a channel to each, a page at a time, newest first and
	// folded.
	Older(ctx context.Context, back fetch.Back, each func(page []graph.Message) bool) (fetch.Reached, error)
}

// Responses knows which answers heddle's messages show; store.Responses does.
type Responses interface {
	Recollect(ctx context.Context, scope store.Scope, replies []graph.MessageID) (map[graph.MessageID]store.Response, error)
}

// Reader reads what was said. Its methods may be called from any goroutine.
type Reader struct {
	past      Past
	responses Responses
	rule      *Rule
}

// NewReader returns a Reader of the past by a rule.
func NewReader(past Past, responses Responses, rule *Rule) *Reader {
	return &Reader{past, responses, rule}
}

// For begins a reading for an asker.
func (r *Reader) For(asker Asker) *Reading {
	return &Reading{reader: r, asker: asker, said: make(map[graph.MessageID]said)}
}

// Reading reads for one asker. Nothing by anybody who opted out is read, and of what
// heddle said itself only this:
//
//   - an answer that is recorded, as it was given, while its sources may be used for the
//     asker;
//   - an answer without a record, as Discord shows it, while the question that it replies
//     to stands.
//
// While records cannot be read, nothing that heddle said is read: it may have been made from
// words that were taken back.
//
// Messages of heddle's that answer nothing, such as a list of talks that somebody had it
// show, are not read.
//
// The methods may be called from any goroutine. mu guards said, and is not held during
// I/O.
type Reading struct {
	reader *Reader
	asker  Asker

	mu   sync.Mutex
	said map[graph.MessageID]said
}

// said is what is known of a message of heddle's.
type said struct {
	record store.Response
	kind   recorded
}

// recorded is what the store knows of a message of heddle's.
type recorded uint8

const (
	unknown  recorded = iota // nothing
	usable                   // the answer that it shows
	unusable                 // an answer that was erased, or must not be used
	unread                   // nothing, as records could not be read
)

// Source returns a source that leaves out what must not be used. A reference to an answer
// that is left out leads to the question that it answers.
func (r *Reading) Source(ctx context.Context, source graph.Source) graph.Source {
	return func(batch graph.Batch) (graph.Reading, error) {
		reading, err := source(batch)
		if err != nil {
			return reading, err
		}
		var all []graph.Message
		for i := range reading.Found {
			all = append(all, reading.Found[i].Message)
		}
		for i := range reading.Stretches {
			all = append(all, reading.Stretches[i].Messages...)
		}
		if err := r.look(ctx, all); err != nil {
			return reading, err
		}
		for i := range reading.Stretches {
			s := &reading.Stretches[i]
			s.Messages = r.admitted(s.Messages)
		}
		return r.beyond(source, batch, reading)
	}
}

// beyond replaces what was looked up and must not be used by the question that it answers,
// if it answers any.
func (r *Reading) beyond(source graph.Source, batch graph.Batch, reading graph.Reading) (graph.Reading, error) {
	var at []int
	var questions []graph.Lookup
	for i := range reading.Found {
		found := &reading.Found[i]
		if found.State != graph.ReferenceResolved || r.admit(&found.Message) {
			continue
		}
		if question := found.Message.Answers; question != 0 {
			at, questions = append(at, i), append(questions, graph.Lookup{Channel: batch.Lookups[i].Channel, Message: question})
		}
		*found = graph.Found{State: graph.ReferenceWithheld}
	}
	if len(questions) == 0 {
		return reading, nil
	}
	further, err := source(graph.Batch{Lookups: questions})
	if err != nil {
		return reading, err
	}
	for i := range at {
		reading.Found[at[i]] = further.Found[i]
	}
	return reading, nil
}

// Older passes the messages of a channel that may be used to each, newest first and
// folded, until each returns false.
func (r *Reading) Older(ctx context.Context, back fetch.Back, each func(*graph.Message) bool) (fetch.Reached, error) {
	var failure error
	reached, err := r.reader.past.Older(ctx, back, func(page []graph.Message) bool {
		page, failure = r.Usable(ctx, page)
		for i := range page {
			if !each(&page[i]) {
				return false
			}
		}
		return failure == nil
	})
	return reached, errors.Join(err, failure)
}

// Usable returns those of messages that may be used, in their order. It overwrites
// messages.
func (r *Reading) Usable(ctx context.Context, messages []graph.Message) ([]graph.Message, error) {
	if err := r.look(ctx, messages); err != nil {
		return nil, err
	}
	return r.admitted(messages), nil
}

// look looks up which answers those of messages that are heddle's show, each message once,
// in one round trip. It fails only if ctx ended.
func (r *Reading) look(ctx context.Context, messages []graph.Message) error {
	var own []graph.MessageID
	r.mu.Lock()
	for i := range messages {
		if _, known := r.said[messages[i].ID]; !known && messages[i].Origin == graph.OriginSelf {
			own = append(own, messages[i].ID)
		}
	}
	r.mu.Unlock()
	if len(own) == 0 {
		return nil
	}
	known, err := r.reader.responses.Recollect(ctx, r.asker.Scope, own)
	if err != nil && ctx.Err() != nil {
		return fmt.Errorf("recall answers: %w", err)
	}
	if err != nil {
		r.reader.rule.Log.DebugContext(ctx, "records could not be read, what heddle said is left out", "messages", len(own), "error", err)
	}
	judged := make(map[graph.MessageID]said, len(own))
	for _, id := range own {
		record, found := known[id]
		switch {
		case err != nil:
			judged[id] = said{kind: unread}
		case !found:
			judged[id] = said{kind: unknown}
		case record.Gone(), !r.reader.rule.MayUse(ctx, r.asker, record.Sources):
			judged[id] = said{kind: unusable}
		default:
			judged[id] = said{record, usable}
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	maps.Copy(r.said, judged)
	return nil
}

// admitted returns those of messages that may be used, in place of messages.
func (r *Reading) admitted(messages []graph.Message) []graph.Message {
	used := messages[:0]
	for i := range messages {
		if r.admit(&messages[i]) {
			used = append(used, messages[i])
		}
	}
	return used
}

// admit reports whether a message may be used. It gives a recorded answer the text that
// was given: on Discord it has notices, and is split at its limit. An answer of which
// nothing is left, as the model failed, is not used.
func (r *Reading) admit(m *graph.Message) bool {
	if r.reader.rule.People.OptedOut(m.Author) {
		return false
	}
	if m.Origin != graph.OriginSelf {
		return true
	}
	r.mu.Lock()
	one := r.said[m.ID]
	r.mu.Unlock()
	switch one.kind {
	case usable:
		m.Text = one.record.Text
		return m.Text != "" || len(m.Attachments) > 0
	case unusable, unread:
		return false
	case unknown:
	}
	return stands(m)
}

// stands reports whether the question that a message of heddle's replies to stands.
func stands(m *graph.Message) bool {
	for _, r := range m.References {
		if r.Kind == graph.ReferenceReply {
			return r.State != graph.ReferenceDeleted
		}
	}
	return m.Answers != 0
}

// LacksRecords reports whether messages of heddle's were left out because their records
// could not be read.
func (r *Reading) LacksRecords() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, one := range r.said {
		if one.kind == unread {
			return true
		}
	}
	return false
}

// Records returns the records of the answers that were read, each under its first message.
func (r *Reading) Records() map[graph.MessageID]store.Response {
	r.mu.Lock()
	defer r.mu.Unlock()
	records := make(map[graph.MessageID]store.Response, len(r.said))
	for id, one := range r.said {
		if one.kind == usable {
			records[id] = one.record
		}
	}
	return records
}

// Of returns the sources of what is made from messages that were read: the messages, with
// all parts of answers, and what they inherit.
func (r *Reading) Of(messages ...graph.Message) []store.SourceRef {
	var all []store.SourceRef
	for i := range messages {
		m := &messages[i]
		all = append(all, Ref(m))
		for _, part := range m.Parts {
			all = append(all, store.SourceRef{Message: part, Channel: m.Channel, Author: m.Author})
		}
	}
	return append(all, r.Inherited(messages...)...)
}

// Inherited returns everybody whose words the answers among messages were made from.
func (r *Reading) Inherited(messages ...graph.Message) []store.SourceRef {
	r.mu.Lock()
	defer r.mu.Unlock()
	var all []store.SourceRef
	for i := range messages {
		if one := r.said[messages[i].ID]; one.kind == usable {
			all = append(all, one.record.Sources...)
		}
	}
	return Named(all)
}
