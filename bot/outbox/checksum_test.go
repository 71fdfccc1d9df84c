package outbox_test

import (
	"slices"
	"testing"

	"heddle/bot/outbox"
)

func TestTheChecksumTellsPartsApart(t *testing.T) {
	answer := []string{"The warp runs lengthwise,", "the weft across it,", "and 2 make cloth."}
	sum := outbox.Checksum(answer)
	for name, other := range map[string][]string{
		"without its last part":      answer[:2],
		"without its first":          answer[1:],
		"in another order":           {answer[1], answer[0], answer[2]},
		"cut elsewhere":              {"The warp runs lengthwise, the", "weft across it,", answer[2]},
		"with a part of another one": {answer[0], "the weft across them,", answer[2]},
		"with one part more":         append(slices.Clip(answer), "Or felt."),
	} {
		if outbox.Checksum(other) == sum {
			t.Errorf("%s, an answer has the same checksum, want another", name)
		}
	}
	if got := outbox.Checksum([]string{" The warp runs lengthwise, ", "the weft across it,\n", "and 2 make cloth."}); got != sum || len(got) != 12 {
		t.Errorf("the checksum is %q, want %q, as Discord trims what is sent", got, sum)
	}
}
