package answer

import (
	"testing"

	"heddle/bot/conversation"
	"heddle/llm"
	"heddle/store"
)

func TestEachRequestIsCountedOnce(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		sought store.Sought
		err    error
		want   Stats
	}{
		"found":              {store.Sought{Found: true, Damaged: 1}, nil, Stats{Hits: 1}},
		"found after a wait": {store.Sought{Found: true, Waited: true}, nil, Stats{Coalesced: 1}},
		"none":               {store.Sought{Waited: true}, nil, Stats{Misses: 1}},
		"only damaged ones":  {store.Sought{Damaged: 2}, nil, Stats{Rejected: 1}},
		"the store is away":  {store.Sought{}, store.ErrUnavailable, Stats{Bypassed: 1}},
	} {
		c := &counts{}
		if c.sought(test.sought, test.err); c.stats() != test.want {
			t.Errorf("%s: the counts are %+v, want %+v", name, c.stats(), test.want)
		}
	}
}

func TestTokensAreCountedByWhereThePathGoesOn(t *testing.T) {
	t.Parallel()
	c := &counts{}
	c.asked(&Prepared{Prepared: &conversation.Prepared{}}, llm.Usage{Prompt: 100, Cached: 10})
	c.asked(&Prepared{Prepared: &conversation.Prepared{Continues: store.ResponseID{1}}}, llm.Usage{Prompt: 50, Cached: 20})
	c.asked(&Prepared{Prepared: &conversation.Prepared{Continues: store.ResponseID{1}, Extends: true}}, llm.Usage{})
	if want := (Stats{Continued: 2, Extended: 1, PromptTokens: 150, CachedTokens: 30}); c.stats() != want {
		t.Errorf("the counts are %+v, want %+v", c.stats(), want)
	}
	if n := len(c.stats().LogValue().Group()); n != 10 {
		t.Errorf("%d counts are logged, want 10", n)
	}
}
