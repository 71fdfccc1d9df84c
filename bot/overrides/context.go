package overrides

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/bwmarrin/discordgo"

	"heddle/bot/commands"
	"heddle/bot/conversation"
	"heddle/bot/outbox"
	"heddle/bot/phrases"
	"heddle/fetch"
	"heddle/graph"
	"heddle/store"
)

// History reads what was said; fetch.History does.
type History interface {
	Mention(place fetch.Place) *fetch.Mention
	Next(channel graph.ChannelID) (graph.MessageID, bool)
}

// Previewer chooses what a question would be answered from; answer.Answers does.
type Previewer interface {
	Preview(ctx context.Context, q conversation.Question) (*graph.Graph, error)
}

// The options of commands.
const (
	optionNewest = "newest"
	optionMost   = "most"
	optionPause  = "pause"
	optionWhere  = "where"
	optionReset  = "reset"

	whereChannel = "channel"
	whereServer  = "server"
)

// applyPrefix begins the names of the buttons that apply previewed thresholds. The place
// to apply them to and the thresholds follow.
const applyPrefix = "heddle:context:"

// shownChanges is how many messages of each kind a preview names.
const shownChanges = 5

// contextCommand shows and changes which messages are chosen.
type contextCommand struct {
	*Overrides

	history  History
	previews Previewer
}

// Commands returns the commands by which admins override settings.
func (o *Overrides) Commands(history History, previews Previewer) []commands.Command {
	c, m, p := &contextCommand{o, history, previews}, &modelCommand{o}, &personaCommand{o}
	where := commands.Option{
		Name: optionWhere, Describe: phrases.OptionWhere, Type: discordgo.ApplicationCommandOptionString,
		Choices: []commands.Choice{{Name: phrases.ChoiceChannel, Value: whereChannel}, {Name: phrases.ChoiceServer, Value: whereServer}},
	}
	reset := commands.Option{Name: optionReset, Describe: phrases.OptionReset, Type: discordgo.ApplicationCommandOptionBoolean}
	all := []commands.Command{{
		Name: "heddle context", Describe: phrases.CommandContext, Answer: c.answer, Buttons: applyPrefix, Press: c.apply,
		Options: []commands.Option{
			{Name: optionNewest, Describe: phrases.OptionNewest, Type: discordgo.ApplicationCommandOptionInteger, Max: mostLinear},
			{Name: optionMost, Describe: phrases.OptionMost, Type: discordgo.ApplicationCommandOptionInteger, Min: 1, Max: float64(o.settings.MostTotal)},
			{Name: optionPause, Describe: phrases.OptionPause, Type: discordgo.ApplicationCommandOptionString, Max: 20},
			where, reset,
		},
	}, {
		Name: "heddle model", Describe: phrases.CommandModel, Answer: m.answer,
		Options: []commands.Option{
			{Name: optionModel, Describe: phrases.OptionModel, Type: discordgo.ApplicationCommandOptionString, Max: 100, Complete: m.complete},
			where, reset,
		},
	}, {
		Name: "heddle persona", Describe: phrases.CommandPersona, Answer: p.answer,
		Options: []commands.Option{
			{Name: optionText, Describe: phrases.OptionPersona, Type: discordgo.ApplicationCommandOptionString, Max: longPersona},
			where, reset,
		},
	}}
	return all
}

// target returns the channel that an override is for, or 0 for the whole server. refusal
// says why the person may not change it, or is "" if they may.
func target(use *commands.Use, where string) (channel graph.ChannelID, refusal phrases.ID) {
	switch {
	case where != whereServer && use.ManagesChannel():
		return use.Channel, ""
	case where == whereServer && use.Guild != 0 && use.Manages():
		return 0, ""
	}
	return 0, phrases.AdminsOnly
}

