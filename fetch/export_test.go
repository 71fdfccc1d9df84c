package fetch

import (
	"log/slog"

	"heddle/internal/discord"
)

// NewBounded returns an empty history with other bounds.
func NewBounded(rest discord.Getter, messages int, bytes int64) *History {
	return newHistory(rest, slog.New(slog.DiscardHandler), messages, bytes)
}

// Held returns how many channel logs are held, and roughly how many bytes they take.
func (h *History) Held() (channels int, bytes int64) {
	h.logs.mu.Lock()
	defer h.logs.mu.Unlock()
	return len(h.logs.channels), h.logs.held
}
