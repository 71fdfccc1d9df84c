package discordtest

import (
	"cmp"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"heddle/graph"
)

// Discord's limits on Search Guild Messages.
const (
	mostFound      = 25 // messages of an answer
	greatestOffset = 9975
	mostChannels   = 500
	longestSearch  = 1024 // characters
	greatestSlop   = 100
	usualSlop      = 2
)

// errMoreToIndex is the answer to a search while a guild's index is being built. It has status 202
// and a wait, and is an error alone to the client that expects results.
func errMoreToIndex(wait float64) *apiError {
	return &apiError{
		status: http.StatusAccepted, code: 110000, message: "Index not yet available. Try again later",
		more: object{"documents_indexed": 0, "retry_after": wait},
	}
}

// BuildIndex has the next searches of a guild answered as while its index is built, with a wait
// in seconds.
func (a *World) BuildIndex(id graph.GuildID, searches int, wait float64) {
	a.world.mu.Lock()
	defer a.world.mu.Unlock()
	g := must(a.world.guilds, id)
	g.indexing, g.indexWait = searches, wait
}

// search is a search of a guild's messages, by Discord's names of its parameters.
type search struct {
	words         []string
	channels      []graph.ChannelID // all if empty
	authors       []graph.UserID
	authorTypes   []string
	mentions      []graph.UserID
	has           []string
	after, before graph.MessageID // zero for none
	limit, offset int
	slop          int // words that may stand between those that are searched for
	relevance     bool
	ascending     bool
	adult         bool
}

// searchMessages answers a search with the messages that the bot may read, whose words are all
// that were asked for. Discord does not tell their neighbours.
func searchMessages(c *call, g *guild) (any, error) {
	s, err := parseSearch(c.record.Query)
	if err != nil {
		return nil, err
	}
	readable, err := c.searched(g, s.channels)
	if err != nil {
		return nil, err
	}
	if g.indexing > 0 {
		g.indexing--
		return nil, errMoreToIndex(g.indexWait)
	}
	var found []*Message
	for _, ch := range readable {
		if adult := ch.adult || ch.parent != nil && ch.parent.adult; adult && !s.adult {
			continue
		}
		for _, m := range ch.messages {
			if s.finds(c, m) {
				found = append(found, m)
			}
		}
	}
	s.sort(found)
	page := found[min(s.offset, len(found)):min(s.offset+s.limit, len(found))]
	messages, threads, seen := []any{}, []object{}, map[graph.ChannelID]bool{}
	for _, m := range page {
		ch := c.world.channels[m.Channel]
		r := rendering{c.world, restViewer(c.bot)}
		w := r.part(m)
		w.Reactions = nil
		messages = append(messages, []json.RawMessage{encode(w, m)})
		if ch.thread != nil && !seen[ch.id] {
			threads, seen[ch.id] = append(threads, wireChannelOf(ch)), true
		}
	}
	return object{
		"total_results": len(found), "messages": messages, "threads": threads, "members": []any{},
		"doing_deep_historical_index": false,
	}, nil
}

// searched returns the channels and threads of a guild in which the bot may read the history. It
// fails if a channel is named that it may not read, or there is none at all.
func (c *call) searched(g *guild, named []graph.ChannelID) (all []*channel, err error) {
	if c.bot.noContent {
		return nil, errMissingAccess()
	}
	for _, ch := range slices.Concat(g.channels, g.threads) {
		p := ch.permissions(c.bot.id)
		isNamed := slices.Contains(named, ch.id) || ch.parent != nil && slices.Contains(named, ch.parent.id)
		switch {
		case len(named) > 0 && !isNamed:
		case ch.opens(p) && p&ReadMessageHistory != 0:
			all = append(all, ch)
		case isNamed:
			return nil, errMissingAccess()
		}
	}
	if len(all) == 0 {
		return nil, errMissingAccess()
	}
	return all, nil
}

// parseSearch reads the parameters of a search, and refuses what Discord documents as too much.
func parseSearch(query url.Values) (*search, error) {
	s := &search{limit: mostFound, slop: usualSlop, has: query["has"], authorTypes: query["author_type"], adult: query.Get("include_nsfw") == "true"}
	for name, of := range map[string]struct {
		to   *int
		most int
	}{"limit": {&s.limit, mostFound}, "offset": {&s.offset, greatestOffset}, "slop": {&s.slop, greatestSlop}} {
		if !query.Has(name) {
			continue
		}
		n, err := strconv.Atoi(query.Get(name))
		if err != nil || n < 0 || n > of.most || name == "limit" && n == 0 {
			return nil, errForm(name, "NUMBER_TYPE_MAX", "int value should be less than or equal to "+strconv.Itoa(of.most)+".")
		}
		*of.to = n
	}
	if utf8.RuneCountInString(query.Get("content")) > longestSearch {
		return nil, errForm("content", "BASE_TYPE_MAX_LENGTH", "Must be 1024 or fewer in length.")
	}
	if len(query["channel_id"]) > mostChannels {
		return nil, errForm("channel_id", "BASE_TYPE_MAX_LENGTH", "Must be 500 or fewer in length.")
	}
	switch by := cmp.Or(query.Get("sort_by"), "timestamp"); by {
	case "timestamp", "relevance":
		s.relevance = by == "relevance"
	default:
		return nil, errForm("sort_by", "BASE_TYPE_CHOICES", "Value must be one of ('timestamp', 'relevance').")
	}
	s.ascending = query.Get("sort_order") == "asc"
	s.words = wordsOf(query.Get("content"))
	s.after, s.before = graph.MessageID(idOf(query.Get("min_id"))), graph.MessageID(idOf(query.Get("max_id")))
	for _, id := range query["channel_id"] {
		s.channels = append(s.channels, graph.ChannelID(idOf(id)))
	}
	for _, id := range query["author_id"] {
		s.authors = append(s.authors, graph.UserID(idOf(id)))
	}
	for _, id := range query["mentions"] {
		s.mentions = append(s.mentions, graph.UserID(idOf(id)))
	}
	return s, nil
}

