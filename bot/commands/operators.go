package commands

import (
	"context"
	"time"

	"github.com/bwmarrin/discordgo"

	"heddle/bot/phrases"
)

// operators answers the commands for operators.
type operators struct {
	deps     Deps
	settings *Settings
	began    time.Time
}

// status answers /heddle status: the version, the model, how many requests were made and
// answers reused since the start, and whether heddle can store and is paused.
func (o *operators) status(ctx context.Context, use *Use) (Reply, error) {
	stats := o.deps.Answers.Stats()
	stored, state := phrases.ID("status_stored"), phrases.ID("status_answers")
	if o.deps.Store.Ping(ctx) != nil {
		stored = "status_not_stored"
	}
	if o.deps.Overrides.Paused(ctx, use.Guild) {
		state = "status_paused"
	}
	return Reply{Text: phrases.Lines(
		use.Language.Text("status", phrases.Values{
			"Version": o.settings.Version, "Model": o.settings.Chat.Name, "Servers": o.deps.Guilds.Servers(), "When": phrases.On(o.began),
			"Requests": stats.Requests, "Reused": stats.Hits + stats.Coalesced,
		}),
		use.Language.Text(stored, nil), use.Language.Text(state, nil),
	)}, nil
}

// The options of /heddle pause, of which optionWhere is one.
const (
	optionWhat = "what"

	whatResume = "resume"
	whereAll   = "everywhere"
)

func pauseOptions() []Option {
	text := discordgo.ApplicationCommandOptionString
	return []Option{
		{Name: optionWhat, Type: text, Required: true, Choices: []Choice{
			{Value: "pause"}, {Value: whatResume},
		}},
		{Name: optionWhere, Describe: "option_pause_where", Type: text, Choices: []Choice{
			{Value: "here"}, {Value: whereAll},
		}},
	}
}

// pause answers /heddle pause: it pauses heddle in the guild in which it is used, or
// everywhere, or resumes it.
func (o *operators) pause(ctx context.Context, use *Use) (Reply, error) {
	guild, done := use.Guild, phrases.ID("paused_here")
	if use.Is(optionWhere, whereAll) || guild == 0 {
		guild, done = 0, "paused_all"
	}
	do, resumes := o.deps.Store.Overrides.Pause, use.Is(optionWhat, whatResume)
	if resumes {
		do, done = o.deps.Store.Overrides.Resume, "resumed"
	}
	if err := do(ctx, guild); err != nil {
		return Reply{}, err
	}
	o.deps.Log.InfoContext(ctx, "an operator pauses or resumes heddle", "resumes", resumes, "guild", guild, "by", use.User.ID)
	if resumes && o.deps.Overrides.Paused(ctx, use.Guild) { // here it ended, everywhere it did not, or the other way round
		done = "still_paused"
	}
	return use.Say(done, nil), nil
}
