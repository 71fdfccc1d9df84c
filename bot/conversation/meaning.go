package conversation

import (
	"cmp"
	"context"
	"crypto/sha256"
	"slices"
	"strings"
	"time"

	"heddle/bot/limits"
	"heddle/bot/sources"
	"heddle/bot/work"
	"heddle/fetch"
	"heddle/graph"
	"heddle/graph/recall"
	"heddle/internal/wait"
	"heddle/store"
)

// The bounds of embedding.
const (
	meaningPause   = time.Minute            // the pause after a failure
	meaningWait    = 400 * time.Millisecond // the longest wait for the vector of a question
	meaningMost    = 500                    // the exchanges of a channel
	meaningAtOnce  = 64                     // the exchanges of a request
	meaningText    = 2000                   // the bytes of an exchange
	meaningWaiting = 128                    // the questions whose channels are yet to be embedded
	nearest        = 8                      // the exchanges that are found for a question
)

// embedLater notes that the channel of a question is to be embedded. If too many wait, the
// next question in the channel notes it again.
func (r *recaller) embedLater(q Question) {
	if r.embedder == nil || q.Place.NoHistory {
		return
	}
	select {
	case r.asked <- q:
	default:
	}
}

// embedAsked embeds the channels of questions until ctx ends. It does so after a question,
// while nobody waits.
func (r *recaller) embedAsked(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case q := <-r.asked:
			account := r.limits.Open(ctx, limits.Who{Channel: q.Channel, Guild: q.Guild})
			err := r.embed(limits.With(ctx, account), q)
			if err == nil || ctx.Err() != nil {
				continue
			}
			r.log.Log(ctx, work.LogLevel(err), "older messages could not be embedded, they are found by rare words alone", "channel", q.Channel, "error", err)
			_ = wait.For(ctx, meaningPause) // the loop ends with ctx
		}
	}
}

// embed computes the missing vectors of a question's channel and drops those that are no
// longer needed.
func (r *recaller) embed(ctx context.Context, q Question) error {
	exchanges, err := r.exchanges(ctx, q)
	if err != nil {
		return err
	}
	stored, err := r.vectors.Of(ctx, q.Place.Scope, q.Channel)
	if err != nil {
		return err
	}
	prints := make(map[graph.MessageID][16]byte, len(stored))
	for i := range stored {
		prints[stored[i].Anchor] = stored[i].Print
	}
	missing := slices.DeleteFunc(exchanges, func(e exchange) bool { return prints[e.vector.Anchor] == e.vector.Print })
	for batch := range slices.Chunk(missing, meaningAtOnce) {
		made, err := r.embedBatch(ctx, batch)
		if err != nil {
			return err
		}
		if err := r.vectors.Put(ctx, q.Place.Scope, q.Channel, made); err != nil {
			return err
		}
		stored = append(stored, made...)
	}
	if len(stored) <= meaningMost {
		return nil
	}
	slices.SortFunc(stored, func(a, b store.Vector) int { return cmp.Compare(b.Anchor, a.Anchor) })
	var old []graph.MessageID
	for i := range stored[meaningMost:] {
		old = append(old, stored[meaningMost+i].Anchor)
	}
	return r.vectors.Drop(ctx, q.Place.Scope, q.Channel, old)
}

// embedBatch has vectors made for the texts of a batch.
func (r *recaller) embedBatch(ctx context.Context, batch []exchange) ([]store.Vector, error) {
	texts := make([]string, len(batch))
	for i := range batch {
		texts[i] = batch[i].text
	}
	vectors, err := r.embedder.Embed(ctx, texts)
	if err != nil {
		return nil, err
	}
	made := make([]store.Vector, len(batch))
	for i := range batch {
		made[i] = batch[i].vector
		made[i].Values = recall.Rounded(vectors[i])
	}
	return made, nil
}

// exchange is an exchange that needs a vector.
type exchange struct {
	text   string
	vector store.Vector // without values
}

// exchanges returns the newest exchanges of a question's channel that are held in memory.
func (r *recaller) exchanges(ctx context.Context, q Question) ([]exchange, error) {
	next, heard := r.history.Next(q.Channel)
	if !heard || !r.people.Known() {
		return nil, nil
	}
	var all []exchange
	back := fetch.Back{Channel: q.Channel, Before: next, Pages: 2 * meaningMost / 100}
	past := r.reader.For(sources.Asker{Scope: q.Place.Scope})
	_, err := past.Older(ctx, back, func(said *graph.Message) bool {
		anchor := said.Position().Anchor
		if len(all) == 0 || all[len(all)-1].vector.Anchor != anchor {
			if len(all) == meaningMost {
				return false
			}
			all = append(all, exchange{vector: store.Vector{Anchor: anchor}})
		}
		e := &all[len(all)-1]
		e.text = said.Text + "\n" + e.text // from new to old
		e.vector.Made = append(e.vector.Made, past.Of(*said)...)
		return true
	})
	for i := range all {
		text := strings.ToValidUTF8(all[i].text[:min(len(all[i].text), meaningText)], "")
		all[i].text = strings.TrimSpace(text)
		sum := sha256.Sum256([]byte(r.embedder.Model() + "\x00" + all[i].text))
		copy(all[i].vector.Print[:], sum[:])
	}
	return slices.DeleteFunc(all, func(e exchange) bool { return e.text == "" }), err
}

// like returns the exchanges of a channel before a question that are similar in meaning,
// best first. It returns none if no vectors of them are stored.
func (r *recaller) like(ctx context.Context, scope store.Scope, question *graph.Message) []recall.Scored {
	if r.embedder == nil {
		return nil
	}
	stored, err := r.vectors.Of(ctx, scope, question.Channel)
	if err != nil {
		r.log.DebugContext(ctx, "what exchanges mean could not be read, words alone find them", "error", err)
	}
	if len(stored) == 0 {
		return nil
	}
	vectors, err := r.embedder.Embed(ctx, []string{question.Text})
	if err != nil {
		r.log.DebugContext(ctx, "a question could not be embedded, rare words alone decide what comes back", "error", err)
		return nil
	}
	known := make([]recall.Meaning, len(stored))
	for i := range stored {
		known[i] = recall.Meaning{Anchor: stored[i].Anchor, Values: stored[i].Values}
	}
	return recall.Near(vectors[0], known, question.ID, nearest)
}
