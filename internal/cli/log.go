package cli

import (
	"io"
	"log/slog"

	"heddle/config"
)

// newLogger returns the logger that everything below uses, with the configured level
// and format.
func newLogger(c config.Config, w io.Writer) *slog.Logger {
	options := &slog.HandlerOptions{Level: c.LogLevel}
	if c.LogFormat == config.FormatJSON {
		return slog.New(slog.NewJSONHandler(w, options))
	}
	return slog.New(slog.NewTextHandler(w, options))
}
