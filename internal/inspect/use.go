package inspect

import (
	"fmt"

	"heddle/store"
)

// Use counts the tokens that the answers of a scope took. It leaves out summaries.
type Use struct {
	// Continued counts the paths that continue another stored path. Extended counts
	// those of them that begin with the whole of that path, byte for byte.
	Continued int `json:"continued"`
	Extended  int `json:"extended"`
	// PromptTokens is the number of tokens charged for requests. CachedTokens of them
	// came from the provider's cache.
	PromptTokens int `json:"prompt_tokens"`
	CachedTokens int `json:"cached_tokens"`
}

// useOf counts the answers that were made, and not those that were given again.
func useOf(responses []store.Response) Use {
	byID := make(map[store.ResponseID]*store.Response)
	for i := range responses {
		byID[responses[i].ID] = &responses[i]
	}
	var u Use
	for i := range responses {
		r := &responses[i]
		if r.IsSummary() || r.Original() != r.ID {
			continue
		}
		u.PromptTokens += r.Usage.Prompt
		u.CachedTokens += r.Usage.Cached
		if before := byID[r.Continues]; before != nil {
			u.Continued++
			if r.Root == before.Root && shared(before.Prompts, r.Prompts) == len(before.Prompts) {
				u.Extended++
			}
		}
	}
	return u
}

// text returns the use as sentences, or "" if there is none.
func (u *Use) text() string {
	text := ""
	if u.Continued > 0 {
		text = fmt.Sprintf("  %d of %d follow-ups begin with the whole path before them\n", u.Extended, u.Continued)
	}
	if u.PromptTokens > 0 {
		text += fmt.Sprintf("  %d tokens were sent, %d%% of them read from the provider's cache\n", u.PromptTokens, 100*u.CachedTokens/u.PromptTokens)
	}
	return text
}
