package playground_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"heddle/graph"
)

// TestHostileCardsStayText has a bot post embeds and polls while the page is open, and change
// some, and has somebody change their name. All of that is an attack in every part, and is read
// as text.
func TestHostileCardsStayText(t *testing.T) {
	t.Parallel()
	s := open(t)
	w := s.world(t)
	sandbox := w.Channels[2].ID
	b := browse(t, s.url)
	b.until(`document.querySelectorAll("#log .msg").length >= 14`)
	x := hostile()[0]
	var made struct{ ID graph.MessageID }
	for some := range slices.Chunk(hostile(), 5) { // as many as Discord takes in a channel at once
		var room struct{ ID graph.ChannelID }
		s.call(t, "/api/channels", map[string]any{"name": "cards of " + some[0][:5]}, &room)
		b.until(`document.querySelector("#channels li[data-id='` + room.ID.String() + `'] button")`)
		b.js(`document.querySelector("#channels li[data-id='` + room.ID.String() + `'] button").click()`)
		b.until(`document.querySelectorAll("#log .msg").length === 0`)
		for _, text := range some {
			body := map[string]any{"embeds": []any{embedOf(text)}, "poll": pollOf(text)}
			if err := s.bot.exchange(t.Context(), http.MethodPost, fmt.Sprintf("%s/v9/channels/%s/messages", s.bot.DiscordURL, room.ID), body, &made); err != nil {
				t.Fatalf("%q: %v", text, err)
			}
		}
		b.until(fmt.Sprintf(`document.querySelectorAll("#log .card").length === %d`, 2*len(some)))
		b.harmless()
		for i, want := range []string{strings.Repeat(x, 6), "Poll" + strings.Repeat(x, 3)} {
			if got := b.js(fmt.Sprintf(`document.querySelectorAll("#log .card")[%d].textContent`, i)); some[0] == x && got != want {
				t.Errorf("card %d reads %q, want %q", i, got, want)
			}
		}
		s.bot.change(t, room.ID.String(), made.ID.String(), map[string]any{"embeds": []any{embedOf(some[0]), embedOf(x)}})
		b.until(fmt.Sprintf(`document.querySelectorAll("#log .card").length === %d`, 2*len(some)+1))
		b.shot("hostile-cards-" + room.ID.String())
		b.harmless()
	}

	b.open("# sandbox")
	renameAndSpeak(b, s, w.People[1].ID, sandbox)
	b.shot("hostile-cards")
	b.harmless()
	b.requestedFrom(s.url)
	b.untroubled()
}

// renameAndSpeak renames a person to one hostile name after another. With each, the person says
// something and is mentioned. In the end, all of it bears the last name.
func renameAndSpeak(b *browser, s *stage, person graph.UserID, channel graph.ChannelID) {
	b.t.Helper()
	for i, text := range hostile() {
		name := first(fmt.Sprintf("%d%s", i, text), 32)
		var refused fault
		if status := s.call(b.t, "/api/rename", map[string]any{"person": person, "name": name}, &refused); status != http.StatusOK {
			b.t.Fatalf("the name %q is refused with %d: %s, want %d", name, status, refused.Error, http.StatusOK)
		}
		status := s.call(b.t, "/api/post", map[string]any{"channel": channel, "author": person, "content": "<@" + person.String() + "> hello", "replyTo": "0"}, &refused)
		if status != http.StatusOK {
			b.t.Fatalf("a message of %q is refused with %d: %s, want %d", name, status, refused.Error, http.StatusOK)
		}
	}
	b.until(fmt.Sprintf(`[...document.querySelectorAll("#log .who")].filter((n) => n.textContent.startsWith("%d")).length === %d`, len(hostile())-1, len(hostile())))
	b.until(fmt.Sprintf(`[...document.querySelectorAll("#log .at")].every((n) => n.textContent.startsWith("@%d"))`, len(hostile())-1))
}

// first returns the beginning of a text, of at most so many characters.
func first(text string, most int) string {
	for utf8.RuneCountInString(text) > most {
		_, last := utf8.DecodeLastRuneInString(text)
		text = text[:len(text)-last]
	}
	return strings.TrimSpace(text)
}

// embedOf returns an embed that says text in each part that takes any.
func embedOf(text string) map[string]any {
	short := first(text, 200)
	at := map[string]any{"url": "https://evil.example/" + short, "proxy_url": short, "icon_url": "https://evil.example/" + short}
	return map[string]any{
		"title": short, "description": first(text, 2000), "url": "https://evil.example/" + short, "color": 1,
		"author": map[string]any{"name": short, "url": at["url"], "icon_url": at["icon_url"]},
		"footer": map[string]any{"text": short, "icon_url": at["icon_url"]}, "image": at, "thumbnail": at,
		"fields": []any{map[string]any{"name": short, "value": short}},
	}
}

// pollOf returns a poll whose question and answers are text.
func pollOf(text string) map[string]any {
	answer := map[string]any{"poll_media": map[string]any{"text": first(text, 55)}}
	return map[string]any{"question": map[string]any{"text": first(text, 300)}, "answers": []any{answer, answer}, "duration": 1}
}
