package e2e_test

import (
	"strings"
	"testing"

	"heddle/internal/discordtest"
	"heddle/internal/openaitest"
)

// TestAModelThatCountsMoreTokensGetsShorterPaths has a provider that counts far more
// tokens than heddle estimates. Heddle learns the ratio and keeps it.
func TestAModelThatCountsMoreTokensGetsShorterPaths(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	s.patiently()
	const perToken, budget = 1.5, 3000
	answer := openaitest.Answer("Noted. " + strings.Repeat("Weaving goes on and on. ", 8))
	answer.BytesPerToken = perToken
	s.always(answer)
	environ := []string{"TOKEN_BUDGET=3000", "TOOLS=off"}
	r := s.start(environ...)
	var last discordtest.Message
	size := func(request openaitest.Request) int {
		return int(float64(len(strings.Join(textsOf(request), ""))) / perToken)
	}
	for n := 1; n <= 9; n++ {
		if n == 7 {
			r.end()
			r = s.start(environ...)
		}
		last = s.follow(n, last)
	}
	for i, request := range s.model.Requests() {
		if got := size(request); i > 0 && got > budget {
			t.Errorf("path %d takes %d tokens of the provider's, want at most the budget of %d", i+1, got, budget)
		}
	}
	longest := s.model.Requests()
	if got := size(longest[len(longest)-1]); got < budget/4 {
		t.Errorf("the last path takes %d tokens only, want at least %d", got, budget/4)
	}
}
