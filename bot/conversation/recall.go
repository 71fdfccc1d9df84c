package conversation

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"heddle/graph"
	"heddle/graph/path"
	"heddle/graph/recall"
	"heddle/internal/discord"
)

// The bounds of recall.
const (
	mostMatches  = 64 // the exchanges that are examined closely
	recalledLine = 48 // the tokens of the line above a match, with its time and link

	saidAround  = 3   // messages on either side of an exchange that is found
	leastOfBest = 0.5 // of the best score, which every exchange has that is found
)

// recaller finds older messages that share rare words with a question, among those that
// left its conversation and those of its channel that are held in memory.
type recaller struct{ *Preparer }

// match is an exchange that shares enough with a question, by the message that it begins
// with, and what was said around it, oldest first.
type match struct {
	anchor   graph.MessageID
	messages []graph.Message
}

// recall adds to a question's graph the older messages to quote: the best exchanges that
// fit into their share of the budget. After an error it adds none.
func (r recaller) recall(ctx context.Context, p *Prepared) {
	room := r.tokens.recallRoom()
	if read := p.Graph.Read; room == 0 || p.q.Place.NoHistory || p.Calls || read != nil && !read.Earlier {
		return
	}
	matches := r.matches(ctx, p)
	if len(matches) == 0 {
		return
	}
	readable, err := r.deps.Guilds.MayReadHistory(ctx, p.q.Guild, p.q.Channel, p.Person)
	var found []graph.Message
	if err == nil && readable {
		found, err = r.quotable(ctx, matches, p)
	}
	if err != nil {
		r.deps.Log.DebugContext(ctx, "older messages could not be recalled, the answer goes without", "trigger", p.q.ID, "error", err)
	}
	p.Graph.Recall(r.tokens.quoted(ctx, found, matches, room))
}

// matches returns the exchanges that share enough with the trigger and are not sent
// anyway, best first.
func (r recaller) matches(ctx context.Context, p *Prepared) []match {
	q := p.q
	words := recall.WordsOf(&p.Graph.Trigger)
	if len(words) == 0 {
		return nil
	}
	sent := map[graph.MessageID]bool{p.Graph.Trigger.ID: true}
	for i := range p.Built.Messages {
		sent[p.Built.Messages[i].ID] = true
	}
	for _, judged := range [][]graph.Node{p.Graph.Background, p.Graph.Explored} { // what of these is needed is sent
		for i := range judged {
			sent[judged[i].Message.ID] = true
		}
	}
	left := make([]graph.Message, 0, len(p.Built.Left))
	for i := range p.Built.Left {
		left = append(left, *p.Built.Left[i].Message)
		if p.Built.Left[i].Why == path.LeftFulfilled {
			sent[p.Built.Left[i].Message.ID] = true
		}
	}
	places, search := []graph.ChannelID{q.Channel}, r.deps.History.Search(q.Channel, q.ID, words, left)
	sure := p.Graph.Sure()
	var hits []graph.MessageID
	if asked := search.Words(&p.Graph.Trigger); !p.Hidden && !p.Alone && pointsBack(p.Graph, asked) {
		sure = false
		for _, at := range r.further(ctx, p, asked) {
			if hits = append(hits, at.Message); !slices.Contains(places, at.Channel) {
				places = append(places, at.Channel)
			}
		}
	}
	var matches []match
	for _, channel := range places {
		matches = append(matches, r.matchesIn(ctx, p, channel, words, left, hits, sent, sure)...)
		left = nil // it was said in the question's channel
	}
	return matches[:min(len(matches), mostMatches)]
}

// matchesIn returns the matches in a channel, best first, without what is sent already, and adds
// them to that. left has left the path.
func (r recaller) matchesIn(ctx context.Context, p *Prepared, channel graph.ChannelID, words recall.Words, left []graph.Message, hits []graph.MessageID, sent map[graph.MessageID]bool, sure bool) []match {
	search := r.deps.History.Search(channel, p.q.ID, words, left)
	sharing := search.Find(recall.LeastOwn)
	least, other := 0.0, search.LeastOther()
	if len(sharing) > 0 {
		least = leastOfBest * sharing[0].Score
	}
	sharing = slices.DeleteFunc(sharing, func(s recall.Scored) bool {
		return !slices.Contains(hits, s.Anchor) && (s.Score < least || sure || s.Score < other) && !isOwn(r.exchange(channel, s.Anchor, left), p.Person, left)
	})
	var anchors []graph.MessageID
	for _, scored := range sharing[:min(len(sharing), mostMatches)] {
		anchors = append(anchors, scored.Anchor)
	}
	r.deps.History.LookUp(ctx, channel, anchors...)
	var matches []match
	for _, scored := range sharing {
		found := r.exchange(channel, scored.Anchor, left)
		if len(found) == 0 || slices.ContainsFunc(found, func(m graph.Message) bool { return sent[m.ID] }) {
			continue
		}
		if found[len(found)-1].Origin != graph.OriginSelf { // else it stands for itself
			found = append(found, r.deps.History.Around(channel, scored.Anchor, saidAround, p.Graph.Threshold)...)
		}
		found = slices.DeleteFunc(found, func(m graph.Message) bool {
			known := sent[m.ID] || m.ID > p.q.ID
			sent[m.ID] = true
			return known
		})
		slices.SortFunc(found, byPosition)
		if matches = append(matches, match{scored.Anchor, found}); len(matches) == mostMatches {
			break
		}
	}
	return matches
}

