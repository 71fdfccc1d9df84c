package alternatives

import (
	"testing"
)

func TestVerdictReadsThumbsInEverySkinTone(t *testing.T) {
	for emoji, want := range map[string]struct{ good, ok bool }{
		"👍": {true, true}, "👎": {false, true}, "👍🏻": {true, true}, "👎🏿": {false, true}, "👍\uFE0F": {true, true},
		"": {}, "❤️": {}, "👍👍": {}, "🏻": {}, "👎!": {}, "thumbsup": {},
	} {
		if good, ok := verdict(emoji); good != want.good || ok != want.ok {
			t.Errorf("%q reads as %v and %v, want %v and %v", emoji, good, ok, want.good, want.ok)
		}
	}
}
