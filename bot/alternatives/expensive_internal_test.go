package alternatives

import (
	"strings"
	"testing"

	"heddle/internal/expensive"
	"heddle/store"
)

// BenchmarkExpensiveButton reads names of buttons that anybody could have made up.
func BenchmarkExpensiveButton(b *testing.B) {
	expensive.Text(b, func(text string) {
		parseButton(text)
		parseButton(buttonAgain + text)
	})
}

// FuzzAButtonIsWhatItWasMadeAs demands that a name is read only if heddle could have
// written it.
func FuzzAButtonIsWhatItWasMadeAs(f *testing.F) {
	f.Add(buttonAgain + store.ResponseID{1}.String())
	f.Add(buttonOn + strings.Repeat("F", 32))
	f.Add(buttonBack + "x")
	f.Fuzz(func(t *testing.T, id string) {
		name, response, ok := parseButton(id)
		if ok && !strings.EqualFold(id, name+response.String()) {
			t.Fatalf("%q is read as %q of %s, want what makes the same id again", id, name, response)
		}
	})
}