// answer shows the thresholds that apply in a channel. If other ones are given, it shows
// what the last question would be answered from with them, and offers to apply them.
func (c *contextCommand) answer(ctx context.Context, use *commands.Use) (commands.Reply, error) {
	where, _ := use.Option(optionWhere)
	chosen := c.In(ctx, use.Guild, use.Channel, use.Place.Parent)
	now := c.settings.effective(chosen)
	wanted := now
	given := false
	for option, take := range map[string]func(string){
		optionNewest: func(v string) { wanted.newest = whole(v) },
		optionMost:   func(v string) { wanted.most = whole(v) },
		optionPause:  func(v string) { wanted.pause = strings.ToLower(strings.TrimSpace(v)) },
	} {
		if value, set := use.Option(option); set {
			take(value)
			given = true
		}
	}
	if reset, _ := use.Option(optionReset); reset == "true" {
		return c.reset(ctx, use, where)
	}
	if !given {
		return commands.Reply{Text: c.shown(use, now)}, nil
	}
	if refused := c.refusal(use, where, wanted); refused.Text != "" {
		return refused, nil
	}
	preview, err := c.preview(ctx, use, wanted)
	if err != nil {
		return commands.Reply{}, err
	}
	button := applyPrefix + strings.Join([]string{whereOf(where), strconv.Itoa(wanted.newest), strconv.Itoa(wanted.most), wanted.pause}, ":")
	return commands.Reply{
		Text:    phrases.Lines(use.Language.Text(phrases.ContextWould, nil), described(use, wanted), preview),
		Buttons: outbox.Rows{{outbox.Button(button, use.Language.Text(phrases.LabelApply, nil))}},
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

func whereOf(where string) string {
	if where == whereServer {
		return where
	}
	return whereChannel
}

// shown returns the thresholds that apply, and how to change them.
func (c *contextCommand) shown(use *commands.Use, now thresholds) string {
	how := phrases.ContextHow
	if !c.settings.Context || !use.ManagesChannel() {
		how = phrases.ContextFixed
	}
	return phrases.Lines(use.Language.Text(phrases.ContextNow, nil), described(use, now), use.Language.Text(how, nil))
}

// described returns thresholds in words.
func described(use *commands.Use, t thresholds) string {
	pause := t.pause
	if pause == "auto" {
		pause = use.Language.Text(phrases.ContextAuto, nil)
	}
	return use.Language.Text(phrases.ContextThresholds, phrases.Values{"Newest": t.newest, "Most": t.most, "Pause": pause})
}

// refusal returns why thresholds may not be set, or an empty reply if they may.
func (c *contextCommand) refusal(use *commands.Use, where string, wanted thresholds) commands.Reply {
	if !c.settings.Context {
		return use.Say(phrases.OverridesOff, nil)
	}
	if _, refusal := target(use, where); refusal != "" {
		return use.Say(refusal, nil)
	}
	if fault := wanted.fault(&c.settings); fault != "" {
		return use.Say(fault, phrases.Values{"Most": c.settings.MostTotal, "Newest": min(wanted.most, mostLinear)})
	}
	return commands.Reply{}
}

func (c *contextCommand) reset(ctx context.Context, use *commands.Use, where string) (commands.Reply, error) {
	if refused := c.refusal(use, where, c.settings.effective(store.Override{})); refused.Text != "" && c.settings.Context {
		return refused, nil
	}
	channel, refusal := target(use, where)
	if refusal != "" {
		return use.Say(refusal, nil), nil
	}
	err := c.change(ctx, use.Guild, channel, func(o *store.Override) { o.MinLinear, o.MaxTotal, o.TimeThreshold = nil, nil, "" })
	if err != nil {
		return commands.Reply{}, err
	}
	now := c.settings.effective(c.In(ctx, use.Guild, use.Channel, use.Place.Parent))
	return commands.Reply{Text: phrases.Lines(use.Language.Text(phrases.ContextApplied, nil), described(use, now))}, nil
}

// apply answers a press of the button that applies thresholds. The name of the button may
// be made up, so everything is checked again.
func (c *contextCommand) apply(ctx context.Context, use *commands.Use, rest string) (commands.Reply, error) {
	parts := strings.Split(rest, ":")
	if len(parts) != 4 {
		return use.Say(phrases.CommandUnknown, nil), nil
	}
	wanted := thresholds{whole(parts[1]), whole(parts[2]), parts[3]}
	if refused := c.refusal(use, parts[0], wanted); refused.Text != "" {
		return refused, nil
	}
	channel, _ := target(use, parts[0])
	err := c.change(ctx, use.Guild, channel, func(o *store.Override) {
		o.MinLinear, o.MaxTotal, o.TimeThreshold = &wanted.newest, &wanted.most, wanted.pause
	})
	if err != nil {
		return commands.Reply{}, err
	}
	c.log.InfoContext(ctx, "an admin changed which messages are chosen", "guild", use.Guild, "channel", channel, "by", use.User.ID)
	return commands.Reply{Text: phrases.Lines(use.Language.Text(phrases.ContextApplied, nil), described(use, wanted))}, nil
}

// preview returns lines with what the last question of a channel is answered from now,
// and would be.
func (c *contextCommand) preview(ctx context.Context, use *commands.Use, wanted thresholds) (string, error) {
	question, found, err := c.lastQuestion(ctx, use)
	if err != nil || !found {
		return use.Language.Text(phrases.ContextNoQuestion, nil), err
	}
	q := conversation.Question{Guild: use.Guild, Channel: use.Channel, ID: question, Place: use.Place, Asker: use.User.ID}
	before, err := c.previews.Preview(ctx, q)
	if err != nil {
		return "", fmt.Errorf("choose as it is: %w", err)
	}
	chosen := c.In(ctx, use.Guild, use.Channel, use.Place.Parent)
	chosen.MinLinear, chosen.MaxTotal, chosen.TimeThreshold = &wanted.newest, &wanted.most, wanted.pause
	q.Chosen = &chosen
	after, err := c.previews.Preview(ctx, q)
	if err != nil {
		return "", fmt.Errorf("choose as it would be: %w", err)
	}
	changed := slices.Concat(
		changes(use, "+", without(after.Conversation, before.Conversation)),
		changes(use, "−", without(before.Conversation, after.Conversation)))
	counts := use.Language.Count(phrases.ContextCounts, len(after.Conversation), phrases.Values{"Before": len(before.Conversation)})
	if len(changed) == 0 {
		counts = use.Language.Text(phrases.ContextSame, nil)
	}
	return phrases.Lines(append([]string{commands.Cite(use.Guild, &before.Trigger), counts}, changed...)...), nil
}

// lastQuestion returns the last message in a channel that heddle answered.
func (c *contextCommand) lastQuestion(ctx context.Context, use *commands.Use) (graph.MessageID, bool, error) {
	next, heard := c.history.Next(use.Channel)
	if !heard {
		next = graph.MessageID(use.ID) // an interaction's id is greater than those of all messages so far
	}
	source := c.history.Mention(fetch.Place{Channel: use.Channel, Trigger: next, NoHistory: use.Place.NoHistory}).Source(ctx)
	before, err := graph.Recent(source, graph.Message{ID: next, Channel: use.Channel}, graph.Options{})
	if err != nil {
		return 0, false, fmt.Errorf("look for the last question: %w", err)
	}
	for _, m := range slices.Backward(before) {
		if m.Answers != 0 {
			return m.Answers, true, nil
		}
	}
	return 0, false, nil
}

// without returns the messages of some nodes that are not among others.
func without(nodes, others []graph.Node) []*graph.Message {
	among := make(map[graph.MessageID]bool)
	for i := range others {
		among[others[i].Message.ID] = true
	}
	var left []*graph.Message
	for i := range nodes {
		if !among[nodes[i].Message.ID] {
			left = append(left, nodes[i].Message)
		}
	}
	return left
}

// changes returns lines that cite messages behind a sign.
func changes(use *commands.Use, sign string, messages []*graph.Message) []string {
	var lines []string
	for _, m := range messages[:min(len(messages), shownChanges)] {
		lines = append(lines, sign+" "+commands.Cite(use.Guild, m))
	}
	if more := len(messages) - shownChanges; more > 0 {
		lines = append(lines, use.Language.Count(phrases.ContextMore, more, phrases.Values{"Sign": sign}))
	}
	return lines
}
