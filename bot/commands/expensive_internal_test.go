package commands

import (
	"testing"

	"heddle/internal/expensive"
)

// BenchmarkExpensivePage reads the names of buttons that turn pages.
func BenchmarkExpensivePage(b *testing.B) {
	expensive.Text(b, func(text string) {
		parsePage(text)
		parsePage(pagePrefix + text)
		parsePage(pagePrefix + "1:" + text)
	})
}
