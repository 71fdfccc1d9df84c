package cli

import (
	"context"
	"log/slog"

	"heddle/config"
)

// reload reads the settings again whenever that is asked for, until ctx ends. LOG_LEVEL
// takes effect at once. Everything else that has changed is named and takes effect at
// the next start: what is in progress was begun with the old settings, and a restart
// loses nothing.
func (p Process) reload(ctx context.Context, running config.Config, level *slog.LevelVar, log *slog.Logger) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-p.Reload:
		}
		c, _, err := config.LoadBot(p.Environ, p.Read)
		if err := p.withReferences(c, err); err != nil {
			log.ErrorContext(ctx, "the settings were read again and cannot be used, nothing changes", "error", err)
			continue
		}
		level.Set(c.LogLevel)
		running.LogLevel = c.LogLevel
		log.InfoContext(ctx, "the settings were read again", "level", c.LogLevel, "wait_for_restart", running.Differing(c))
	}
}