// exchange returns the exchange that begins with a message, from what is held of the
// channel and what has left the path.
func (r recaller) exchange(channel graph.ChannelID, anchor graph.MessageID, left []graph.Message) (all []graph.Message) {
	for _, m := range append(r.deps.History.Exchange(channel, anchor), left...) {
		if m.Position().Anchor == anchor && !holds(all, m.ID) {
			all = append(all, m)
		}
	}
	slices.SortFunc(all, byPosition)
	return all
}

// isOwn reports whether an exchange has just left the path, or is an earlier question of
// the asker with its answer. It then needs to share less with the question.
func isOwn(m []graph.Message, asker graph.UserID, left []graph.Message) bool {
	if len(m) == 0 {
		return false
	}
	return holds(left, m[0].ID) || m[0].Author == asker && m[len(m)-1].Origin == graph.OriginSelf
}

func holds(messages []graph.Message, id graph.MessageID) bool {
	return slices.ContainsFunc(messages, func(m graph.Message) bool { return m.ID == id })
}

func byPosition(a, b graph.Message) int { return a.Position().Compare(b.Position()) }

// quotable returns the messages of matches as a path would show them, by position. It
// leaves out fulfilled pairs, and what must not be used.
func (r recaller) quotable(ctx context.Context, matches []match, p *Prepared) ([]graph.Message, error) {
	var all []graph.Message
	for _, m := range matches {
		all = append(all, m.messages...)
	}
	slices.SortFunc(all, byPosition)
	usable, err := p.Past.Usable(ctx, all)
	if err != nil {
		return nil, fmt.Errorf("look up what is recalled: %w", err)
	}
	small := &graph.Graph{Trigger: p.Graph.Trigger}
	for i := range usable {
		small.Conversation = append(small.Conversation, graph.Node{Message: &usable[i], Probability: 1})
	}
	left := path.Build(small, path.Shape{ArtifactWindow: r.settings.ArtifactWindow, Answers: r.forPath(p)}).Messages
	return left[:len(left)-1], nil
}

// quoted returns, by position, those of the messages found that belong to the best
// matches and fit into room tokens. A match is quoted whole or not at all.
func (t *tokens) quoted(ctx context.Context, found []graph.Message, matches []match, room int) []graph.Node {
	usable := make(map[graph.MessageID]*graph.Message, len(found))
	for i := range found {
		usable[found[i].ID] = &found[i]
	}
	nodes := make(map[graph.MessageID]graph.Node)
	for _, m := range recall.Fit(matches, room, func(m match) int {
		all := 0
		for i := range m.messages {
			if u := usable[m.messages[i].ID]; u != nil {
				all += t.Count(ctx, path.TurnOf(*u, u.Name))
			}
		}
		return all + recalledLine*min(all, 1)
	}) {
		for i := range m.messages {
			why := graph.Reason{Kind: graph.ReasonRecalled}
			if m.messages[i].Position().Anchor != m.anchor {
				why.From = m.anchor
			}
			if u := usable[m.messages[i].ID]; u != nil {
				nodes[u.ID] = graph.Node{Message: u, Reasons: []graph.Reason{why}}
			}
		}
	}
	var quoted []graph.Node
	for i := range found {
		if n, taken := nodes[found[i].ID]; taken {
			quoted = append(quoted, n)
		}
	}
	return quoted
}

// quotes returns recalled messages for the tail. Speakers keep the names that they have in the
// conversation. Only the first message of a match has a line with its time and link, and the name
// of its channel if that is another one.
func (r recaller) quotes(p *Prepared) []path.Recalled {
	recalled := p.Graph.Recalled
	quotes := make([]path.Recalled, len(recalled))
	before := graph.MessageID(0)
	for i := range recalled {
		m := recalled[i].Message
		quotes[i] = path.Recalled{Turn: path.TurnOf(*m, p.Built.Names.Of(m)), Author: m.Author, Said: m.Time}
		anchor := cmp.Or(recalled[i].Reasons[0].From, m.Position().Anchor)
		if anchor != before {
			quotes[i].Link = discord.LinkTo(p.q.Guild, m)
			if m.Channel != p.q.Channel {
				quotes[i].Where = "#" + inline(r.deps.Guilds.Place(m.Channel, p.q.Guild).Named.Channel)
			}
		}
		before = anchor
	}
	return quotes
}
