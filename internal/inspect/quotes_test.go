package inspect_test

import (
	"strings"
	"testing"

	"heddle/graph/path"
	"heddle/internal/inspect"
	"heddle/llm"
	"heddle/store"
)

// TestWordsWithoutConsentAreNotTrainedOn checks that words that may be by somebody who
// did not consent are withheld from training formats only.
func TestWordsWithoutConsentAreNotTrainedOn(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		arrange func(*testing.T, *store.Store)
		change  func(*store.Response)
		want    inspect.Withheld
	}{
		"a forward": {change: func(r *store.Response) { forward(t, r) }, want: inspect.Withheld{Forwards: 1}},
		"an answer made from another's words": {
			arrange: func(t *testing.T, s *store.Store) { t.Helper(); earlier(t, s, bob) }, want: inspect.Withheld{Quotes: 1},
		},
		"an answer that nothing is known of": {
			change: func(r *store.Response) { r.Sources[1].Message = 97 }, want: inspect.Withheld{Quotes: 1},
		},
		"an answer made from one of those": {
			arrange: func(t *testing.T, s *store.Store) {
				t.Helper()
				earlier(t, s, bob)
				save(t, s, 7, "Rain.", func(r *store.Response) { r.Replies[0].ID, r.FinishReason = 97, "length" })
			},
			change: func(r *store.Response) { r.Sources[1].Message = 97 }, want: inspect.Withheld{Quotes: 1, Partial: 1},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStore(t)
			if test.arrange != nil {
				test.arrange(t, s)
			}
			save(t, s, 1, "Rain.", test.change)
			for _, format := range []string{inspect.FormatOpenAI, inspect.FormatTRL} {
				if rows, withheld := export(t, s, format); rows != "" || withheld != test.want {
					t.Errorf("%s holds %q, withheld are %+v, want %+v", format, rows, withheld, test.want)
				}
			}
			if rows, _ := export(t, s, inspect.FormatRaw); strings.Count(rows, "\n") != 1 {
				t.Errorf("raw holds %q, want one row", rows)
			}
		})
	}
}

// forward adds a forwarded message to the request, beside the conversation.
func forward(t *testing.T, r *store.Response) {
	t.Helper()
	r.Tail += "\n[forwarded message]\n> hello"
	p := path.Path{Turns: r.Path, Tools: r.Tools}
	body, err := llm.Rebuild(t.Context(), r.Model, llm.Request{Path: p, Tail: r.Tail}, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.RequestHash = path.RequestHash(body)
}
