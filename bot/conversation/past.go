package conversation

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"heddle/fetch"
	"heddle/graph"
	"heddle/store"
)

// Past is what was said before, as far as it may be used for one asker. Nothing by anybody who
// opted out is in it, and of what heddle said itself only this:
//
//   - an answer that is recorded, as it was given, while its sources may be used for the
//     asker;
//   - an answer without a record, as Discord shows it, while the question that it replies
//     to stands.
//
// While records cannot be read, nothing that heddle said is read: it may have been made from
// words that were taken back.
//
// Service messages of heddle's, such as a catch-up, a refusal or a welcome, are not in it, as
// nobody talks with them (finding 4.12). A catch-up is read where a message replies to it.
//
// The methods may be called from any goroutine. mu guards said, and is not held during
// I/O.
type Past struct {
	from  *Preparer
	asker Asker

	mu   sync.Mutex
	said map[graph.MessageID]said
}

// Past returns what was said before for an asker.
func (r *Preparer) Past(asker Asker) *Past {
	return &Past{from: r, asker: asker, said: make(map[graph.MessageID]said)}
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
	service                  // the catch-up that it shows
	hidden                   // an answer from what the asker may not read
	unusable                 // an answer that was erased, or must not be used by anybody
	unread                   // nothing, as records could not be read
)