// wordsOf returns the words of a text in lower case. Each character of Chinese, and of Japanese
// other than katakana, is a word, as for Elasticsearch, which Discord searches with.
func wordsOf(text string) (words []string) {
	word := ""
	end := func() {
		if word != "" {
			words = append(words, word)
		}
		word = ""
	}
	for _, r := range strings.ToLower(text) {
		switch {
		case unicode.In(r, unicode.Han, unicode.Hiragana):
			end()
			words = append(words, string(r))
		case unicode.IsLetter(r), unicode.IsDigit(r), unicode.IsMark(r):
			word += string(r)
		default:
			end()
		}
	}
	end()
	return words
}

// finds reports whether a message matches everything that was asked for.
func (s *search) finds(c *call, m *Message) bool {
	if s.after != 0 && m.ID <= s.after || s.before != 0 && m.ID >= s.before {
		return false
	}
	if len(s.authors) > 0 && !slices.Contains(s.authors, m.Author) {
		return false
	}
	if len(s.mentions) > 0 && !slices.ContainsFunc(s.mentions, func(id graph.UserID) bool { return slices.Contains(m.Mentions, id) }) {
		return false
	}
	kind := "user"
	switch u := c.world.users[m.Author]; {
	case m.Webhook != "":
		kind = "webhook"
	case u != nil && u.bot != nil:
		kind = "bot"
	}
	if !asked(s.authorTypes, func(want string) bool { return want == kind }) || !asked(s.has, m.holds) {
		return false
	}
	return s.near(wordsOf(m.Content))
}

// near reports whether a message of some words has all that are searched for, in any order, with
// no more words to skip between them than slop.
func (s *search) near(said []string) bool {
	places := make([][]int, len(s.words))
	for i, word := range s.words {
		for at := range said {
			if said[at] == word {
				places[i] = append(places[i], at)
			}
		}
	}
	for _, first := range slices.Concat(places...) {
		within := func(place int) bool { return first <= place && place < first+len(s.words)+s.slop }
		if !slices.ContainsFunc(places, func(of []int) bool { return !slices.ContainsFunc(of, within) }) {
			return true
		}
	}
	return len(places) == 0
}

// asked reports whether one of some filters holds, and none that "-" negates.
func asked(filters []string, holds func(string) bool) bool {
	wanted, found := false, false
	for _, filter := range filters {
		if name, negated := strings.CutPrefix(filter, "-"); negated {
			if holds(name) {
				return false
			}
			continue
		}
		wanted, found = true, found || holds(filter)
	}
	return found || !wanted
}

// holds reports whether a message has a thing that can be searched for.
func (m *Message) holds(what string) bool {
	ofType := func(kind string) bool {
		return slices.ContainsFunc(m.Attachments, func(a Attachment) bool { return strings.HasPrefix(a.Type, kind) })
	}
	switch what {
	case "image", "video":
		return ofType(what + "/")
	case "sound":
		return ofType("audio/")
	case "file":
		return len(m.Attachments) > 0
	case "link":
		return strings.Contains(m.Content, "http://") || strings.Contains(m.Content, "https://")
	case "embed":
		return !isNull(m.Embeds) && string(m.Embeds) != "[]"
	case "sticker":
		return !isNull(m.Stickers) && string(m.Stickers) != "[]"
	case "poll":
		return m.Poll != nil
	case "snapshot":
		return m.Snapshot != nil
	}
	return false
}

// sort orders what was found: by time, newest first unless asked otherwise, or by how much of each
// message was asked for.
func (s *search) sort(found []*Message) {
	slices.SortStableFunc(found, func(a, b *Message) int {
		if s.relevance && len(s.words) > 0 {
			if order := cmp.Compare(len(wordsOf(a.Content)), len(wordsOf(b.Content))); order != 0 {
				return order
			}
		}
		if s.ascending && !s.relevance {
			return cmp.Compare(a.ID, b.ID)
		}
		return cmp.Compare(b.ID, a.ID)
	})
}
