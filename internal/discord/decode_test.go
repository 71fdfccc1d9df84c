package discord_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"heddle/graph"
	"heddle/internal/discord"
	"heddle/internal/errtest"
	"heddle/internal/expensive"
)

func decode(t *testing.T, raw string) discord.Message {
	t.Helper()
	return errtest.Must(discord.Decode[discord.Message](json.RawMessage(raw)))(t)
}

func TestOddFieldsDoNotLoseAMessage(t *testing.T) {
	m := decode(t, `{"id":"5","content":"kept","author":[],"embeds":{"a":1},"components":[{"type":99,"content":"new"},7,
		{"type":17,"components":[{"type":"10","content":"inner"}]}],"mentions":"no","timestamp":3,"poll":[],"surprise":{"x":[1]},
		"message_reference":"?","message_snapshots":[{"message":null}],"edited_timestamp":{}}`)
	if m.Content != "kept" || len(m.Components) != 2 || m.Components[0].Text != "new" {
		t.Fatalf("read as %+v, want Content %q, 2 in Components and Components[0].Text %q", m, "kept", "new")
	}
	if m.Components[1].Children[0].Text != "inner" {
		t.Errorf("components %+v, want Children[0].Text %q of the second", m.Components, "inner")
	}
	if !m.Time.Equal(m.ID.Time()) {
		t.Errorf("time %v, want that of the id, %v", m.Time, m.ID.Time())
	}
}

func TestAbsentAndNullReferencedMessagesDiffer(t *testing.T) {
	for raw, want := range map[string]discord.ReferencedState{
		`{"id":"1"}`:                                          discord.ReferencedAbsent,
		`{"id":"1","referenced_message":null}`:                discord.ReferencedNull,
		`{"id":"1","referenced_message": null }`:              discord.ReferencedNull,
		`{"id":"1","referenced_message":{"id":"2"}}`:          discord.ReferencedGiven,
		`{"id":"1","referenced_message":{"content":"no id"}}`: discord.ReferencedAbsent,
	} {
		if m := decode(t, raw); m.ReferencedState != want || (m.Referenced != nil) != (want == discord.ReferencedGiven) {
			t.Errorf("%s: state %d, want %d", raw, m.ReferencedState, want)
		}
	}
}

func TestAPartialUpdateIsNotWhole(t *testing.T) {
	for raw, want := range map[string]bool{
		`{"id":"1","channel_id":"2","embeds":[],"edited_timestamp":null}`: false,
		`{"id":"1","author":{"id":"3"}}`:                                  false,
		`{"id":"1","content":"x"}`:                                        false,
		`{"id":"1","author":{"id":"3"},"content":""}`:                     true,
	} {
		if m := decode(t, raw); m.Whole != want {
			t.Errorf("%s is a whole message: %t, want %t", raw, m.Whole, want)
		}
	}
}

func TestAnAuthorWithoutAnIDIsNone(t *testing.T) {
	for _, author := range []string{`{"username":null}`, `{"username":"ann"}`, `{"id":"0"}`, `[]`, `null`} {
		if m := decode(t, `{"id":"1","content":"x","author":`+author+`}`); m.Whole {
			t.Errorf("%s is decoded as an author, want none", author)
		}
	}
}

func TestAReplyIsRecognisedByItsReferenceToo(t *testing.T) {
	for raw, want := range map[string]discord.MessageType{
		`"type":0,"message_reference":{"message_id":"2","channel_id":"3"}`:          discord.TypeReply,
		`"type":0,"message_reference":{"message_id":"2"}`:                           discord.TypeReply,
		`"type":0,"message_reference":{"message_id":"2","channel_id":"4"}`:          discord.TypeDefault, // crossposted
		`"type":0,"message_reference":{"message_id":"2","channel_id":"3","type":1}`: discord.TypeDefault, // forwarded
		`"type":0,"message_reference":{"channel_id":"3"}`:                           discord.TypeDefault,
		`"type":21,"message_reference":{"message_id":"2","channel_id":"3"}`:         discord.TypeStarter,
		`"type":6,"message_reference":{"message_id":"2","channel_id":"3"}`:          discord.TypePin,
	} {
		if m := decode(t, `{"id":"1","channel_id":"3",`+raw+`}`); m.Type != want {
			t.Errorf("%s has type %d, want %d", raw, m.Type, want)
		}
	}
}

