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
	by      graph.UserID
	asked   time.Time
	edits   int             // how often it was edited, or got another part
	part    int             // the number of edits with which it got its second part; 0 for none
	second  graph.MessageID // that part; an answer replies to the last
	late    bool            // it became a question by an edit
	failed  bool            // the model failed at what it says now, so an earlier answer may stand
	deleted bool

	withdraws bool      // somebody pressed Delete below its answer
	pressed   time.Time // when they did
	withdrawn int       // and read that it is deleted, when the mention had been edited so often; -1 otherwise
}

// verdict is the state on Discord of the answer to a mention, or what somebody read who pressed a
// button below it.
type verdict uint8

const (
	fine      verdict = iota
	lost              // nothing, or an answer to what the question said before
	double            // two answers
	misplaced         // the answer to another question
	garbled           // parts of two answers, or not all of one
	stuck             // the answer still shows that more is to come
	standing          // an answer to a question that was deleted
	bare              // a whole answer that is stored, and has no buttons
	untrue            // somebody read that an answer is gone or finished, and it is not
	returned          // an answer stands, or parts of one, which its asker has deleted
	unasked           // nothing, and an edit has made the question
	fileless          // an answer that lacks its file, or has it twice
	apart             // an answer to the question without its second part
	verdicts          // how many there are
)

func (v verdict) String() string {
	return [verdicts]string{"fine", "lost", "double", "misplaced", "garbled", "stuck", "deleted", "bare", "untrue", "returned", "unasked", "fileless", "apart"}[v]
}

// counts are how many mentions came to each verdict.
type counts [verdicts]int

// onlyBare reports whether nothing but buttons is missing.
func (c *counts) onlyBare() bool {
	for v, n := range c {
		if n > 0 && verdict(v) != fine && verdict(v) != bare {
			return false
		}
	}
	return true
}

// token is a token of the model's: the question, how often it was edited, the request, and
// the token's own number.
var token = regexp.MustCompile(`<(\d+)\.(\d+)\.(\d+)\.(\d+|end)>`)

// answerTo returns heddle's messages that reply to a part of a mention, or to these, oldest first.
func answerTo(m *mention, self graph.UserID, messages []discordtest.Message) (all []discordtest.Message) {
	for _, said := range messages {
		if said.Author != self || said.Reference == nil {
			continue
		}
		follows := func(part discordtest.Message) bool { return part.ID == said.Reference.Message }
		if m.isRoot(&said) || slices.ContainsFunc(all, follows) {
			all = append(all, said)
		}
	}
	return all
}

// isRoot reports whether a message replies to a part of the mention.
func (m *mention) isRoot(said *discordtest.Message) bool {
	to := said.Reference.Message
	return to == m.id || to == m.second && to != 0
}

func countFiles(answer []discordtest.Message) (files int) {
	for _, part := range answer {
		files += len(part.Attachments)
	}
	return files
}

// judge returns the verdict on the answer to a mention, with details. messages is the
// messages of its channel, oldest first.
func judge(m mention, self graph.UserID, messages []discordtest.Message) (verdict, string) {
	v, text := m.judge(answerTo(&m, self, messages))
	found := token.FindAllStringSubmatch(text, -1)
	switch {
	case v == fine && m.withdrawn == m.edits && text != "", m.withdraws && v != fine && v != standing:
		if text == "" {
			return fine, "" // it is deleted
		}
		return returned, text
	case v == lost && m.late && len(found) == 0:
		return unasked, text
	case v == lost && m.part > 0 && len(found) > 0:
		return apart, text
	}
	return v, text
}

// isGrowing reports whether a message shows that more is to come.
func isGrowing(m discordtest.Message) bool { return strings.HasSuffix(m.Content, reply.Indicator) }

// judge judges what stands of the answer.
func (m *mention) judge(answer []discordtest.Message) (verdict, string) {
	roots, asides, text := 0, 0, ""
	for _, said := range answer {
		if m.isRoot(&said) {
			roots++
			if !token.MatchString(said.Content) {
				asides++
			}
		}
		text += said.Content + "\n"
		if isGrowing(said) {
			return stuck, text
		}
	}
	if m.failed && asides > 0 && roots > asides { // beside the answer it is told that the model failed at an edit
		roots -= asides
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
	v, details := m.tokens(text)
	lacks := func(m discordtest.Message) bool { return strings.Contains(m.Content, ".end>") && len(m.Buttons()) == 0 }
	if v == fine && slices.ContainsFunc(answer, lacks) {
		return bare, text
	}
	return v, details
}

// tokens judges the text of an answer. It must contain the tokens of one request, all
// in order, up to the end or to a sentence that says why the answer broke off. It returns the text
// if there are any.
func (m *mention) tokens(text string) (verdict, string) {
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
	return fine, text
}
