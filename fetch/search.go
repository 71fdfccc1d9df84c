package fetch

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"
	"unicode"

	"golang.org/x/sync/errgroup"

	"heddle/graph"
	"heddle/internal/discord"
)

const (
	// refusedFor is how long a guild is not searched after Discord refused that.
	refusedFor = time.Minute
	// mostIndexing bounds how long Discord's word counts that an index is not ready.
	mostIndexing = time.Minute
	// mostRecorded bounds the recorded messages of a channel that are searched.
	mostRecorded = 10_000
)

// ErrNoSearch means that Discord cannot search a guild now: it builds the index, or does not let
// heddle, or let it wait too long.
var ErrNoSearch = errors.New("the server cannot be searched now")

// Seek searches a guild's messages with Discord's search. It returns what may be shown of them,
// which may have been edited or deleted since: only what is read afterwards may be used. It leaves
// out what is held of the channel home without a gap. After a refusal the guild is not searched for
// a while.
func Seek(ctx context.Context, h *History, guild graph.GuildID, home graph.ChannelID, s discord.Search) (hits []graph.Message, threads []discord.Channel, err error) {
	if until, known := h.unsearched.Get(guild); known && time.Now().Before(until) {
		return nil, nil, ErrNoSearch
	}
	found := discord.Found{Messages: h.recorded.search(s)}
	if h.rest != nil {
		found, err = discord.SearchGuild(ctx, h.rest, guild, s)
	}
	switch {
	case discord.IsForbidden(err):
		h.unsearched.Add(guild, time.Now().Add(refusedFor))
	case found.Indexing > 0:
		h.unsearched.Add(guild, time.Now().Add(min(found.Indexing, mostIndexing)))
	}
	if err != nil || found.Indexing > 0 {
		return nil, nil, errors.Join(ErrNoSearch, err)
	}
	held := h.logs.known(home).heldBefore(s.Before)
	for i := range found.Messages {
		m := &found.Messages[i]
		if m.Channel == home && m.ID >= held {
			continue
		}
		if _, known := h.logs.known(m.Channel).lookup(m.ID); known == stateGone || m.Flags&discord.FlagEphemeral != 0 {
			continue
		}
		if shown, withheld := h.logs.filter.veil(m, h.selfID()); !withheld {
			hits = append(hits, Render(*shown, h.selfID()))
		}
	}
	return hits, found.Threads, nil
}

// heldBefore returns the oldest message since which all messages before another are held, or that
// other one.
func (c *channelLog) heldBefore(before graph.MessageID) graph.MessageID {
	c.mu.Lock()
	defer c.mu.Unlock()
	if s := c.spans.find(before - 1); s != nil {
		return s.lo
	}
	return before
}

// readAhead reads pages before a message side by side. Where the second and later ones begin is
// estimated from the time that the newest page of the channel covers.
func readAhead(ctx context.Context, h *History, c *channelLog, before graph.MessageID, pages int) {
	w, held := c.beforeTrigger(before)
	if pages == 0 || h.rest == nil || !held || w.start {
		return
	}
	// An eighth of each page overlaps with the next, as people do not write evenly.
	step := min((before-w.lo)/8*7, w.lo/graph.MessageID(pages)) //nolint:gosec // a few pages
	var group errgroup.Group
	group.SetLimit(parallelReads)
	for n := range graph.MessageID(pages) { //nolint:gosec // a few
		at := w.lo - n*step
		if _, held := c.beforeTrigger(at); !held {
			group.Go(func() error {
				_, _, err := h.read(ctx, c, query{"before", at})
				return err
			})
		}
	}
	if err := group.Wait(); err != nil {
		h.log.DebugContext(ctx, "older pages could not be read", "channel", c.messages.id.String(), "error", err)
	}
}

// search returns the recorded messages that Discord's search would find: those with all words.
func (recorded Recorded) search(s discord.Search) (found []discord.Message) {
	if recorded == nil {
		return nil
	}
	wanted := wordsIn(s.Words)
	for _, channel := range s.Channels {
		for _, m := range recorded(channel, s.Before, mostRecorded, 0) {
			said := wordsIn(m.Content)
			if m.ID < s.Before && !slices.ContainsFunc(wanted, func(word string) bool { return !slices.Contains(said, word) }) {
				found = append(found, m)
			}
		}
	}
	slices.SortStableFunc(found, func(a, b discord.Message) int {
		return cmp.Or(cmp.Compare(len(a.Content), len(b.Content)), cmp.Compare(b.ID, a.ID))
	})
	return found[:min(len(found), discord.MostFound)]
}

// wordsIn returns the words of a text in lower case. Each character of Chinese, and of Japanese
// other than katakana, is one.
func wordsIn(text string) (words []string) {
	for _, word := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) }) {
		begin := 0
		for at, r := range word {
			if unicode.In(r, unicode.Han, unicode.Hiragana) {
				words = append(words, word[begin:at], string(r))
				begin = at + len(string(r))
			}
		}
		words = append(words, word[begin:])
	}
	return slices.DeleteFunc(words, func(word string) bool { return word == "" })
}
