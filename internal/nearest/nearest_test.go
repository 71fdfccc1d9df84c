package nearest_test

import (
	"testing"

	"heddle/internal/nearest"
)

func TestATypingErrorLeadsToTheNearestName(t *testing.T) {
	commands := []string{"try", "config", "eval", "explain", "verify"}
	for word, want := range map[string]string{
		"confg":   "config",
		"CONFIG":  "config",
		"exlpain": "explain",
		"tri":     "try",
		"evaluat": "",
		"evall":   "eval",
		"xyz":     "",
		"":        "",
		"ünïcode": "",
	} {
		if got := nearest.Of(word, commands); got != want {
			t.Errorf("nearest to %q is %q, want %q", word, got, want)
		}
	}
}
