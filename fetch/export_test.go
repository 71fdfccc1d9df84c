package fetch

import "log/slog"

// NewBounded returns an empty history with other bounds.
func NewBounded(caller Caller, messages int, bytes int64) *History {
	return newHistory(caller, slog.New(slog.DiscardHandler), messages, bytes)
}
