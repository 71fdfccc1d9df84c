package answer

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"slices"

	"heddle/fetch"
	"heddle/graph"
	"heddle/graph/path"
	"heddle/graph/recall"
)

// The bounds of what is recalled.
const (
	mostHeld       = 4000 // messages of a channel that a question is compared with
	mostMatches    = 64   // exchanges that are looked at more closely
	recalledTokens = 1600 // of what is quoted if nothing is counted, at four bytes each
	recalledLine   = 48   // tokens of the line above an exchange, with its time and link
)

// channelLog is what is held in memory of channels; fetch.History is one.
type channelLog interface {
	// Held returns the newest messages that are held before one, at most so many, oldest
	// first.
	Held(channel graph.ChannelID, before graph.MessageID, most int) []graph.Message
	// Next returns an id that follows every message that events have told of in a
	// channel, and reports whether events have told of any.
	Next(channel graph.ChannelID) (graph.MessageID, bool)
	// Watch has a watcher hear of all changes.
	Watch(w fetch.Watcher)
}

// recaller finds older messages that a question shares rare words with: what left its
// conversation, and what else is held of its channel.
type recaller struct {
	history channelLog
	guilds  Guilds
	tokens  *tokens
	window  path.Shape // of which the artifact window is used
	log     *slog.Logger
}

// recall returns the older messages to quote for a job, oldest first: the best exchanges
// that fit into their share of the budget. An error costs only what would be quoted.
func (r *recaller) recall(ctx context.Context, job Job, g *graph.Graph, built *path.Built, answers *recollection) []graph.Message {
	room := r.tokens.recallRoom()
	if room == 0 || job.Place.NoHistory || asksNothing(&g.Trigger) {
		return nil
	}
	held := r.held(job.Channel, g, built)
	matches := r.matches(held, g, built)
	if len(matches) == 0 {
		return nil
	}
	asker := cmp.Or(job.Asker, g.Trigger.Author)
	readable, err := r.guilds.MayReadHistory(ctx, job.Guild, job.Channel, asker)
	if err == nil && readable {
		var found []graph.Message
		if found, err = r.quotable(ctx, held, matches, g, answers); err == nil {
			return r.fitting(ctx, found, held, matches, room)
		}
	}
	if err != nil {
		r.log.DebugContext(ctx, "older messages could not be recalled, the answer goes without", "trigger", job.ID, "error", err)
	}
	return nil
}

// held returns what is held of the channel, and what has just left the path, by position.
func (r *recaller) held(channel graph.ChannelID, g *graph.Graph, built *path.Built) []graph.Message {
	held := r.history.Held(channel, g.Trigger.ID, mostHeld)
	known := make(map[graph.MessageID]bool, len(held))
	for i := range held {
		known[held[i].ID] = true
	}
	for i := range built.Left {
		if m := built.Left[i].Source(); !known[m.ID] {
			held = append(held, *m)
		}
	}
	byPosition := func(a, b graph.Message) int { return a.Position().Compare(b.Position()) }
	if !slices.IsSortedFunc(held, byPosition) {
		slices.SortStableFunc(held, byPosition)
	}
	return held
}

// matches returns the exchanges that share enough with the trigger and are not sent
// anyway.
func (r *recaller) matches(held []graph.Message, g *graph.Graph, built *path.Built) []recall.Match {
	skipped := map[graph.MessageID]bool{g.Trigger.ID: true}
	for i := range built.Messages {
		skipped[built.Messages[i].ID] = true
	}
	for i := range g.Background {
		skipped[g.Background[i].Message.ID] = true
	}
	left := make(map[graph.MessageID]bool, len(built.Left))
	for i := range built.Left {
		left[built.Left[i].Message] = true
		if built.Left[i].Why == path.LeftFulfilled {
			skipped[built.Left[i].Message] = true
		}
	}
	return recall.Find(held, recall.Query{
		Trigger: &g.Trigger, Most: mostMatches,
		Skip: func(m *graph.Message) bool { return skipped[m.ID] || m.Answers == g.Trigger.ID },
		Least: func(exchange []graph.Message) float64 {
			first, last := &exchange[0], &exchange[len(exchange)-1]
			if left[first.ID] || first.Author == g.Trigger.Author && last.Origin == graph.OriginSelf {
				return recall.LeastOwn
			}
			return recall.LeastOther
		},
	})
}

