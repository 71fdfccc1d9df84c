package conversation

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"heddle/bot/guilds"
	"heddle/fetch"
	"heddle/graph"
	"heddle/graph/recall"
	"heddle/internal/discord"
	"heddle/llm"
)

// The bounds of looking further back than what is held.
const (
	furtherWait = 3 * time.Second         // that an answer waits for it
	searchWait  = 1500 * time.Millisecond // of that, for Discord's search
	mostWords   = 3                       // that are searched for
	enough      = 7                       // bits beyond half of commonWord by which words tell a conversation
	mostOpened  = 2                       // hits around which is read

	pagesBack  = 2 // that are read side by side if a search finds nothing, or too much
	pagesAfter = 2 // that are read one after the other if it fails
)

// A question points further back if it has rare words, new ones above all, and hardly needs what
// was judged. The weights and the least values were chosen by 2,140 questions, 150 of which need
// nothing: of those whose needs are held, 9.8 % count as pointing back, and 90 % of forty that need
// older messages (docs/context-quality.md).
const (
	commonWord  = 13  // bits of llm.Rarity that tell nothing
	heldWeight  = 0.3 // of a word that a compared message holds
	needWeight  = 7.4 // of the three greatest probabilities of being needed
	leastRare   = 2
	leastBack   = -3
	unjudgedAre = 1 // the sum of these probabilities where nothing is judged
)

// pointsBack reports whether a question points further back than what it was compared with.
func pointsBack(g *graph.Graph, words []recall.Word) bool {
	if g.Read != nil {
		return g.Read.Earlier
	}
	rare := 0.0
	for _, word := range words {
		weight := 1.0
		if word.Held > 0 {
			weight = heldWeight
		}
		rare += weight * max(0, llm.Rarity(word.Text)-commonWord)
	}
	var needed []float64
	for _, nodes := range [][]graph.Node{g.Conversation, g.Background, g.Explored} {
		for i := range nodes {
			needed = append(needed, nodes[i].Needed)
		}
	}
	slices.Sort(needed)
	sum := 0.0
	for _, p := range needed[max(0, len(needed)-3):] {
		sum += p
	}
	if sum == 0 {
		sum = unjudgedAre
	}
	return rare >= leastRare && rare-needWeight*sum > leastBack
}

// rarest returns the words of a question, the rarest first: new ones before those that a compared
// message holds.
func rarest(words []recall.Word) []string {
	rank := func(w recall.Word) float64 {
		if w.Held > 0 {
			return heldWeight * llm.Rarity(w.Text)
		}
		return llm.Rarity(w.Text)
	}
	words = slices.SortedStableFunc(slices.Values(words), func(a, b recall.Word) int { return cmp.Compare(rank(b), rank(a)) })
	texts := make([]string, len(words))
	for i := range words {
		texts[i] = words[i].Text
	}
	return texts
}

// first returns how many of the rarest words to search for: as few as tell enough, at most three, as
// a message has to hold all of them.
func first(words []string) (n int) {
	for told := 0.0; n < min(len(words), mostWords) && told < enough; n++ {
		told += max(0, llm.Rarity(words[n])-commonWord/2)
	}
	return n
}

// next returns what to search for after the first n words: one more if they found too much, else one
// fewer, or the next word instead of a single one. It returns "" for nothing.
func next(words []string, n int, found int) string {
	switch {
	case found >= discord.MostFound && n < min(len(words), mostWords):
		n++
	case n > 1:
		n--
	case len(words) > 1:
		return words[1]
	default:
		return ""
	}
	return strings.Join(words[:n], " ")
}

// further reads what a question points to further back than what is held: the next pages of its
// channel and, side by side with them, what Discord's search finds. It returns the hits. Where there
// is no search, there are more pages.
func (r recaller) further(ctx context.Context, p *Prepared, words []recall.Word) []graph.Lookup {
	ctx, cancel := context.WithTimeout(ctx, furtherWait)
	defer cancel()
	q := &p.q
	if words := rarest(words); q.Guild != 0 && len(words) > 0 {
		found, err := r.search(ctx, p, words)
		if err == nil {
			return found
		}
		r.deps.Log.DebugContext(ctx, "the server could not be searched, older pages are read", "trigger", q.ID, "error", err)
	}
	r.readBack(ctx, q, pagesAfter)
	return nil
}

