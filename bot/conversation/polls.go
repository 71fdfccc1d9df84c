package conversation

import (
	"cmp"
	"context"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"heddle/bot/phrases"
	"heddle/fetch"
	"heddle/graph"
	"heddle/internal/discord"
)

const (
	mostPolls = 3               // whose votes are read for one question
	pollsWait = 3 * time.Second // for all of them
)

// votes returns the lines that tell the model how people have voted so far in the polls that it is
// shown: those of the question and of what it replies to first, then the newest. Votes that could
// not be read are told the asker, too, if they belong to the question.
func votes(ctx context.Context, deps *Deps, p *Prepared) (lines []string) {
	ctx, cancel := context.WithTimeout(ctx, pollsWait)
	defer cancel()
	messages := slices.Concat(p.Built.Messages, graph.Messages(p.Graph.Background))
	messages = slices.DeleteFunc(messages, func(m graph.Message) bool { return !m.OpenPoll })
	asked := func(m *graph.Message) int {
		if m.ID == p.Graph.Trigger.ID {
			return 1
		}
		return repliedTo(p.Graph, m)
	}
	slices.SortStableFunc(messages, func(a, b graph.Message) int {
		return cmp.Or(asked(&b)-asked(&a), b.Position().Compare(a.Position()))
	})
	messages = messages[:min(len(messages), mostPolls)]
	polls := make([]*discord.Poll, len(messages))
	var group errgroup.Group
	for i := range messages {
		group.Go(func() (err error) {
			m := &messages[i]
			if polls[i], err = fetch.ReadPoll(ctx, deps.History, m.Channel, m.ID); err != nil {
				deps.Log.DebugContext(ctx, "the votes of a poll could not be read, the answer goes without", "channel", m.Channel, "message", m.ID, "error", err)
			}
			return nil
		})
	}
	_ = group.Wait() // its functions return no errors
	for i, poll := range polls {
		lines = append(lines, phrases.ModelVotes(poll))
		if poll == nil && asked(&messages[i]) > 0 {
			p.NotRead = append(p.NotRead, phrases.Unread{Name: "poll", Why: "unread_votes"})
		}
	}
	return lines
}
