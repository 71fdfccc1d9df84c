package commands

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"heddle/bot/phrases"
	"heddle/bot/reply"
	"heddle/fetch"
	"heddle/graph"
	"heddle/graph/path"
	"heddle/internal/discord"
	"heddle/store"
)

// why tells members what an answer was made from.
type why struct{ deps Deps }

// explanation explains what an answer was made from, to one person, without what they
// may not read.
type explanation struct {
	guild    graph.GuildID
	channel  graph.ChannelID
	language phrases.Language
	own      bool            // it is of a message of heddle's
	response *store.Response // nil if nothing was answered yet
	graph    graph.Graph     // its messages have the deciding reason alone, and are in the order in which they were said
	unseen   int             // messages that are gone, or that the person may not read
	left     map[path.LeftReason]int
}

// explain explains a message in a channel. An answer of heddle's is explained by its
// record, any other message by what heddle would answer it from now.
func (w *why) explain(ctx context.Context, use *Use, message graph.MessageID) (*explanation, error) {
	e := &explanation{guild: use.Guild, channel: use.Channel, language: use.Language}
	response, ok, err := w.deps.Store.Responses.ByReply(ctx, use.Place.Scope, message)
	if err != nil {
		return nil, fmt.Errorf("read what message %s shows: %w", message, err)
	}
	if ok && response.Context != nil && response.Channel == use.Channel {
		messages, err := w.readSources(ctx, use, &response)
		if err != nil {
			return nil, err
		}
		e.response = &response
		e.made(&response, messages)
		return e, nil
	}
	p, err := w.deps.Answers.Preview(ctx, use.About(message))
	if err != nil {
		return nil, fmt.Errorf("choose what message %s would be answered from: %w", message, err)
	}
	input, _ := p.Input()
	messages := make(map[graph.MessageID]*graph.Message)
	for _, m := range slices.Concat(p.Built.Messages, graph.Messages(p.Graph.Background), graph.Messages(p.Graph.Recalled)) {
		messages[m.ID] = &m
	}
	e.own = p.Graph.Trigger.Origin == graph.OriginSelf
	e.made(&store.Response{Standing: store.Standing{Trigger: p.Graph.Trigger.ID}, Input: input}, messages)
	return e, nil
}

// made explains what an answer was made from, or would be, by those of its sources that the
// person may read.
func (e *explanation) made(r *store.Response, messages map[graph.MessageID]*graph.Message) {
	e.left, e.graph.Trigger.ID = map[path.LeftReason]int{}, r.Trigger
	for i := range r.Context.Because {
		source := &r.Sources[i]
		m := messages[source.Message]
		switch {
		case source.Message == r.Trigger: // an answer replies to it, so people see it
			if m != nil {
				e.graph.Trigger = *m
			}
		case m == nil:
			e.unseen++
		case source.Position > 0:
			e.graph.Conversation = append(e.graph.Conversation, nodeOf(r, i, messages))
		case r.Context.Because[i].Kind == graph.ReasonRecalled:
			e.graph.Recalled = append(e.graph.Recalled, nodeOf(r, i, messages))
		default:
			e.graph.Background = append(e.graph.Background, nodeOf(r, i, messages))
		}
	}
	for _, s := range r.Context.Stops {
		e.graph.Seals = append(e.graph.Seals, graph.Seal{Why: s.Why, Direction: s.Direction, Gap: time.Duration(s.Gap) * time.Second})
	}
	for _, left := range r.Context.Left {
		e.left[left.Why]++
	}
}

// nodeOf returns the source of an answer at an index, with the reason why it is one.
func nodeOf(r *store.Response, at int, messages map[graph.MessageID]*graph.Message) graph.Node {
	b := &r.Context.Because[at]
	reason := graph.Reason{
		Kind: b.Kind, Reference: b.Reference, Probability: b.Link, Gap: time.Duration(b.Gap) * time.Second, By: phrases.Quoted(b.By, nameSize),
	}
	if from := b.From - 1; from >= 0 && from < len(r.Sources) {
		reason.From = r.Sources[from].Message
		if about := messages[reason.From]; about != nil { // which may be a part of it
			reason.From = about.ID
		}
	}
	return graph.Node{Message: messages[r.Sources[at].Message], Probability: b.Belongs, Reasons: []graph.Reason{reason}}
}

