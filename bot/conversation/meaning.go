package conversation

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"time"

	"heddle/bot/guilds"
	"heddle/bot/limits"
	"heddle/fetch"
	"heddle/graph"
	"heddle/graph/recall"
	"heddle/internal/wait"
	"heddle/store"
)

// Embedder turns texts into vectors; llm.Embedder is one.
type Embedder interface {
	// Embed returns a vector of length 1 for each text.
	Embed(ctx context.Context, texts []string) ([][]float32, error)
	Model() string
}

// Accounts opens the accounts that requests to a provider are charged to; limits.Limits
// does.
type Accounts interface {
	Open(ctx context.Context, who limits.Who) *limits.Account
}

// Vectors stores the vectors of exchanges; store.Vectors does.
type Vectors interface {
	Put(ctx context.Context, scope store.Scope, channel graph.ChannelID, vectors []store.Vector) error
	Of(ctx context.Context, scope store.Scope, channel graph.ChannelID) ([]store.Vector, error)
	Drop(ctx context.Context, scope store.Scope, channel graph.ChannelID, anchors []graph.MessageID) error
}

// The bounds of embedding.
const (
	meaningQuiet  = 2 * time.Second        // the time without a message after which a channel is embedded
	meaningPause  = time.Minute            // the pause after a failure
	meaningWait   = 400 * time.Millisecond // the longest wait for the vector of a question
	meaningMost   = 500                    // the exchanges of a channel
	meaningAtOnce = 64                     // the exchanges of a request
	meaningText   = 2000                   // the bytes of an exchange
	nearest       = 8                      // the exchanges that are found for a question
)

// meaning keeps vectors of the exchanges in channels where heddle was lately asked, and
// finds those that are similar in meaning to a question. The vectors are computed while
// nobody waits. If the provider takes too long for the vector of a question, the
// question is answered without.
type meaning struct {
	embedder Embedder
	vectors  Vectors
	people   People
	history  channelLog
	accounts Accounts
	log      *slog.Logger
	lately   *lately
	held     *vectorsOf
}

// newMeaning returns a meaning, or nil if there is no embedder.
func newMeaning(embedder Embedder, vectors Vectors, people People, history channelLog, accounts Accounts, log *slog.Logger) *meaning {
	if embedder == nil {
		return nil
	}
	m := &meaning{embedder: embedder, vectors: vectors, people: people, history: history, accounts: accounts, log: log, held: newVectorsOf()}
	m.lately = newLately(meaningQuiet, m.held.drop)
	return m
}

// Added implements fetch.Watcher.
func (m *meaning) Added(channel graph.ChannelID) { m.lately.add(channel) }

// Changed implements fetch.Watcher. It drops what is held in memory at once. The
// vectors are read again from the store, which deletions reach.
func (m *meaning) Changed(channel graph.ChannelID) {
	if m.lately.change(channel) {
		m.held.drop(channel)
	}
}

// run embeds until ctx ends.
func (m *meaning) run(ctx context.Context) {
	for {
		q, err := m.lately.await(ctx)
		if err != nil {
			return
		}
		account := m.accounts.Open(ctx, limits.Who{Channel: q.Channel, Guild: q.Guild})
		err = m.embed(limits.With(ctx, account), q.Channel, q.Place)
		_, exceeded := errors.AsType[*limits.ExceededError](err)
		switch {
		case ctx.Err() != nil:
			return
		case exceeded:
			m.log.InfoContext(ctx, "older messages are not embedded, as that would exceed a limit; rare words find them", "channel", q.Channel, "error", err)
		case err != nil:
			m.log.WarnContext(ctx, "older messages could not be embedded, they are found by rare words alone", "error", err)
			m.lately.add(q.Channel)
			if wait.For(ctx, meaningPause) != nil {
				return
			}
		}
	}
}

// embed computes the missing vectors of a channel and drops those that are no longer
// needed.
func (m *meaning) embed(ctx context.Context, channel graph.ChannelID, place guilds.Place) error {
	exchanges, err := m.exchanges(ctx, channel)
	if err != nil {
		return err
	}
	stored, err := m.vectors.Of(ctx, place.Scope, channel)
	if err != nil {
		return err
	}
	prints := make(map[graph.MessageID][16]byte, len(stored))
	for i := range stored {
		prints[stored[i].Anchor] = stored[i].Print
	}
	missing := slices.DeleteFunc(exchanges, func(e told) bool { return prints[e.vector.Anchor] == e.vector.Print })
	for batch := range slices.Chunk(missing, meaningAtOnce) {
		made, err := m.embedBatch(ctx, batch)
		if err != nil {
			return err
		}
		if err := m.vectors.Put(ctx, place.Scope, channel, made); err != nil {
			return err
		}
	}
	if len(missing) > 0 { // read them back, as deletions in the meantime may have removed some
		if stored, err = m.vectors.Of(ctx, place.Scope, channel); err != nil {
			return err
		}
	}
	slices.SortFunc(stored, func(a, b store.Vector) int { return cmp.Compare(b.Anchor, a.Anchor) })
	var old []graph.MessageID
	for i := meaningMost; i < len(stored); i++ {
		old = append(old, stored[i].Anchor)
	}
	if len(old) > 0 {
		if err := m.vectors.Drop(ctx, place.Scope, channel, old); err != nil {
			return err
		}
	}
	m.keep(channel, stored[:min(len(stored), meaningMost)])
	return nil
}