func TestInvalidBytesBecomeValidText(t *testing.T) {
	m := decode(t, "{\"id\":\"1\",\"content\":\"a\xff\\ud800b\",\"author\":{\"username\":\"\xc3\"}}")
	if m.Content != "a\uFFFD\uFFFDb" || m.Author.Name != "\uFFFD" {
		t.Errorf("content %q, name %q, want %q and %q", m.Content, m.Author.Name, "a\uFFFD\uFFFDb", "\uFFFD")
	}
}

func TestEventsAreReadOrRefused(t *testing.T) {
	d, err := discord.Decode[discord.Delete](json.RawMessage(`{"ids":["1",2,"x"],"channel_id":"3"}`))
	if err != nil || len(d.Messages) != 2 || d.Messages[1] != 2 || d.Channel != 3 {
		t.Errorf("deletion %+v, error %v, want 2 in Messages, Messages[1] 2, Channel 3 and no error", d, err)
	}
	ready, err := discord.Decode[discord.Ready](json.RawMessage(`{"v":9,"user":{"id":"1"},"resume_gateway_url":"wss://x",
		"guilds":[{"id":"5","unavailable":true}],"session_id":"s"}`))
	if err != nil || ready.User.ID != 1 || ready.ResumeURL != "wss://x" || !ready.Guilds[0].Unavailable {
		t.Errorf("ready %+v, error %v, want User.ID 1, ResumeURL %q, Guilds[0].Unavailable true and no error", ready, err, "wss://x")
	}
	for _, raw := range []string{`[]`, `{}`, `null`, `{"id":"0"}`} {
		refused := make(map[string]error)
		_, refused["message"] = discord.Decode[discord.Message]([]byte(raw))
		_, refused["deletion"] = discord.Decode[discord.Delete]([]byte(raw))
		_, refused["channel"] = discord.Decode[discord.Channel]([]byte(raw))
		_, refused["guild"] = discord.Decode[discord.Guild]([]byte(raw))
		_, refused["member update"] = discord.Decode[discord.MemberUpdate]([]byte(raw))
		_, refused["role update"] = discord.Decode[discord.RoleUpdate]([]byte(raw))
		_, refused["thread list"] = discord.Decode[discord.ThreadSync]([]byte(raw))
		for what, err := range refused {
			if !errors.Is(err, discord.ErrMalformed) {
				t.Errorf("%s from %s: error %v, want %v", what, raw, err, discord.ErrMalformed)
			}
		}
	}
}

func TestNestingIsBounded(t *testing.T) {
	deep := strings.Repeat(`{"id":"1","referenced_message":`, 3000) + `null` + strings.Repeat(`}`, 3000)
	m := decode(t, deep)
	depth := 0
	for inner := &m; inner.Referenced != nil; inner = inner.Referenced {
		depth++
	}
	if depth == 0 || depth > 20 {
		t.Errorf("read %d deep, want more than 0 and at most 20", depth)
	}
}

