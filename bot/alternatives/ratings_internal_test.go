package alternatives

import (
	"testing"
)

func TestVerdictReadsThumbsInEverySkinTone(t *testing.T) {
	for emoji, want := range map[string]struct {
		good bool
		tone byte
		ok   bool
	}{
		"👍": {true, 0, true}, "👎": {false, 0, true}, "👍🏻": {true, 1, true}, "👎🏿": {false, 5, true}, "👍\uFE0F": {true, 0, true},
		"": {}, "❤️": {}, "👍👍": {}, "👍🏻🏻": {}, "👎!": {}, "thumbsup": {},
	} {
		if good, tone, ok := verdict(emoji); good != want.good || tone != want.tone || ok != want.ok {
			t.Errorf("%q reads as %v, %d, %v, want %v, %d and %v", emoji, good, tone, ok, want.good, want.tone, want.ok)
		}
	}
}