// keep holds the vectors of a channel in memory, unless something in it has changed
// since they were read.
func (m *meaning) keep(channel graph.ChannelID, vectors []store.Vector) {
	m.held.put(channel, meaningsOf(vectors))
	if m.lately.isStale(channel) {
		m.held.drop(channel)
	}
}

func meaningsOf(vectors []store.Vector) []recall.Meaning {
	meanings := make([]recall.Meaning, len(vectors))
	for i := range vectors {
		meanings[i] = recall.Meaning{Anchor: vectors[i].Anchor, Values: vectors[i].Values}
	}
	return meanings
}

// embedBatch has vectors made for the texts of a batch.
func (m *meaning) embedBatch(ctx context.Context, batch []told) ([]store.Vector, error) {
	texts := make([]string, len(batch))
	for i := range batch {
		texts[i] = batch[i].text
	}
	vectors, err := m.embedder.Embed(ctx, texts)
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

// told is an exchange that needs a vector.
type told struct {
	text   string
	vector store.Vector // without values
}

// exchanges returns the newest exchanges of a channel that are held in memory.
func (m *meaning) exchanges(ctx context.Context, channel graph.ChannelID) ([]told, error) {
	next, heard := m.history.Next(channel)
	if !heard || !m.people.Known() {
		return nil, nil
	}
	var all []told
	back := fetch.Back{Channel: channel, Before: next, Pages: 2 * meaningMost / 100}
	_, err := m.history.Older(ctx, back, func(said *graph.Message) bool {
		if m.people.OptedOut(said.Author) {
			return true
		}
		anchor := said.Position().Anchor
		if len(all) == 0 || all[len(all)-1].vector.Anchor != anchor {
			if len(all) == meaningMost {
				return false
			}
			all = append(all, told{vector: store.Vector{Anchor: anchor}})
		}
		e := &all[len(all)-1]
		e.text = said.Text + "\n" + e.text // from new to old
		e.vector.Made = append(e.vector.Made, store.SourceRef{Message: said.ID, Channel: channel, Author: said.Author})
		for _, part := range said.Parts {
			e.vector.Made = append(e.vector.Made, store.SourceRef{Message: part, Channel: channel, Author: said.Author})
		}
		return true
	})
	for i := range all {
		text := strings.ToValidUTF8(all[i].text[:min(len(all[i].text), meaningText)], "")
		all[i].text = strings.TrimSpace(text)
		sum := sha256.Sum256([]byte(m.embedder.Model() + "\x00" + all[i].text))
		copy(all[i].vector.Print[:], sum[:])
	}
	return slices.DeleteFunc(all, func(e told) bool { return e.text == "" }), err
}

// like returns the exchanges of a channel before a question that are similar in meaning,
// best first. It returns nil if that takes longer than meaningWait.
func (m *meaning) like(ctx context.Context, question *graph.Message) []recall.Scored {
	if m == nil {
		return nil
	}
	known := m.held.get(question.Channel)
	ctx, cancel := context.WithTimeout(ctx, meaningWait)
	defer cancel()
	return m.near(ctx, question, known)
}

// Meanings finds exchanges by their meaning. Its methods may be called from any
// goroutine.
type Meanings struct{ kept *meaning }

// Meanings returns the Meanings of the vectors that are kept of channels.
func (r *Preparer) Meanings() Meanings { return Meanings{r.watchers.meaning} }

// Like returns the exchanges of a channel before a question that are similar in
// meaning, best first. It reads stored vectors, so heddle need not have been asked
// there lately. It returns none if none are stored, or if no embedding model is set.
func (s Meanings) Like(ctx context.Context, scope store.Scope, question *graph.Message) []recall.Scored {
	m := s.kept
	if m == nil {
		return nil
	}
	stored, err := m.vectors.Of(ctx, scope, question.Channel)
	if err != nil {
		m.log.DebugContext(ctx, "what exchanges mean could not be read, words alone find them", "error", err)
		return nil
	}
	return m.near(ctx, question, meaningsOf(stored))
}

// near returns those of the known exchanges that are similar in meaning to a question.
func (m *meaning) near(ctx context.Context, question *graph.Message, known []recall.Meaning) []recall.Scored {
	if len(known) == 0 {
		return nil
	}
	vectors, err := m.embedder.Embed(ctx, []string{question.Text})
	if err != nil {
		m.log.DebugContext(ctx, "a question could not be embedded, rare words alone decide what comes back", "error", err)
		return nil
	}
	return recall.Near(vectors[0], known, question.ID, nearest)
}
