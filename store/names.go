package store

import (
	"encoding/binary"
	"fmt"

	"heddle/graph"
	"heddle/graph/path"
)

// The name of an entry within a scope is a letter for its kind, then an id or hash.

func recordName(id ResponseID) string      { return RecordPrefix + string(id[:]) }
func turnName(prompt path.Hash) string     { return "t" + string(prompt[:]) } // value: the turn
func toolsName(root path.Hash) string      { return "o" + string(root[:]) }   // value: the root's tools
func usersName(prompt path.Hash) string    { return "u" + string(prompt[:]) } // set: the nodes that hold a turn
func nodeName(node path.Hash) string       { return "n" + string(node[:]) }   // set: child nodes and responses
func answersName(node path.Hash) string    { return "p" + string(node[:]) }   // set: the model's answers to this path
func againName(node path.Hash) string      { return "e" + string(node[:]) }   // set: reused responses to this path
func replyName(id graph.MessageID) string  { return "a" + idBytes(id) }       // set: responses sent as this message
func shownName(id graph.MessageID) string  { return "s" + idBytes(id) }       // set: the response it shows, if one was chosen
func placesName(record string) string      { return "d" + record }            // set: the messages for which it was chosen
func partsName(id graph.MessageID) string  { return "b" + idBytes(id) }       // set: the ids of all parts of its answer, if one was chosen
func askedName(id graph.MessageID) string  { return "q" + idBytes(id) }       // set: responses to this trigger
func offerName(id graph.MessageID) string  { return "h" + idBytes(id) }       // value: what the answer to this trigger offers
func sourceName(id graph.MessageID) string { return "m" + idBytes(id) }       // set: responses derived from it
func summaryName(id SummaryID) string      { return "z" + idBytes(id) }       // set: summaries with this id
func condensedName(id SummaryID) string    { return "k" + idBytes(id) }       // set: responses derived from this summary
func authorName(id graph.UserID) string    { return "w" + idBytes(id) }       // set: responses derived from their words
func ratingsName(record string) string     { return ratedName + record }      // set: what people think of a response
func channelName(id graph.ChannelID) string {
	return "c" + idBytes(id) // set: responses derived from its messages
}

// authorOf returns the person for whom authorName returned set. It reports false if set
// is not a name of authorName.
func authorOf(set string) (author graph.UserID, ok bool) {
	if len(set) != 1+idSize || set[0] != authorName(0)[0] {
		return 0, false
	}
	return graph.UserID(binary.BigEndian.Uint64([]byte(set[1:]))), true
}

const (
	rootsName     = "n" // set: the nodes that paths grow from
	responsesName = "p" // set: all responses
	gravesName    = "y" // set: all tombstones
	ratedName     = "g" // set: the responses that were rated
	vectorPrefix  = "v" // set: all vectors; then a channel and an exchange: a vector
	overridesName = "i" // set: all of what admins chose; then a channel, or zero: what they chose for it
	followName    = "f" // set: the sets that a deletion still has to follow
)

// A mark contains the id of the last message up to which something is forgotten.
func mark(of string) string { return markPrefix + of }

const (
	markPrefix = "x"
	leadPrefix = "l"
)

const everything = "" // mark(everything) is the mark of the whole scope

const (
	doneName  = "done"
	claimName = "claim"
	setName   = "all"
)

func leadName(of path.Hash) string { return leadPrefix + string(of[:]) } // lease: who asks the model for an answer

func placeScope(id graph.ChannelID) Scope { return Scope("_c" + id.String()) }

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

// digits formats an id with leading zeros, so that ids compare as strings.
func digits[K any](id graph.ID[K]) string { return fmt.Sprintf("%020d", uint64(id)) }
