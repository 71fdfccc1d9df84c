package e2e_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"heddle/internal/discordtest"
	"heddle/internal/openaitest"
)

// TestFollowUpsMeetTheProvidersCache has a conversation of replies and mentions while
// others talk, and compares the bytes of its requests.
func TestFollowUpsMeetTheProvidersCache(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	s.patiently()
	answer := openaitest.Answer("Noted. " + strings.Repeat("Weaving goes on and on. ", 8))
	answer.BytesPerToken = 4
	s.always(answer)
	r := s.start()
	const followUps = 20
	last := s.answer(s.channel, s.post(s.ann, discordtest.Draft{Content: s.mention("the big loom is stuck")}), "Noted.")
	for n := 1; n <= followUps; n++ {
		if n%4 == 0 {
			s.post(s.bob, discordtest.Draft{Content: fmt.Sprintf("anyone for lunch at %d?", n)})
		}
		draft := discordtest.Draft{Content: fmt.Sprintf("I turned screw %d of the loom, still stuck", n), ReplyTo: last.ID}
		if n%3 == 0 {
			draft.Content = s.mention(draft.Content)
		}
		last = s.answer(s.channel, s.post(s.ann, draft), "Noted.")
	}
	other := s.thread("dinner")
	s.answer(other, s.postIn(other, s.bob, discordtest.Draft{Content: s.mention("what is for dinner?")}), "Noted.")
	r.end()

	requests := s.model.Requests()
	extended, key := 0, requests[0].Chat.Fields["prompt_cache_key"]
	for i := 1; i <= followUps; i++ {
		before, now := strings.Join(textsOf(requests[i-1]), "\x00"), strings.Join(textsOf(requests[i]), "\x00")
		if strings.HasPrefix(now, before) {
			extended++
		}
		if !bytes.Equal(requests[i].Chat.Fields["prompt_cache_key"], key) {
			t.Errorf("the key became %s, want %s", requests[i].Chat.Fields["prompt_cache_key"], key)
		}
	}
	if extended*10 < followUps*9 {
		t.Errorf("%d of %d follow-ups extend the request before them, want nine tenths", extended, followUps)
	}
	if len(key) != 26 || bytes.Equal(requests[followUps+1].Chat.Fields["prompt_cache_key"], key) {
		t.Errorf("another conversation has the same key %s, want another one of 26 bytes", key)
	}
	if want := fmt.Sprintf("counts.continued=%d counts.extended=%d", followUps, extended); !strings.Contains(r.logs.String(), want) {
		t.Errorf("%q is not in the log", want)
	}
	s.toldOfCache(extended, followUps)
}

// toldOfCache checks what the commands report about the provider's cache.
func (o *operator) toldOfCache(extended, followUps int) {
	o.t.Helper()
	tree, _ := o.must(nil, "tree")
	_, told, _ := strings.Cut(tree, "\n")
	var began, of, tokens, share int
	_, err := fmt.Sscanf(told, "  %d of %d follow-ups begin with the whole path before them\n  %d tokens were sent, %d%% of them", &began, &of, &tokens, &share)
	if err != nil || began != extended || of != followUps || share < 70 {
		o.t.Errorf("%v, the tree begins %.300q, want %d of %d follow-ups to begin with the path before, and 70%% of the tokens or more", err, tree, extended, followUps)
	}
	o.t.Logf("%d of %d follow-ups extend, %d%% of %d tokens from the cache", began, of, share, tokens)
	if report, _ := o.must(nil, "verify"); !strings.Contains(report, fmt.Sprintf("%d requests can be made again byte for byte, 0 cannot", followUps+2)) {
		o.t.Errorf("verify says %s, want %q in it", report, fmt.Sprintf("%d requests can be made again byte for byte, 0 cannot", followUps+2))
	}
}