func FuzzDecodeMessage(f *testing.F) {
	f.Add([]byte(`{"id":"1","content":"x","components":[{"type":17,"components":[{"type":10}]}],"poll":{"answers":[{}]}}`))
	f.Add([]byte("{\"id\":1,\"content\":\"\xff\",\"message_snapshots\":[{\"message\":{\"content\":\"y\"}}]}"))
	f.Add([]byte(`{"id":18446744073709551615,"timestamp":"2024-01-01T00:00:00+00:00","embeds":[{"fields":[{}]}]}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		m, err := discord.Decode[discord.Message](raw)
		if err != nil {
			return
		}
		if m.ID == 0 || !utf8.ValidString(m.Content) || !utf8.ValidString(m.Author.Name) {
			t.Errorf("read as %+v, want an id and valid UTF-8", m)
		}
	})
}

func TestReactionsAreReadAsFarAsTheyGo(t *testing.T) {
	for raw, want := range map[string]discord.Reaction{
		`{"user_id":"3","channel_id":"1","message_id":"2","guild_id":"9","message_author_id":"7","member":{"user":{"id":"3","bot":true}},"emoji":{"id":null,"name":"👍"},"burst":false}`: {Channel: 1, Guild: 9, Message: 2, Author: 7, User: 3, Bot: true, Emoji: "👍"},
		`{"user_id":3,"channel_id":1,"message_id":2,"emoji":{"id":"5","name":"👍"}}`:                                                                                                     {Channel: 1, Message: 2, User: 3},
		`{"channel_id":"1","message_id":"2","emoji":{"name":"👎🏽"}}`:                                                                                                                     {Channel: 1, Message: 2, Emoji: "👎🏽"},
		`{"channel_id":"1","message_id":"2","emoji":7,"member":[]}`:                                                                                                                     {Channel: 1, Message: 2},
	} {
		if got, err := discord.Decode[discord.Reaction](json.RawMessage(raw)); err != nil || got != want {
			t.Errorf("%s read as %+v, %v, want %+v and no error", raw, got, err, want)
		}
	}
	for _, raw := range []string{`[]`, `{}`, `{"channel_id":"1"}`} {
		if _, err := discord.Decode[discord.Reaction](json.RawMessage(raw)); !errors.Is(err, discord.ErrMalformed) {
			t.Errorf("%s is refused with %v, want %v", raw, err, discord.ErrMalformed)
		}
	}
}

func TestPressesAreReadInGuildsAndDirectMessages(t *testing.T) {
	const head = `"id":"5","application_id":9,"token":"t","channel_id":"6","data":{"custom_id":"on","component_type":2}`
	for name, c := range map[string]struct {
		raw  string
		want discord.Interaction
	}{
		"in a guild": {
			`{` + head + `,"type":3,"guild_id":"7","channel":{"id":"6","type":11,"parent_id":"4"},"message":{"id":"8","edited_timestamp":"2026-03-01T12:00:00+00:00"},"member":{"user":{"id":"3"},"roles":[]},"user":null}`,
			discord.Interaction{Guild: 7, Message: 8, CustomID: "on", Changed: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)},
		},
		"in a direct message": {`{` + head + `,"type":"3","message":{"id":"8","components":[{"type":99}]},"user":{"id":3}}`, discord.Interaction{Message: 8, CustomID: "on", Changed: graph.MessageID(8).Time()}},
		"a command":           {`{` + head + `,"type":2,"user":{"id":"3"}}`, discord.Interaction{Changed: graph.MessageID(0).Time()}},
	} {
		got, err := discord.Decode[discord.Interaction]([]byte(c.raw))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if got.ID != 5 || got.Application != 9 || got.Token != "t" || got.Channel != 6 || got.User.ID != 3 || got.Guild != c.want.Guild ||
			got.Message != c.want.Message || got.CustomID != c.want.CustomID || !got.Changed.Equal(c.want.Changed) {
			t.Errorf("%s: read as %+v, want %+v", name, got, c.want)
		}
	}
	if p, err := discord.Decode[discord.Interaction]([]byte(`{"id":"5","token":"t","channel":{"id":"6","type":11,"parent_id":"4"}}`)); err != nil || p.Channel != 6 || p.At.Parent != 4 {
		t.Errorf("a press whose channel is described alone: %+v, %v, want Channel 6, At.Parent 4 and no error", p, err)
	}
	for _, raw := range []string{`{}`, `[]`, `{"id":"5","channel_id":"6"}`, `{"token":"t","channel_id":"6"}`, `{"id":"5","token":"t"}`} {
		if _, err := discord.Decode[discord.Interaction]([]byte(raw)); !errors.Is(err, discord.ErrMalformed) {
			t.Errorf("%s: %v, want %v", raw, err, discord.ErrMalformed)
		}
	}
}

// BenchmarkExpensiveMessage decodes messages with unusual contents or payloads.
func BenchmarkExpensiveMessage(b *testing.B) {
	expensive.Text(b, func(text string) {
		content := errtest.Must(json.Marshal(text))(b)
		_, _ = discord.Decode[discord.Message]([]byte(`{"id":"1","content":` + string(content) + `}`))
		_, _ = discord.Decode[discord.Message]([]byte(text))
	})
}

// BenchmarkExpensiveInteraction decodes uses of commands with odd options, and presses of
// buttons with odd names.
func BenchmarkExpensiveInteraction(b *testing.B) {
	expensive.Text(b, func(text string) {
		typed := errtest.Must(json.Marshal(text))(b)
		options := `[{"name":` + string(typed) + `,"type":3,"value":` + string(typed) + `,"focused":true}]`
		_, _ = discord.Decode[discord.Interaction]([]byte(`{"id":"1","type":2,"data":{"name":` + string(typed) + `,"options":` + options + `}}`))
		_, _ = discord.Decode[discord.Interaction]([]byte(`{"id":"1","type":3,"data":{"custom_id":` + string(typed) + `}}`))
		_, _ = discord.Decode[discord.Interaction]([]byte(text))
	})
}
