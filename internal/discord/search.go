package discord

import (
	"context"
	"fmt"
	"net/url"
	"strconv"
	"time"

	"heddle/graph"
)

// The limits of Search Guild Messages.
const (
	MostSearched = 500  // channels
	MostFound    = 25   // messages of one answer
	mostContent  = 1024 // characters
	// slop is the number of words that may stand between those that are searched for, the most
	// that Discord takes. By default it is 2, which would find hardly any message.
	slop = 100
)

// codeIndexing says, under the status 202, that the index of a guild is being built.
const codeIndexing = 110000

// Search describes what to search for in a guild. Discord finds messages with all words.
type Search struct {
	Words         string
	Channels      []graph.ChannelID // with their threads; at most MostSearched
	Before        graph.MessageID
	AgeRestricted bool // age-restricted channels are searched as well
}

// Found is the answer to a search.
type Found struct {
	Messages []Message // the likeliest first
	Threads  []Channel // in which they are
	// Indexing is how long to wait before searching again, as the guild's index is being built;
	// zero if it is there. While it is built, there are no messages.
	Indexing time.Duration
}

// SearchGuild searches a guild's messages. It skips results that cannot be read.
func SearchGuild(ctx context.Context, from Getter, guild graph.GuildID, s Search) (found Found, err error) {
	words := []rune(s.Words)
	query := url.Values{
		"content": {string(words[:min(len(words), mostContent)])}, "slop": {strconv.Itoa(slop)}, "limit": {strconv.Itoa(MostFound)},
		"sort_by": {"relevance"}, "max_id": {s.Before.String()}, "include_nsfw": {strconv.FormatBool(s.AgeRestricted)},
	}
	for _, id := range s.Channels[:min(len(s.Channels), MostSearched)] {
		query.Add("channel_id", id.String())
	}
	raw, err := from.Get(ctx, "/guilds/"+guild.String()+"/messages/search", query)
	if err != nil {
		return found, err
	}
	o := parseObject(raw)
	if integerOf(o["code"]) == codeIndexing {
		found.Indexing = max(time.Second, seconds(floatOf(o["retry_after"])))
		return found, nil
	}
	if !o.given("messages") {
		return found, fmt.Errorf("%w: a search found no list", ErrMalformed)
	}
	for _, group := range itemsOf(o["messages"]) { // each holds one message; once it held its neighbours, too
		for _, item := range itemsOf(group) {
			if m, err := Decode[Message](item); err == nil && m.Channel != 0 {
				found.Messages = append(found.Messages, m)
			}
		}
	}
	for _, item := range itemsOf(o["threads"]) {
		if thread, err := Decode[Channel](item); err == nil {
			found.Threads = append(found.Threads, thread)
		}
	}
	return found, nil
}