// Source returns a source that leaves out what must not be used. A reference to an answer
// that is left out leads to the question that it answers.
func (r *Past) Source(ctx context.Context, source graph.Source) graph.Source {
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
func (r *Past) beyond(source graph.Source, batch graph.Batch, reading graph.Reading) (graph.Reading, error) {
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
func (r *Past) Older(ctx context.Context, back fetch.Back, each func(*graph.Message) bool) (fetch.Reached, error) {
	var failure error
	reached, err := r.from.deps.History.Older(ctx, back, func(page []graph.Message) bool {
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
func (r *Past) Usable(ctx context.Context, messages []graph.Message) ([]graph.Message, error) {
	if err := r.look(ctx, messages); err != nil {
		return nil, err
	}
	return r.admitted(messages), nil
}

// look looks up which answers those of messages show that are heddle's or forward one of
// heddle's, each message once, in one round trip a scope. It fails only if ctx ended.
func (r *Past) look(ctx context.Context, messages []graph.Message) error {
	asked := make(map[store.Scope][]graph.MessageID)
	r.mu.Lock()
	for i := range messages {
		m := &messages[i]
		if _, known := r.said[m.ID]; !known && m.Origin == graph.OriginSelf {
			scope := r.from.deps.Guilds.Scope(r.asker.Guild, m.Channel)
			asked[scope] = append(asked[scope], m.ID)
		}
		for _, of := range r.ofOwn(m) {
			if _, known := r.said[of.Message]; !known {
				scope := r.from.deps.Guilds.Scope(r.asker.Guild, of.Channel)
				asked[scope] = append(asked[scope], of.Message)
			}
		}
	}
	r.mu.Unlock()
	for scope, own := range asked {
		known, err := r.from.recollect(ctx, scope, own)
		if err != nil && ctx.Err() != nil {
			return fmt.Errorf("recall answers: %w", err)
		}
		if err != nil {
			r.from.deps.Log.DebugContext(ctx, "records could not be read, what heddle said is left out", "messages", len(own), "error", err)
		}
		judged := make(map[graph.MessageID]said, len(own))
		for _, id := range own {
			record, found := known[id]
			asker := r.asker
			asker.Scope = scope // an answer is used for those who may read it where it stands
			judged[id] = r.judge(ctx, asker, record, found, err)
		}
		r.mu.Lock()
		maps.Copy(r.said, judged)
		r.mu.Unlock()
	}
	return nil
}

// recollect looks up the records of answers. It fails while they may be out of date: while it is
// not known who has opted out since, or while a deletion waits to be written.
func (r *Preparer) recollect(ctx context.Context, scope store.Scope, replies []graph.MessageID) (map[graph.MessageID]store.Response, error) {
	if err := r.deps.People.Refresh(ctx); err != nil {
		return nil, err //nolint:wrapcheck // it says what failed
	}
	if !r.deps.Writes.Settle(ctx, scope) {
		return nil, fmt.Errorf("deletions wait to be written: %w", store.ErrUnavailable)
	}
	return r.deps.Store.Responses.Recollect(ctx, scope, replies) //nolint:wrapcheck // likewise
}

// judge returns what is known of a message of heddle's by its record, if one was found, or the
// error that looking for it ended with.
func (r *Past) judge(ctx context.Context, asker Asker, record store.Response, found bool, err error) said {
	switch {
	case err != nil:
		return said{kind: unread}
	case !found:
		return said{kind: unknown}
	case record.Gone(), r.from.rights.AnyOut(record.Sources):
		return said{kind: unusable}
	case !r.from.rights.MayUse(ctx, asker, record.Sources):
		return said{record, hidden}
	case record.Service:
		return said{record, service}
	default:
		return said{record, usable}
	}
}

// ofOwn returns the references to messages of heddle's that a message forwards.
func (r *Past) ofOwn(m *graph.Message) []graph.Reference {
	if forwards := forwarded(m); r.asker.Self == 0 || !slices.ContainsFunc(forwards, func(s store.SourceRef) bool { return s.Author == r.asker.Self }) {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(m.References), func(of graph.Reference) bool {
		return of.Kind != graph.ReferenceForward || of.User != r.asker.Self
	})
}

// admitted returns those of messages that may be used, in place of messages. What was said around
// a message holds no service messages.
func (r *Past) admitted(messages []graph.Message) []graph.Message {
	used := messages[:0]
	for i := range messages {
		r.mu.Lock()
		serves := r.said[messages[i].ID].kind == service
		r.mu.Unlock()
		if !serves && r.admit(&messages[i]) {
			used = append(used, messages[i])
		}
	}
	return used
}

// admit reports whether a message may be used. It removes from one that forwards an answer of
// heddle's what must not be used: who forwarded it showed it to everybody who reads the
// forward, so that it does not matter what of its sources the asker may read. admit gives a recorded answer the text that
// was given: on Discord it has notices, and is split at its limit. An answer of which
// nothing is left, as the model failed, is not used.
func (r *Past) admit(m *graph.Message) bool {
	if r.from.deps.People.OptedOut(m.Author) {
		return false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, of := range r.ofOwn(m) {
		if kind := r.said[of.Message].kind; kind == unusable || kind == unread {
			m.WithoutForward()
			m.References = slices.DeleteFunc(slices.Clone(m.References), func(to graph.Reference) bool { return to.Kind == graph.ReferenceForward })
			break
		}
	}
	if m.Origin != graph.OriginSelf {
		return true
	}
	one := r.said[m.ID]
	switch one.kind {
	case usable, service:
		m.Text = one.record.Text
		return m.Text != "" || len(m.Attachments) > 0
	case hidden, unusable, unread:
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
func (r *Past) LacksRecords() bool {
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
func (r *Past) Records() map[graph.MessageID]store.Response {
	r.mu.Lock()
	defer r.mu.Unlock()
	records := make(map[graph.MessageID]store.Response, len(r.said))
	for id, one := range r.said {
		if one.kind == usable || one.kind == service {
			records[id] = one.record
		}
	}
	return records
}

// Of returns the sources of what is made from messages that were read: the messages, with
// all parts of answers, and what they inherit.
func (r *Past) Of(messages ...graph.Message) []store.SourceRef {
	var all []store.SourceRef
	for i := range messages {
		m := &messages[i]
		all = append(all, sourceOf(m))
		all = append(all, forwarded(m)...)
		for _, part := range m.Parts {
			all = append(all, store.SourceRef{Message: part, Channel: m.Channel, Author: m.Author})
		}
	}
	return append(all, r.Inherited(messages...)...)
}

// Inherited returns everybody whose words the answers among messages were made from.
func (r *Past) Inherited(messages ...graph.Message) []store.SourceRef {
	r.mu.Lock()
	defer r.mu.Unlock()
	var all []store.SourceRef
	for i := range messages {
		if one := r.said[messages[i].ID]; one.kind == usable || one.kind == service {
			all = append(all, one.record.Sources...)
		}
	}
	all = named(all)
	for i := range messages {
		for _, of := range r.ofOwn(&messages[i]) {
			for _, source := range r.said[of.Message].record.Sources {
				source.Forwarded, source.Position = true, 0
				all = append(all, source)
			}
		}
	}
	return all
}
