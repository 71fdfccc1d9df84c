package cli

import (
	"context"
	"io"
	"log/slog"

	"heddle/config"
	"heddle/internal/telemetry"
)

// newLogger returns the logger that everything below uses, with the configured level
// and format.
func newLogger(c config.Config, w io.Writer) *slog.Logger {
	return loggerAt(c.LogLevel, c.LogFormat, w)
}

// loggerAt returns a logger with a level that may change.
func loggerAt(level slog.Leveler, format config.Format, w io.Writer) *slog.Logger {
	options := &slog.HandlerOptions{Level: level}
	if format == config.FormatJSON {
		return slog.New(telemetry.Handler{Handler: slog.NewJSONHandler(w, options)})
	}
	return slog.New(telemetry.Handler{Handler: slog.NewTextHandler(w, options)})
}

// unstalled returns p with a Stderr that holds nothing up, however long nobody reads it, and
// the function that ends it. Errors of writing to it are ignored.
func (p Process) unstalled(ctx context.Context, format config.Format) (unstalled Process, end func()) {
	direct := loggerAt(slog.LevelWarn, format, p.Stderr)
	kept := newRecords(p.Stderr, func(lost int64) {
		direct.WarnContext(ctx, "the log was not read for a while, and records of it were lost", "lost", lost)
	})
	p.Stderr, p.lostRecords = kept, kept.Lost
	return p, kept.Close
}