// quotable returns the messages of matches as a path would show them, by position: what
// is fulfilled is left out, and so are answers that are not on record, as what they were
// made from may have been deleted since.
func (r *recaller) quotable(ctx context.Context, held []graph.Message, matches []recall.Match, g *graph.Graph, answers *recollection) ([]graph.Message, error) {
	small := &graph.Graph{Trigger: g.Trigger}
	for _, match := range matches {
		for i := match.From; i < r.files(held, match.To); i++ {
			small.Conversation = append(small.Conversation, graph.Node{Message: held[i], Probability: 1})
		}
	}
	slices.SortFunc(small.Conversation, func(a, b graph.Node) int { return a.Message.Position().Compare(b.Message.Position()) })
	small.Conversation = slices.CompactFunc(small.Conversation, func(a, b graph.Node) bool { return a.Message.ID == b.Message.ID })
	var own []*graph.Message
	for i := range small.Conversation {
		if m := &small.Conversation[i].Message; m.Origin == graph.OriginSelf {
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
	shape.Answers = answers.answers()
	left := path.Build(small, shape).Messages
	return slices.DeleteFunc(left[:len(left)-1], func(m graph.Message) bool {
		_, recorded := answers.found[m.ID]
		return m.Origin == graph.OriginSelf && !recorded
	}), nil
}

// files returns the end of the files that stand behind an exchange that ends at to:
// they may have been made by it.
func (r *recaller) files(held []graph.Message, to int) int {
	last := held[to-1]
	if last.Origin != graph.OriginSelf {
		return to
	}
	for to < len(held) && held[to].Origin == graph.OriginSelf && held[to].Time.Sub(last.Time) <= r.window.ArtifactWindow {
		to++
	}
	return to
}

// fitting returns those of the messages found that belong to the best matches and fit
// into room, by position. An exchange is taken whole or not at all.
func (r *recaller) fitting(ctx context.Context, found, held []graph.Message, matches []recall.Match, room int) []graph.Message {
	tokens := make(map[graph.MessageID]int, len(found))
	for i := range found {
		tokens[found[i].ID] = r.tokens.ofRecalled(ctx, path.TurnOf(found[i], found[i].Name))
		if begins(found, i) {
			tokens[found[i].ID] += recalledLine
		}
	}
	taken := make(map[graph.MessageID]bool)
	for _, match := range recall.Fit(matches, room, func(match recall.Match) int {
		cost := 0
		for i := match.From; i < match.To; i++ {
			cost += tokens[held[i].ID]
		}
		return cost
	}) {
		for i := match.From; i < match.To; i++ {
			taken[held[i].ID] = true
		}
	}
	return slices.DeleteFunc(found, func(m graph.Message) bool { return !taken[m.ID] })
}

// quoted returns recalled messages as they stand in a tail, below the names of those
// who spoke before.
func quoted(job Job, recalled []graph.Message, names *path.Names) []path.Recalled {
	quotes := make([]path.Recalled, len(recalled))
	for i := range recalled {
		m := &recalled[i]
		quotes[i] = path.Recalled{Turn: path.TurnOf(*m, names.Of(m)), Author: m.Author, Said: m.Time}
		if begins(recalled, i) {
			quotes[i].Link = linkTo(job.Guild, m)
		}
	}
	return quotes
}

// begins reports whether one of some messages begins an exchange. One line with its time
// and link stands for all of an exchange.
func begins(messages []graph.Message, i int) bool {
	return i == 0 || messages[i].Position().Anchor != messages[i-1].Position().Anchor
}

// linkTo returns the address of a message in Discord's clients.
func linkTo(guild graph.GuildID, m *graph.Message) string {
	place := "@me"
	if guild != 0 {
		place = guild.String()
	}
	return fmt.Sprintf("https://discord.com/channels/%s/%s/%s", place, m.Channel, m.ID)
}
