package phrases_test

import (
	"strings"
	"testing"

	"heddle/bot/phrases"
)

// TestNumbersAreWrittenAsPeopleDo covers locales with phrases of their own, those that share
// phrases but not how numbers are written, and those without phrases.
func TestNumbersAreWrittenAsPeopleDo(t *testing.T) {
	for locales, want := range map[string][3]string{
		"": {"1,234,567", "12,345", "0.032"}, "en-GB": {"1,234,567", "12,345", "0.032"}, "de": {"1.234.567", "12.345", "0,032"},
		"es-ES": {"1.234.567", "12.345", "0,032"}, "es-419": {"1,234,567", "12,345", "0.032"}, "ja": {"1,234,567", "12,345", "0.032"},
		"fr": {"1,234,567", "12,345", "0.032"}, "fr de": {"1.234.567", "12.345", "0,032"}, "no-such": {"1,234,567", "12,345", "0.032"},
	} {
		l := phrases.In(strings.Fields(locales)...)
		for i, got := range []string{
			l.Text(phrases.WhyModel, phrases.Values{"Model": "m", "Tokens": int64(1_234_567)}),
			l.Count(phrases.CatchUpMessages, 12_345, nil),
			l.Text(phrases.UsageCost, phrases.Values{"Cost": phrases.Cost{Amount: 0.032}}),
		} {
			if !strings.Contains(got, want[i]) {
				t.Errorf("in %q people read %q, want %q in it", locales, got, want[i])
			}
		}
	}
	if got := phrases.In("de").Say(phrases.Refusal(413, 40005)); !strings.Contains(got, "40005") {
		t.Errorf("the refusal reads %q, want the code 40005 as it is", got)
	}
}