// readSources reads the messages that a response was made from again, so that nothing is
// shown that was deleted, or that the person may not read.
func (w *why) readSources(ctx context.Context, use *Use, r *store.Response) (map[graph.MessageID]*graph.Message, error) {
	readable := map[graph.ChannelID]bool{}
	var lookups []graph.Lookup
	for i := range min(len(r.Context.Because), len(r.Sources)) {
		channel := r.Sources[i].Channel
		may, asked := readable[channel]
		if !asked {
			var err error
			if may, err = w.deps.Guilds.MayRead(ctx, use.Guild, channel, use.User.ID); err != nil {
				return nil, fmt.Errorf("find out who may read channel %s: %w", channel, err)
			}
			readable[channel] = may
		}
		if may {
			lookups = append(lookups, graph.Lookup{Channel: channel, Message: r.Sources[i].Message})
		}
	}
	source := w.deps.History.Mention(fetch.Place{
		Channel: r.Channel, Trigger: r.Trigger, NoHistory: use.Place.NoHistory,
		Readable: func(l graph.Lookup) bool { return readable[l.Channel] },
	}).Source(ctx)
	reading, err := source(graph.Batch{Lookups: lookups})
	if err != nil {
		return nil, fmt.Errorf("read what answer %s was made from: %w", r.ID, err)
	}
	messages := make(map[graph.MessageID]*graph.Message, len(lookups))
	for i := range reading.Found {
		// In place of a message by somebody who opted out, the source returns another
		// one.
		if found := &reading.Found[i]; found.State == graph.ReferenceResolved && found.Message.Holds(lookups[i].Message) {
			messages[lookups[i].Message] = &found.Message
		}
	}
	return messages, nil
}

const (
	// buttonPage begins the names of the buttons that turn the pages of an explanation. What
	// follows is the explained message and the page.
	buttonPage = "heddle:page:"
)

// showContext answers the command in a message's menu.
func (w *why) showContext(ctx context.Context, use *Use) (Reply, error) {
	switch target := use.Command.Target; {
	case target == nil:
		return use.Say("command_unknown", nil), nil
	case use.Place.Foreign && w.deps.Gate.Permits(use.Asker()):
		return Reply{Text: w.foreign(use)}, nil
	default:
		return w.explained(ctx, use, target.ID, 0)
	}
}

// foreign words what Discord passes along about a message where heddle is not a member:
// the message and what it replies to, except from people who opted out.
func (w *why) foreign(use *Use) string {
	question := use.Language.Text("why_question", nil)
	lines := []string{use.Language.Text("why_preview", nil)}
	tell := func(m *discord.Message, because string) {
		if m == nil || w.deps.Gate.OptedOut(m.Author.ID) {
			return
		}
		message := fetch.Render(*m, use.Application)
		message.Channel = use.Channel
		lines = append(lines, cite(use.Guild, &message)+"\n-# "+because)
	}
	tell(use.Command.Target.Referenced, use.Language.Text("why_replied_to", phrases.Values{"From": question}))
	tell(use.Command.Target, question)
	return phrases.Lines(append(lines, use.Language.Text("why_foreign", nil))...)
}

// pressed answers a press of the button below an answer that asks why.
func (w *why) pressed(ctx context.Context, use *Use) (Reply, error) {
	use.AwaitRecord(ctx, w.deps.Store.Responses)
	if err := w.deps.Answers.Complete(ctx, use.onAnswer()); errors.Is(err, store.ErrHeld) {
		return use.Say("one_moment", nil), nil
	}
	return w.explained(ctx, use, use.Message, 0)
}

// turnPage answers a press of a button that turns to a page of an explanation.
func (w *why) turnPage(ctx context.Context, use *Use) (Reply, error) {
	name, number, _ := strings.Cut(use.Rest, ":")
	message, _ := strconv.ParseUint(name, 10, 64) // 0 for anything else
	page, _ := strconv.Atoi(number)
	if message == 0 {
		return use.Say("button_unknown", nil), nil
	}
	return w.explained(ctx, use, graph.MessageID(message), page)
}

// explained returns a page of the explanation of a message, the first as 0.
func (w *why) explained(ctx context.Context, use *Use, message graph.MessageID, page int) (Reply, error) {
	if !w.deps.Gate.Permits(use.Asker()) {
		return use.Say("not_permitted", nil), nil
	}
	e, err := w.explain(ctx, use, message)
	if err != nil {
		return Reply{}, err
	}
	if e.response == nil && e.own {
		return use.Say("why_unknown", nil), nil
	}
	pages := e.pages()
	page = min(max(page, 0), len(pages)-1)
	r := Reply{Text: pages[page]}
	if len(pages) > 1 {
		r.Buttons = reply.Rows{reply.Pager(buttonPage, page, len(pages), func(page int) string {
			return buttonPage + message.String() + ":" + strconv.Itoa(page)
		})}
	}
	return r, nil
}
