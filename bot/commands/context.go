package commands

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"

	"heddle/bot/phrases"
	"heddle/bot/reply"
	"heddle/fetch"
	"heddle/graph"
	"heddle/store"
)

// The options of /heddle context.
const (
	optionNewest = "newest"
	optionMost   = "most"
	optionPause  = "pause"
)

// buttonApply begins the names of the buttons that apply previewed thresholds. The place
// to apply them to and the thresholds follow.
const buttonApply = "heddle:context:"

// shownChanges is how many messages of each kind a preview names.
const shownChanges = 5

func contextOptions(mostTotal int) []Option {
	return choosing(
		Option{Name: optionNewest, Type: discordgo.ApplicationCommandOptionInteger, Least: new(0.0), Most: mostLinear},
		Option{Name: optionMost, Type: discordgo.ApplicationCommandOptionInteger, Least: new(1.0), Most: float64(mostTotal)},
		Option{Name: optionPause, Type: discordgo.ApplicationCommandOptionString, Longest: 20},
	)
}

// context answers /heddle context with the thresholds that apply in a channel. If other
// ones are given, it shows what the last question would be answered from with them, and
// offers to apply them.
func (a *admins) context(ctx context.Context, use *Use) (Reply, error) {
	where, _ := use.Option(optionWhere)
	now := a.deps.Overrides.settings.effective(a.chosen(ctx, use))
	wanted := now
	newest, other := use.Option(optionNewest)
	most, more := use.Option(optionMost)
	pause, longer := use.Option(optionPause)
	if other {
		wanted.newest = whole(newest)
	}
	if more {
		wanted.most = whole(most)
	}
	if longer {
		wanted.pause = strings.ToLower(strings.TrimSpace(pause))
	}
	switch {
	case use.Is(optionReset, "true"):
		return a.resetContext(ctx, use, where)
	case !other && !more && !longer:
		return a.shownContext(use, now), nil
	}
	if err := a.checkContext(use, where, wanted); err != nil {
		return Reply{}, err
	}
	preview, err := a.preview(ctx, use, wanted)
	if err != nil {
		return Reply{}, err
	}
	if where != whereServer {
		where = whereChannel
	}
	button := buttonApply + strings.Join([]string{where, strconv.Itoa(wanted.newest), strconv.Itoa(wanted.most), wanted.pause}, ":")
	return Reply{
		Text:    phrases.Lines(use.Language.Text("context_would", nil), described(use, wanted), preview),
		Buttons: reply.Rows{{reply.Button(button, use.Language.Text("label_apply", nil))}},
	}, nil
}

// whole returns a whole number, or one that is out of all bounds.
func whole(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil {
		return -1
	}
	return n
}

// shownContext returns the thresholds that apply, and how to change them.
func (a *admins) shownContext(use *Use, now thresholds) Reply {
	how := phrases.ID("context_how")
	if !a.deps.Overrides.settings.Context || !use.ManagesChannel() {
		how = "context_fixed"
	}
	return Reply{Text: phrases.Lines(use.Language.Text("context_now", nil), described(use, now), use.Language.Text(how, nil))}
}

// described returns thresholds in words.
func described(use *Use, t thresholds) string {
	pause := t.pause
	if pause == "auto" {
		pause = use.Language.Text("context_auto", nil)
	} else if d, err := time.ParseDuration(pause); err == nil {
		pause = use.Language.Exactly(d)
	}
	return use.Language.Text("context_thresholds", phrases.Values{"Newest": t.newest, "Most": t.most, "Pause": pause})
}

// checkContext fails with a RefusedError if thresholds may not be set.
func (a *admins) checkContext(use *Use, where string, wanted thresholds) error {
	settings := &a.deps.Overrides.settings
	if !settings.Context {
		return Refusal("overrides_off", nil)
	}
	if _, err := target(use, where); err != nil {
		return err
	}
	if fault := wanted.fault(settings); fault != "" {
		return Refusal(fault, phrases.Values{"Most": settings.MostTotal, "Newest": min(wanted.most, mostLinear)})
	}
	return nil
}

