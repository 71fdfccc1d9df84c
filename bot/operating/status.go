package operating

import (
	"context"
	"time"

	"heddle/bot/commands"
	"heddle/bot/phrases"
)

// status tells operators how heddle is doing.
type status struct {
	deps     Deps
	settings Settings
	began    time.Time
}

// command shows the version, the model, how many requests were made and answers reused
// since the start, and whether heddle can store and is paused.
func (s *status) command(ctx context.Context, use *commands.Use) (commands.Reply, error) {
	stats := s.deps.Stats()
	stored, state := phrases.StatusStored, phrases.StatusAnswers
	if s.deps.Ping(ctx) != nil {
		stored = phrases.StatusNotStored
	}
	if s.deps.Pauses.In(ctx, use.Guild) {
		state = phrases.StatusPaused
	}
	return commands.Reply{Text: phrases.Lines(
		use.Language.Text(phrases.Status, phrases.Values{
			"Version": s.settings.Version, "Model": s.settings.Model, "Servers": s.deps.Guilds(), "When": phrases.On(s.began),
			"Requests": stats.Requests, "Reused": stats.Hits + stats.Coalesced,
		}),
		use.Language.Text(stored, nil), use.Language.Text(state, nil),
	)}, nil
}
