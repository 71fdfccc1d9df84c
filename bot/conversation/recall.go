package conversation

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"math"
	"slices"

	"heddle/fetch"
	"heddle/graph"
	"heddle/graph/path"
	"heddle/graph/recall"
	"heddle/internal/discord"
)

// The bounds of recall.
const (
	mostMatches    = 64   // the exchanges that are examined closely
	recalledTokens = 1600 // the tokens that quotations may take if nothing is counted, at four bytes each
	recalledLine   = 48   // the tokens of the line above an exchange, with its time and link
)

// channelLog is the part of the history that is held in memory; fetch.History is one.
type channelLog interface {
	// Sharing returns the exchanges before a message that share words of at least the
	// given number of bits, best first. further are messages that count as if they were
	// held.
	Sharing(channel graph.ChannelID, before graph.MessageID, words *recall.Words, least float64, further []graph.Message) []recall.Scored
	// Exchange returns the exchange that begins with a message, folded, and heddle's
	// own messages directly behind it, oldest first.
	Exchange(channel graph.ChannelID, anchor graph.MessageID) []graph.Message
	// Next returns an id behind every message that events have reported in a channel,
	// and reports whether events have reported any.
	Next(channel graph.ChannelID) (graph.MessageID, bool)
	// Older passes the messages of a channel to each, newest first and folded.
	Older(ctx context.Context, back fetch.Back, each func(*graph.Message) bool) (fetch.Reached, error)
	// Watch makes a watcher receive all changes.
	Watch(w fetch.Watcher)
}

// recaller finds older messages that share rare words with a question, among those that
// left its conversation and those of its channel that are held in memory.
type recaller struct {
	history channelLog
	meaning *meaning // nil: words alone decide
	guilds  Members
	tokens  *tokens
	window  path.Shape // only its artifact window is used
	log     *slog.Logger
}

// match is an exchange that shares enough words with a question.
type match struct {
	messages []graph.Message
	behind   []graph.Message // heddle's own, which may hold files that it made
}

// recall returns the older messages to quote for a question, oldest first: the best
// exchanges that fit into their share of the budget. After an error it quotes fewer.
func (r *recaller) recall(ctx context.Context, q Question, g *graph.Graph, built *path.Built, answers *ownAnswers) []graph.Message {
	room := r.tokens.recallRoom()
	if room == 0 || q.Place.NoHistory || g.Trigger.AsksNothing() {
		return nil
	}
	matches := r.matches(q.Channel, r.meaning.like(ctx, &g.Trigger), g, built)
	if len(matches) == 0 {
		return nil
	}
	asker := cmp.Or(q.Asker, g.Trigger.Author)
	readable, err := r.guilds.MayReadHistory(ctx, q.Guild, q.Channel, asker)
	if err == nil && readable {
		var found []graph.Message
		if found, err = r.quotable(ctx, matches, g, answers); err == nil {
			return r.fitting(ctx, found, matches, room)
		}
	}
	if err != nil {
		r.log.DebugContext(ctx, "older messages could not be recalled, the answer goes without", "trigger", q.ID, "error", err)
	}
	return nil
}

// matches returns the exchanges that share enough with the trigger and are not sent
// anyway, best first. It searches what is held of the channel and what has just left
// the path, and includes like, the exchanges that are similar in meaning.
func (r *recaller) matches(channel graph.ChannelID, like []recall.Scored, g *graph.Graph, built *path.Built) []match {
	words := recall.WordsOf(&g.Trigger)
	if words.None() && len(like) == 0 {
		return nil
	}
	skipped := map[graph.MessageID]bool{g.Trigger.ID: true}
	for i := range built.Messages {
		skipped[built.Messages[i].ID] = true
	}
	for i := range g.Background {
		skipped[g.Background[i].Message.ID] = true
	}
	left := make([]graph.Message, 0, len(built.Left))
	for i := range built.Left {
		left = append(left, *built.Left[i].Source())
		if built.Left[i].Why == path.LeftFulfilled {
			skipped[built.Left[i].Message] = true
		}
	}
	var sharing []recall.Scored
	if !words.None() {
		sharing = r.history.Sharing(channel, g.Trigger.ID, words, recall.LeastOwn, left)
		sharing = slices.DeleteFunc(sharing, func(s recall.Scored) bool {
			if s.Score >= recall.LeastOther {
				return false
			}
			found := r.exchange(channel, s.Anchor, left)
			return found.least(g.Trigger.Author, left) > s.Score
		})
	}
	if len(like) > 0 {
		sharing = recall.Fuse(sharing, like)
	}
	var matches []match
	for _, scored := range sharing {
		found := r.exchange(channel, scored.Anchor, left)
		if len(found.messages) == 0 ||
			slices.ContainsFunc(found.messages, func(m graph.Message) bool { return skipped[m.ID] || m.Answers == g.Trigger.ID }) {
			continue
		}
		if matches = append(matches, found); len(matches) == mostMatches {
			break
		}
	}
	return matches
}