// resetContext removes the thresholds that were chosen for a place. That is possible even
// if the operator no longer allows thresholds to be chosen.
func (a *admins) resetContext(ctx context.Context, use *Use, where string) (Reply, error) {
	err := a.choose(ctx, use, where, func(o *store.Override) { o.MinLinear, o.MaxTotal, o.TimeThreshold = nil, nil, "" })
	if err != nil {
		return Reply{}, err
	}
	return applied(use, a.deps.Overrides.settings.effective(a.chosen(ctx, use))), nil
}

// applyContext answers a press of the button that applies thresholds. The name of the
// button may be made up, so everything is checked again.
func (a *admins) applyContext(ctx context.Context, use *Use) (Reply, error) {
	parts := strings.Split(use.Rest, ":")
	if len(parts) != 4 {
		return use.Say("command_unknown", nil), nil
	}
	wanted := thresholds{whole(parts[1]), whole(parts[2]), parts[3]}
	if err := a.checkContext(use, parts[0], wanted); err != nil {
		return Reply{}, err
	}
	return applied(use, wanted), a.choose(ctx, use, parts[0], wanted.set)
}

func applied(use *Use, t thresholds) Reply {
	return Reply{Text: phrases.Lines(use.Language.Text("context_applied", nil), described(use, t))}
}

// set makes the thresholds those of an override.
func (t thresholds) set(o *store.Override) {
	o.MinLinear, o.MaxTotal, o.TimeThreshold = &t.newest, &t.most, t.pause
}

// preview returns lines with what the last question of a channel is answered from now,
// and would be.
func (a *admins) preview(ctx context.Context, use *Use, wanted thresholds) (string, error) {
	question, err := a.lastQuestion(ctx, use)
	if err != nil || question == 0 {
		return use.Language.Text("context_no_question", nil), err
	}
	q := use.About(question)
	before, err := a.deps.Preparer.Preview(ctx, q)
	if err != nil {
		return "", fmt.Errorf("choose as it is: %w", err)
	}
	chosen := a.chosen(ctx, use)
	wanted.set(&chosen)
	q.Chosen = &chosen
	after, err := a.deps.Preparer.Preview(ctx, q)
	if err != nil {
		return "", fmt.Errorf("choose as it would be: %w", err)
	}
	changed := slices.Concat(changes(use, "+", after.Graph, before.Graph), changes(use, "−", before.Graph, after.Graph))
	counts := use.Language.Count("context_counts", len(after.Graph.Conversation), phrases.Values{"Before": len(before.Graph.Conversation)})
	if len(changed) == 0 {
		counts = use.Language.Text("context_same", nil)
	}
	return phrases.Lines(append([]string{cite(use.Guild, &before.Graph.Trigger), counts}, changed...)...), nil
}

// lookedThrough is the number of messages among which the last question is looked for.
const lookedThrough = 100

// lastQuestion returns the last message in a channel that heddle answered, or 0.
func (a *admins) lastQuestion(ctx context.Context, use *Use) (graph.MessageID, error) {
	next, heard := a.deps.History.Next(use.Channel)
	if !heard {
		next = graph.MessageID(use.ID) // an interaction's id is greater than those of all messages so far
	}
	source := a.deps.History.Mention(fetch.Place{Channel: use.Channel, Trigger: next, NoHistory: use.Place.NoHistory}).Source(ctx)
	before, err := source(graph.Batch{Walks: []graph.Walk{{
		Channel: use.Channel, From: graph.Position{Anchor: next, Message: next}, Limit: lookedThrough,
	}}})
	if err != nil {
		return 0, fmt.Errorf("look for the last question: %w", err)
	}
	for i := range before.Stretches[0].Messages {
		if m := &before.Stretches[0].Messages[i]; m.Answers != 0 {
			return m.Answers, nil
		}
	}
	return 0, nil
}

// changes returns lines that cite, behind a sign, the messages of a conversation that are
// not in another.
func changes(use *Use, sign string, in, other *graph.Graph) []string {
	var lines []string
	more := 0
	for i := range in.Conversation {
		m := in.Conversation[i].Message
		switch {
		case slices.ContainsFunc(other.Conversation, func(n graph.Node) bool { return n.Message.ID == m.ID }):
		case len(lines) == shownChanges:
			more++
		default:
			lines = append(lines, sign+" "+cite(use.Guild, m))
		}
	}
	if more > 0 {
		lines = append(lines, use.Language.Count("context_more", more, phrases.Values{"Sign": sign}))
	}
	return lines
}
