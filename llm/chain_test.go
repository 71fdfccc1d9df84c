package llm_test

import (
	"slices"
	"testing"

	"heddle/internal/openaitest"
	"heddle/llm"
)

// TestTheNextProviderIsAskedIfOneFails asks three providers, of which the first two
// fail.
func TestTheNextProviderIsAskedIfOneFails(t *testing.T) {
	named := func(name string) func(*llm.Config) {
		return func(c *llm.Config) { c.Model, c.Retries = name, -1 }
	}
	firstServer, first := setup(t, named("first"))
	secondServer, second := setup(t, named("second"))
	thirdServer, third := setup(t, named("third"))
	offeredServer, offered := setup(t, named("offered"))
	var failed []string
	chain := llm.NewChain(first, []*llm.Client{second, third}, func(model string, kind llm.Kind, next string) {
		failed = append(failed, model+" "+kind.String()+" "+next)
	})
	chain.Offer(offered)

	firstServer.Queue(openaitest.Reply{Status: 503})
	secondServer.Queue(openaitest.Reply{Status: 401})
	thirdServer.Queue(openaitest.Answer("I am third."))
	answer, err := chain.Stream(t.Context(), question(), nil)
	if err != nil || answer.Text != "I am third." || answer.Asked != "third" {
		t.Errorf("%q answers %q, %v, want %q, %q and no error", answer.Asked, answer.Text, err, "third", "I am third.")
	}
	if want := []string{"first " + llm.Server.String() + " second", "second " + llm.Auth.String() + " third"}; !slices.Equal(failed, want) {
		t.Errorf("failed have %q, want %q", failed, want)
	}

	wanted := question()
	wanted.Model = "offered"
	offeredServer.Queue(openaitest.Answer("I am offered."))
	if answer, err := chain.Stream(t.Context(), wanted, nil); err != nil || answer.Asked != "offered" {
		t.Errorf("%q answers %q, %v, want %q and no error", answer.Asked, answer.Text, err, "offered")
	}
	wanted.Model = "gone" // a model that was chosen and that the operator has removed since
	firstServer.Queue(openaitest.Answer("I am first."))
	if answer, err := chain.Stream(t.Context(), wanted, nil); err != nil || answer.Asked != "first" {
		t.Errorf("%q answers %q, %v, want %q and no error", answer.Asked, answer.Text, err, "first")
	}
}

// TestNoOtherProviderIsAskedIfOneRefuses lets a provider refuse a question, and another
// break off its answer.
func TestNoOtherProviderIsAskedIfOneRefuses(t *testing.T) {
	begun := openaitest.Answer("I began")
	begun.End = openaitest.EndAbort
	for name, reply := range map[string]openaitest.Reply{
		"too long": openaitest.Fail(openaitest.Failure{Status: 400, Code: "context_length_exceeded"}), "begun": begun,
	} {
		t.Run(name, func(t *testing.T) {
			server, first := setup(t, nil)
			other, second := setup(t, nil)
			server.Queue(reply)
			if _, err := llm.NewChain(first, []*llm.Client{second}, nil).Stream(t.Context(), question(), nil); err == nil {
				t.Error("the question is answered, want an error")
			}
			if asked := len(other.Requests()); asked != 0 {
				t.Errorf("the other provider is asked %d times, want 0", asked)
			}
		})
	}
}