// exchange returns the exchange that begins with a message, from what is held of the
// channel and what has left the path.
func (r *recaller) exchange(channel graph.ChannelID, anchor graph.MessageID, left []graph.Message) match {
	var m match
	for _, held := range r.history.Exchange(channel, anchor) {
		if held.Position().Anchor == anchor {
			m.messages = append(m.messages, held)
		} else {
			m.behind = append(m.behind, held)
		}
	}
	for i := range left {
		if left[i].Position().Anchor == anchor && !holds(m.messages, left[i].ID) {
			m.messages = append(m.messages, left[i])
		}
	}
	slices.SortFunc(m.messages, byPosition)
	return m
}

// least returns the least score with which an exchange is a match.
func (m *match) least(asker graph.UserID, left []graph.Message) float64 {
	if len(m.messages) == 0 {
		return math.Inf(1)
	}
	first, last := &m.messages[0], &m.messages[len(m.messages)-1]
	if holds(left, first.ID) || first.Author == asker && last.Origin == graph.OriginSelf {
		return recall.LeastOwn
	}
	return recall.LeastOther
}

func holds(messages []graph.Message, id graph.MessageID) bool {
	return slices.ContainsFunc(messages, func(m graph.Message) bool { return m.ID == id })
}

func byPosition(a, b graph.Message) int { return a.Position().Compare(b.Position()) }

// quotable returns the messages of matches as a path would show them, by position. It
// leaves out fulfilled pairs, and answers without a record, as what those were made
// from may have been deleted.
func (r *recaller) quotable(ctx context.Context, matches []match, g *graph.Graph, answers *ownAnswers) ([]graph.Message, error) {
	small := &graph.Graph{Trigger: g.Trigger}
	for i := range matches {
		for _, m := range slices.Concat(matches[i].messages, r.files(&matches[i])) {
			small.Conversation = append(small.Conversation, graph.Node{Message: &m, Probability: 1})
		}
	}
	slices.SortFunc(small.Conversation, func(a, b graph.Node) int { return a.Message.Position().Compare(b.Message.Position()) })
	small.Conversation = slices.CompactFunc(small.Conversation, func(a, b graph.Node) bool { return a.Message.ID == b.Message.ID })
	var own []*graph.Message
	for i := range small.Conversation {
		if m := small.Conversation[i].Message; m.Origin == graph.OriginSelf {
			own = append(own, m)
		}
	}
	if err := answers.look(ctx, own); err != nil {
		return nil, fmt.Errorf("look up what is recalled: %w", err)
	}
	for _, m := range own {
		if response, ok := answers.found[m.ID]; ok {
			m.Text = response.Text
		}
	}
	shape := r.window
	shape.Answers = answers.forPath()
	left := path.Build(small, shape).Messages
	return slices.DeleteFunc(left[:len(left)-1], func(m graph.Message) bool {
		_, recorded := answers.found[m.ID]
		return m.Origin == graph.OriginSelf && !recorded
	}), nil
}

// files returns the messages behind an exchange that may hold files made by it.
func (r *recaller) files(m *match) []graph.Message {
	last := &m.messages[len(m.messages)-1]
	if last.Origin != graph.OriginSelf {
		return nil
	}
	late := func(behind graph.Message) bool { return behind.Time.Sub(last.Time) > r.window.ArtifactWindow }
	if end := slices.IndexFunc(m.behind, late); end >= 0 {
		return m.behind[:end]
	}
	return m.behind
}

// fitting returns, by position, those of the messages found that belong to the best
// matches and fit into room tokens. An exchange is quoted whole or not at all.
func (r *recaller) fitting(ctx context.Context, found []graph.Message, matches []match, room int) []graph.Message {
	tokens := make(map[graph.MessageID]int, len(found))
	for i := range found {
		tokens[found[i].ID] = r.tokens.ofRecalled(ctx, path.TurnOf(found[i], found[i].Name))
		if begins(found, i) {
			tokens[found[i].ID] += recalledLine
		}
	}
	taken := make(map[graph.MessageID]bool)
	for _, m := range recall.Fit(matches, room, func(m match) int {
		cost := 0
		for i := range m.messages {
			cost += tokens[m.messages[i].ID]
		}
		return cost
	}) {
		for i := range m.messages {
			taken[m.messages[i].ID] = true
		}
	}
	return slices.DeleteFunc(found, func(m graph.Message) bool { return !taken[m.ID] })
}

// quoted returns recalled messages for the tail. Speakers keep the names that they have
// in the conversation.
func quoted(q Question, recalled []graph.Message, names *path.Names) []path.Recalled {
	quotes := make([]path.Recalled, len(recalled))
	for i := range recalled {
		m := &recalled[i]
		quotes[i] = path.Recalled{Turn: path.TurnOf(*m, names.Of(m)), Author: m.Author, Said: m.Time}
		if begins(recalled, i) {
			quotes[i].Link = discord.LinkTo(q.Guild, m)
		}
	}
	return quotes
}

// begins reports whether the message at index i begins an exchange. Only the first
// message of an exchange has a line with its time and link.
func begins(messages []graph.Message, i int) bool {
	return i == 0 || messages[i].Position().Anchor != messages[i-1].Position().Anchor
}