// readBack reads older pages of a question's channel: some side by side, and then so many more.
func (r recaller) readBack(ctx context.Context, q *Question, more int) {
	back := fetch.Back{Channel: q.Channel, Before: q.ID, Ahead: pagesBack, Reads: more, Pages: 1 + pagesBack + more}
	if _, err := r.deps.History.Older(ctx, back, func([]graph.Message) bool { return true }); err != nil {
		r.deps.Log.DebugContext(ctx, "it could not be looked further back, the answer goes without", "trigger", q.ID, "error", err)
	}
}

// search searches the channels that may be used for a question for its rarest words, twice at most,
// and reads around the best hits side by side. It returns these. What Discord found is not used
// itself, as it may have been deleted since.
func (r recaller) search(ctx context.Context, p *Prepared, words []string) ([]graph.Lookup, error) {
	q := &p.q
	s := discord.Search{Channels: append([]graph.ChannelID{q.Channel}, r.others(ctx, p)...), Before: q.ID, AgeRestricted: q.Place.AgeRestricted}
	n := first(words)
	s.Words = strings.Join(words[:n], " ")
	hits, err := r.seek(ctx, p, s)
	if err == nil && (len(hits) == 0 || len(hits) >= discord.MostFound) {
		var pages sync.WaitGroup
		pages.Go(func() { r.readBack(ctx, q, 0) })
		if s.Words = next(words, n, len(hits)); s.Words != "" {
			var more []graph.Message
			more, err = r.seek(ctx, p, s)
			hits = append(more, hits...)
		}
		pages.Wait()
	}
	if err != nil || len(hits) == 0 {
		return nil, err
	}
	return r.open(ctx, p, hits), nil
}

// seek searches, and returns the hits that may be used and are not held: those in the question's own
// channel alone if there are any.
func (r recaller) seek(ctx context.Context, p *Prepared, s discord.Search) ([]graph.Message, error) {
	ctx, cancel := context.WithTimeout(ctx, searchWait)
	defer cancel()
	hits, threads, err := fetch.Seek(ctx, r.deps.History, p.q.Guild, p.q.Channel, s)
	if err != nil {
		return nil, err //nolint:wrapcheck // it says what failed
	}
	for _, thread := range threads {
		if !r.deps.Guilds.Knows(thread.ID) { // it is archived
			r.deps.Guilds.Meet(thread, p.q.Guild)
		}
	}
	asker, may := p.q.AskedBy(p.Person), map[graph.ChannelID]bool{p.q.Channel: true}
	hits = slices.DeleteFunc(hits, func(m graph.Message) bool {
		if _, known := may[m.Channel]; !known {
			at := r.deps.Guilds.Place(m.Channel, p.q.Guild)
			may[m.Channel] = !at.NoHistory && r.rights.mayRead(ctx, asker, m.Channel)
		}
		return !may[m.Channel]
	})
	if here := func(m graph.Message) bool { return m.Channel == p.q.Channel }; slices.ContainsFunc(hits, here) {
		hits = slices.DeleteFunc(hits, func(m graph.Message) bool { return !here(m) })
	}
	return hits, nil
}

// others returns the other channels that may be searched for a question, without threads.
func (r recaller) others(ctx context.Context, p *Prepared) []graph.ChannelID {
	asker := p.q.AskedBy(p.Person)
	return slices.DeleteFunc(guilds.Readable(r.deps.Guilds, p.q.Guild), func(id graph.ChannelID) bool {
		return id == p.q.Channel || !r.rights.mayRead(ctx, asker, id)
	})
}

// open reads around those hits that share most with a question, and returns these.
func (r recaller) open(ctx context.Context, p *Prepared, hits []graph.Message) (wanted []graph.Lookup) {
	words := recall.WordsOf(&p.Graph.Trigger)
	shared := func(m *graph.Message) (bits float64) {
		for _, word := range words.Shared(m) {
			bits += llm.Rarity(word)
		}
		return bits
	}
	slices.SortStableFunc(hits, func(a, b graph.Message) int { return cmp.Compare(shared(&b), shared(&a)) })
	for i := range hits[:min(len(hits), mostOpened)] {
		wanted = append(wanted, graph.Lookup{Channel: hits[i].Channel, Message: hits[i].ID})
	}
	mention := r.deps.History.Mention(fetch.Place{
		Channel: p.q.Channel, Trigger: p.q.ID, NoHistory: p.q.Place.NoHistory,
		Readable: func(graph.Lookup) bool { return true }, // seek found that
	})
	if _, err := mention.Source(ctx)(graph.Batch{Lookups: wanted}); err != nil && !errors.Is(err, context.Canceled) {
		r.deps.Log.DebugContext(ctx, "it could not be read around what was found, the answer goes without", "trigger", p.q.ID, "error", err)
	}
	return wanted
}
