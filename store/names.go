package store

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"heddle/graph"
	"heddle/graph/path"
)

// The name of an entry within a scope is a letter for its kind, then an id or hash.

func recordName(id ResponseID) string        { return recordPrefix + string(id[:]) }
func contentsName(record string) string      { return "t" + record }          // value: the path and the tools of a response
func answersName(path path.Hash) string      { return "p" + string(path[:]) } // set: the model's answers to this path
func replyName(id graph.MessageID) string    { return "a" + idBytes(id) }     // set: responses sent as this message, or shown in it
func shownName(id graph.MessageID) string    { return "s" + idBytes(id) }     // value: what was chosen for it to show; see display
func placesName(record string) string        { return "d" + record }          // set: the messages for which it was chosen
func askedName(id graph.MessageID) string    { return "q" + idBytes(id) }     // set: responses to this trigger
func sourceName(id graph.MessageID) string   { return "m" + idBytes(id) }     // responses derived from it; see index
func summaryName(id SummaryID) string        { return "z" + idBytes(id) }     // set: summaries with this id
func heardName(id graph.AttachmentID) string { return "v" + idBytes(id) }     // set: what is said in this voice message
func condensedName(id SummaryID) string      { return "k" + idBytes(id) }     // set: responses derived from this summary
func authorName(id graph.UserID) string      { return "w" + idBytes(id) }     // set: responses derived from their words
func channelName(id graph.ChannelID) string  { return "c" + idBytes(id) }     // set: responses derived from its messages
func ratingsName(record string) string       { return ratedName + record }    // set: what people think of a response

const (
	recordPrefix  = "r"
	responsesName = "p" // set: all responses
	gravesName    = "y" // set: all tombstones
	ratedName     = "g" // set: the responses that were rated
	setName       = "all"
	editsName     = "edits" // set: where edits of sources are noted; see noted
)

// each returns the name of each of some things.
func each[T any](all []T, name func(T) string) []string {
	names := make([]string, len(all))
	for i, one := range all {
		names[i] = name(one)
	}
	return names
}

// isRecord reports whether a name is that of a response.
func isRecord(name string) bool {
	return len(name) == len(recordPrefix)+len(ResponseID{}) && name[:1] == recordPrefix
}

// idOfRecord returns the response whose name recordName returned.
func idOfRecord(name string) ResponseID { return ResponseID([]byte(name[len(recordPrefix):])) }

// A mark contains the id of the last message up to which something is forgotten.
func mark(of string) string { return "x" + of }

const everything = "" // mark(everything) is the mark of the whole scope

// idSize is the length of what idBytes returns.
const idSize = 8

func idBytes[K any](id graph.ID[K]) string {
	return string(binary.BigEndian.AppendUint64(nil, uint64(id)))
}

// idOf is the inverse of idBytes. It returns 0 for any other text.
func idOf(text string) uint64 {
	if len(text) != idSize {
		return 0
	}
	return binary.BigEndian.Uint64([]byte(text))
}

// messagesOf returns the messages whose ids are members of a set, in the order in which
// they were sent.
func messagesOf(members []string) []graph.MessageID {
	var messages []graph.MessageID
	for _, member := range members {
		if len(member) == idSize {
			messages = append(messages, graph.MessageID(idOf(member)))
		}
	}
	slices.Sort(messages)
	return messages
}

// digits formats an id with leading zeros, so that ids compare as strings.
func digits[K any](id graph.ID[K]) string { return fmt.Sprintf("%020d", uint64(id)) }

// Scope is the prefix of every stored key. Nothing is found across scopes. All channels
// of a guild that @everyone may read share a scope. Every other channel and every
// direct message has its own, and a thread has that of its parent.
type Scope string

// The store's own scopes start with an underscore. The scopes of callers must not.
const (
	// ScopeMeta holds entries about the store as a whole. Its keys are the same in
	// every schema.
	ScopeMeta Scope = "_meta"

	scopeTaken Scope = "_taken"
	// scopeUsed lists the channels in which people asked lately.
	scopeUsed Scope = "_used"
	// scopePeers holds the processes that share a store.
	scopePeers Scope = "_peers"
	// scopePeople holds who opted out, and what is being erased.
	scopePeople Scope = "_people"
	scopeShards Scope = "_shards"
)

// GuildScope returns the scope of the channels of a guild that @everyone may read.
func GuildScope(guild graph.GuildID) Scope { return Scope("g" + guild.String()) }

// ChannelScope returns the scope of a channel that not everyone may read, or, without a
// guild, of a direct message.
func ChannelScope(guild graph.GuildID, channel graph.ChannelID) Scope {
	if guild == 0 {
		return Scope("d" + channel.String())
	}
	return GuildScope(guild) + Scope(".c"+channel.String())
}

// Guild returns the guild that the scope belongs to, or 0 for a direct message.
func (s Scope) Guild() graph.GuildID {
	digits, _, _ := strings.Cut(strings.TrimPrefix(string(s), "g"), ".")
	id, err := strconv.ParseUint(digits, 10, 64)
	if err != nil || !s.of(graph.GuildID(id)) {
		return 0
	}
	return graph.GuildID(id)
}

// of reports whether the scope belongs to a guild: its own, or that of one of its
// channels.
func (s Scope) of(guild graph.GuildID) bool {
	shared := GuildScope(guild)
	return s == shared || strings.HasPrefix(string(s), string(shared)+".")
}

// scopeScopes lists which scopes are in use, and in which scopes the messages of each
// channel were used, so that a deletion finds them.
const scopeScopes Scope = "_scopes"

// lists returns the transaction that lists a scope, and that messages of channels were used
// in it. It comes before the one that stores something in the scope. A listed scope that
// is empty does no harm.
func (s *base) lists(scope Scope, channels []graph.ChannelID) transaction {
	return transaction{scopeScopes, func(t *tx) error {
		ttl := 2 * s.lives.Response
		t.add(setName, string(scope), ttl)
		for _, channel := range channels {
			t.add(channelName(channel), string(scope), ttl)
		}
		return nil
	}}
}

// scopesOf returns the scopes in which messages of a channel were used, and its own.
func (s *base) scopesOf(ctx context.Context, channel graph.ChannelID, own ...Scope) ([]Scope, error) {
	scopes, err := s.scopesIn(ctx, channelName(channel))
	scopes = append(scopes, own...)
	slices.Sort(scopes)
	return slices.Compact(scopes), err
}

// Scopes returns all scopes in which something is or was stored, sorted.
func (a *Archive) Scopes(ctx context.Context) ([]Scope, error) { return a.base.scopes(ctx) }

// scopes returns all scopes in which something is or was stored, sorted.
func (s *base) scopes(ctx context.Context) ([]Scope, error) { return s.scopesIn(ctx, setName) }

func (s *base) scopesIn(ctx context.Context, list string) ([]Scope, error) {
	members, err := s.set(ctx, scopeScopes, list)
	if err != nil {
		return nil, fmt.Errorf("list scopes: %w", err)
	}
	scopes := make([]Scope, len(members))
	for i, member := range members {
		scopes[i] = Scope(member)
	}
	slices.Sort(scopes)
	return scopes, nil
}

// channels returns the channels whose messages a response was made from, and its own.
func (r *Response) channels() []graph.ChannelID {
	channels := []graph.ChannelID{r.Channel}
	for _, source := range r.Sources {
		channels = append(channels, source.Channel)
	}
	slices.Sort(channels)
	return slices.Compact(channels)
}
