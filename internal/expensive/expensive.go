// Package expensive finds input whose processing takes more than linear time. It is for
// benchmarks of code that reads untrusted text: parsers, counters and renderers.
package expensive

import (
	"strings"
	"testing"
	"time"
)

// Sizes in bytes, and how much more a byte of the long text may cost than one of the
// short text. Quadratic work would cost 16 times as much.
const (
	short = 4 << 10
	long  = 64 << 10
	most  = 6
	runs  = 5
)

// least is the least cost that a byte of the short text counts with, so that the cost
// of a call and the resolution of the clock do not distort the comparison.
const least = 20 * time.Nanosecond

// patterns returns texts that are repeated to make a long one: patterns on which
// scanners backtrack, delimiters that are never closed, and text that grows when it is
// encoded.
func patterns() []string {
	return []string{
		"a", "A", "aA", "1", " ", "  a", "\n", " \n", "\t\n", "\r\n", "\r", "\x00", "\xff", "\xe2\x80", "é", "日", "👩‍👩‍👧", "\u0301", "\u200b", "\u202e",
		"word ", "'s", "!", "!\n", "-", "=", "\\", "\"", "\\\"", "\\u0000", "{", "[", "{\"a\":", "[1,", "<", "</", "<a>", "&", "&amp;",
		"<@", "<@1", "<@1>", "<@&1>", "<#1>", "<:a:1>", "<t:1>", "<t:1:R>", "</a:1>", "<id:", "@a ", "@everyone ",
		"*", "**a", "_", "__", "~~", "||", "`", "``", "```", "```\n", "```go\n", "` ", ">", "> ", ">>> ", "# ", "-# ", "- ", "1. ",
		"[a](", "[a](b", "[a](http://b)", "[a](http://b(", "[a](http://b) `c` ", "`a`[b](http://c) ", "[](", "](", "![", "http://", "http://a ", "http://a.b/c?d ", "www.", "://", "|a", "|-",
		"[speaker: a]\n", "[speaker: ", "[system", ":a:", "=cut\n", "data:", ",",
	}
}

// Text calls read with texts of 4 KiB and of 64 KiB, and reports the highest cost per
// byte. It fails if a byte of a long text costs more than six times as much as a byte
// of a short text with the same pattern.
func Text(b *testing.B, read func(text string)) {
	b.Helper()
	var worst time.Duration
	for b.Loop() {
		for _, pattern := range patterns() {
			small, large := perByte(pattern, short, read), perByte(pattern, long, read)
			worst = max(worst, large)
			if large > most*max(small, least) {
				b.Errorf("a byte of %d repeating %q costs %s, of %d %s, want at most %d times as much", long, pattern, large, short, small, most)
			}
		}
	}
	b.ReportMetric(float64(worst.Nanoseconds()), "ns/worst-byte")
}

// perByte returns the least time per byte in several runs.
func perByte(pattern string, size int, read func(string)) time.Duration {
	text := strings.Repeat(pattern, size/len(pattern))
	fastest := time.Duration(1<<63 - 1)
	for range runs {
		began := time.Now()
		read(text)
		fastest = min(fastest, time.Since(began))
	}
	return fastest / time.Duration(len(text))
}
