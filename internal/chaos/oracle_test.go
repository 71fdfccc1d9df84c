package chaos_test

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"heddle/bot/reply"
	"heddle/graph"
	"heddle/internal/discordtest"
)

// mention is a question that somebody asked.
type mention struct {
	number  int
	channel graph.ChannelID
	id      graph.MessageID
	asked   time.Time
	edits   int  // how often it was edited
	failed  bool // the model failed at what it says now, so an earlier answer may stand
	deleted bool
}

// verdict is the state on Discord of the answer to a mention.
type verdict uint8

const (
	fine      verdict = iota
	lost              // nothing, or an answer to what the question said before
	double            // two answers
	misplaced         // the answer to another question
	garbled           // parts of two answers, or not all of one
	stuck             // the answer still shows that more is to come
	standing          // an answer to a question that was deleted
)

// token is a token of the model's: the question, how often it was edited, the request, and
// the token's own number.
var token = regexp.MustCompile(`<(\d+)\.(\d+)\.(\d+)\.(\d+|end)>`)

// judge returns the verdict on the answer to a mention, with details. messages is the
// messages of its channel, oldest first.
func judge(m mention, self graph.UserID, messages []discordtest.Message) (verdict, string) {
	var parts []graph.MessageID
	roots, text := 0, ""
	for _, said := range messages {
		if said.Author != self || said.Reference == nil {
			continue
		}
		if said.Reference.Message == m.id {
			roots++
		} else if !slices.Contains(parts, said.Reference.Message) {
			continue
		}
		parts = append(parts, said.ID)
		text += said.Content + "\n"
		if strings.HasSuffix(said.Content, reply.Indicator) {
			return stuck, text
		}
	}
	switch {
	case m.deleted && roots == 0:
		return fine, ""
	case m.deleted:
		return standing, text
	case roots == 0:
		return lost, ""
	case roots > 1:
		return double, text
	}
	return tokens(m, text)
}

// tokens judges the text of an answer. It must contain the tokens of one request, all
// in order, up to the end or to a sentence that says why the answer broke off.
func tokens(m mention, text string) (verdict, string) {
	found := token.FindAllStringSubmatch(text, -1)
	if len(found) == 0 {
		return fine, "" // a sentence instead of tokens
	}
	for i, t := range found {
		switch last := i == len(found)-1; {
		case t[1] != strconv.Itoa(m.number):
			return misplaced, text
		case t[3] != found[0][3]:
			return garbled, text
		case t[4] == "end" && last:
		case t[4] != strconv.Itoa(i):
			return garbled, text
		case last && !strings.Contains(text, "\nI ") && !strings.Contains(text, "\n-# ") && !strings.Contains(text, "model"):
			return garbled, text
		}
	}
	if found[0][2] != strconv.Itoa(m.edits) && !m.failed {
		return lost, text
	}
	return fine, ""
}
