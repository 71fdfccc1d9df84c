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
		parseResponse(text)
		parseStop(text)
	})
}

// FuzzAButtonIsWhatItWasMadeAs demands that a response is read in a name only if heddle could
// have written it.
func FuzzAButtonIsWhatItWasMadeAs(f *testing.F) {
	f.Add(store.ResponseID{1}.String())
	f.Add(strings.Repeat("F", 32))
	f.Add("x")
	f.Fuzz(func(t *testing.T, name string) {
		response, ok := parseResponse(name)
		if ok && !strings.EqualFold(name, response.String()) {
			t.Fatalf("%q is read as %s, want what makes the same name again", name, response)
		}
	})
}
