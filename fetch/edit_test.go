package fetch_test

import (
	"fmt"
	"testing"

	"heddle/internal/discord"
	"heddle/internal/errtest"
)

func TestOnlyNewWordsAreAnEdit(t *testing.T) {
	const first, second = `"edited_timestamp":"2026-03-02T00:00:00+00:00"`, `"edited_timestamp":"2026-03-03T00:00:00+00:00"`
	w := newWorld(t)
	ids := w.fill(w.channel, 2)
	w.hear(ids[0])
	update := func(id int, raw string) bool {
		author := fmt.Sprintf(`"author":{"id":"%s","username":"ann"}`, w.ann)
		m := errtest.Must(discord.DecodeMessage([]byte(fmt.Sprintf(`{"id":"%s","channel_id":"%s",%s,%s}`, ids[id], w.channel, author, raw))))(t)
		return w.history.Update(&m)
	}
	for _, step := range []struct {
		what string
		id   int
		raw  string
		want bool
	}{
		{"a link preview", 0, `"content":"line 0","embeds":[{"type":"link","title":"A page"}]`, false},
		{"a pin", 0, `"content":"line 0","pinned":true`, false},
		{"other words", 0, `"content":"changed",` + first, true},
		{"the same event once more", 0, `"content":"changed",` + first, false},
		{"a preview after an edit", 0, `"content":"changed","embeds":[{"type":"link","title":"A page"}],` + first, false},
		{"embeds taken away", 0, `"content":"changed","flags":4,"embeds":[],` + second, false},
		{"an edit that comes late", 0, `"content":"between",` + first, false},
		{"an edit of what is not held", 1, `"content":"new",` + first, true},
		{"a preview of what was never heard of", 1, `"content":"new","embeds":[],` + first, false},
	} {
		if got := update(step.id, step.raw); got != step.want {
			t.Errorf("%s is an edit: %v, want %v", step.what, got, step.want)
		}
	}
	w.history.Delete(discord.Delete{Channel: w.channel, Messages: ids})
	if update(0, `"content":"late",`+second) {
		t.Error("a deleted message was edited, want it gone")
	}
}
