package cli

import (
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
