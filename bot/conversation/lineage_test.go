package conversation_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"heddle/graph"
	"heddle/internal/discord"
	"heddle/internal/discordtest"
	"heddle/internal/errtest"
	"heddle/internal/openaitest"
	"heddle/internal/roomtest"
	"heddle/store"
)

// narrow is the roomtest.Choice of a bot that takes few messages into a conversation.
func narrow(c *roomtest.Parts) {
	c.Conversation.Expand.MinLinear, c.Conversation.Expand.MaxTotal = 1, 2
}

// follow asks on in reply to heddle's last message.
func (s *stage) follow(text, said string) graph.MessageID {
	s.T.Helper()
	return s.AskWith(s.Ann, discordtest.Draft{Content: text, ReplyTo: s.Last().ID}, openaitest.Answer(said))
}

// cacheKey returns the cache key of the last request.
func (s *stage) cacheKey() string {
	s.T.Helper()
	requests := s.Model.Requests()
	var key string
	errtest.None(s.T, json.Unmarshal(requests[len(requests)-1].Chat.Fields["prompt_cache_key"], &key))
	return key
}

// TestAFollowUpExtendsThePathBeforeIt talks on for longer than a conversation may be
// that is new.
func TestAFollowUpExtendsThePathBeforeIt(t *testing.T) {
	s := newStage(t, narrow)
	s.Say(s.Bob, "the loom is stuck")
	s.Ask(s.Ann, "what now?", openaitest.Answer("Try treadle 0."))
	key := s.cacheKey()
	for n := 1; n <= 5; n++ {
		before := s.Asked()
		path := slices.Delete(slices.Clone(before), len(before)-2, len(before)-1) // without the tail, which stands before the question
		id := s.follow(fmt.Sprintf("did %d, still stuck", n-1), fmt.Sprintf("Try treadle %d.", n))
		if now := s.Asked(); len(now) <= len(before) || !slices.Equal(now[:len(path)], path) {
			t.Fatalf("follow-up %d asks %q, want it to extend %q", n, now, path)
		}
		if got := s.cacheKey(); got != key || key == "" {
			t.Errorf("the cache key of follow-up %d is %q, want %q", n, got, key)
		}
		if r := s.Record(id); r.Continues == (store.ResponseID{}) || r.CacheKey != key {
			t.Errorf("recorded is the continuation of %s with the cache key %q, want not %s and %q", r.Continues, r.CacheKey, (store.ResponseID{}), key)
		}
	}
	if got := s.Answers.Stats(); got.Continued != 5 || got.Extended != 5 {
		t.Errorf("the counts are %+v, want Continued 5 and Extended 5", got)
	}
}

func TestCacheKeysTellNothing(t *testing.T) {
	s := newStage(t)
	s.Model.Queue(openaitest.Answer("Four."), openaitest.Answer("Four."))
	var keys []string
	for _, scope := range []store.Scope{s.Scope(), store.ChannelScope(s.Guild, s.Channel)} {
		q := s.Aside(s.Ann, "2 + 2?")
		q.Place.Scope = scope
		s.Give(q)
		keys = append(keys, s.cacheKey())
	}
	if keys[0] == keys[1] || len(keys[0]) != 24 {
		t.Errorf("the cache keys of two scopes are %q, want two different ones of 24 characters", keys)
	}
}

// TestAnEditedMessageBreaksThePathFromThereOn edits what an answer was made from.
func TestAnEditedMessageBreaksThePathFromThereOn(t *testing.T) {
	s := newStage(t)
	first := s.Say(s.Bob, "the warp is blue")
	s.Ask(s.Ann, "which colour?", openaitest.Answer("Blue."))
	s.Edit(first, "the warp is red")
	s.follow("sure?", "No.")
	if asked := s.Asked(); asked[1] != "[speaker: bob]\nthe warp is red" || asked[3] != "Blue." {
		t.Errorf("the model is asked %q, want %q second and %q fourth", asked, "[speaker: bob]\nthe warp is red", "Blue.")
	}
	if got := s.Answers.Stats(); got.Continued != 1 || got.Extended != 0 {
		t.Errorf("the counts are %+v, want Continued 1 and Extended 0", got)
	}
}

// TestAResolvedLinkPreviewChangesNothing adds a preview to what an answer was made from.
func TestAResolvedLinkPreviewChangesNothing(t *testing.T) {
	s := newStage(t)
	first := s.Say(s.Bob, "see https://example.com")
	s.Ask(s.Ann, "what is it?", openaitest.Answer("A loom."))
	errtest.None(s.T, s.Discord.Chat.SetEmbeds(s.Channel, first, json.RawMessage(`[{"title":"Looms","url":"https://example.com"}]`)))
	s.History.Update(s.Message(first))
	s.follow("sure?", "Yes.")
	if got := s.Answers.Stats(); got.Extended != 1 {
		t.Errorf("a preview changed the path: %q, want %d path extended", s.Asked(), 1)
	}
}

// TestWhatWasDeletedIsNotContinued deletes what an answer was made from.
func TestWhatWasDeletedIsNotContinued(t *testing.T) {
	s := newStage(t, narrow)
	first := s.Say(s.Bob, "the password is swordfish")
	s.Ask(s.Ann, "what is it?", openaitest.Answer("I know."))
	s.follow("really?", "Yes.")
	s.History.Delete(discord.Delete{Channel: s.Channel, Messages: []graph.MessageID{first}})
	s.follow("so?", "It is gone.")
	for _, text := range s.Asked() {
		if text == "[speaker: bob]\nthe password is swordfish" {
			t.Errorf("the model is asked %q, want the deleted message in none of it", s.Asked())
		}
	}
}
