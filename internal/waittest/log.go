package waittest

import (
	"context"
	"fmt"
	"strings"
)

// Log is a log that several goroutines may write and read. The zero Log is empty.
type Log struct {
	mu   Monitor
	text strings.Builder
}

// Write implements io.Writer.
func (l *Log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.mu.Wake()
	return l.text.Write(p)
}

// String returns what was written so far.
func (l *Log) String() string {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.text.String()
}

// Count returns how many times a text was written.
func (l *Log) Count(text string) int { return strings.Count(l.String(), text) }

// Await waits until a text was written so many times.
func (l *Log) Await(ctx context.Context, text string, times int) error {
	return l.mu.Await(ctx,
		func() bool { return strings.Count(l.text.String(), text) >= times },
		func() string { return fmt.Sprintf("%q in the log", text) })
}
