package playground_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"heddle/graph"
	"heddle/internal/errtest"
	"heddle/internal/why"
)

// TestAnAnswerIsExplainedByWhatItWasMadeFrom asks below a message far up in an export, has that
// message edited, asks "again" and goes back to the first answer. What the page previews for the
// question is what heddle then read, and each answer is explained by the text that it was made
// from, whichever message shows it. Nothing is left behind.
func TestAnAnswerIsExplainedByWhatItWasMadeFrom(t *testing.T) {
	folder := t.TempDir()
	t.Setenv("TMPDIR", folder)
	t.Cleanup(func() {
		if left, err := os.ReadDir(folder); err != nil || len(left) != 0 {
			t.Errorf("left %v behind, %v, want none and no error", left, err)
		}
	})
	s := open(t, "--address", "127.0.0.1:0", filepath.Join("sample", "commons.json"))
	shows := s.shows(t)
	w := s.world(t)
	above := w.Messages[slices.IndexFunc(w.Messages, func(m message) bool { return strings.HasPrefix(m.Content, "who comes to the hills") })]
	does := func(path string, author graph.UserID, change map[string]any) (id graph.MessageID) {
		var made struct{ ID graph.MessageID }
		change["channel"], change["author"] = above.Channel, author
		if status := s.call(t, path, change, &made); status != http.StatusOK {
			t.Fatalf("%s %v: %d, want %d", path, change, status, http.StatusOK)
		}
		return made.ID
	}
	ada := w.People[0].ID
	question := does("/api/post", ada, map[string]any{"content": "<@" + w.Bot.ID.String() + "> when do they meet, and where?", "replyTo": above.ID})
	explained := func(id graph.MessageID, text string) (d drawn) {
		s.call(t, fmt.Sprintf("/api/graph/%s/%s", above.Channel, id), nil, &d)
		at := slices.IndexFunc(d.Graph.Conversation, func(m why.Node) bool { return m.ID == above.ID })
		if d.Graph.Trigger.ID != question || at < 0 || d.Graph.Conversation[at].Text != text {
			t.Errorf("%s is explained by %+v, want by the question and %q", id, d.Graph, text)
		}
		return d
	}

	first := shows("Why? ↻ ⋯")
	made, previewed := explained(first.ID, above.Content), explained(question, above.Content)
	if !reflect.DeepEqual(made.Graph, previewed.Graph) || !made.Path.Recorded || previewed.Path.Recorded || len(made.Path.Turns) != len(previewed.Path.Turns) {
		t.Errorf("previewed is\n%+v\nwant, apart from being recorded, what was read\n%+v", previewed, made)
	}

	const edited = "who comes to the sea?"
	does("/api/edit", above.Author, map[string]any{"message": above.ID, "content": edited})
	does("/api/post", ada, map[string]any{"content": "again", "replyTo": first.ID})
	second := shows("Why? ↻ ⋯ ◀ (2/2) (▶)")
	explained(second.ID, edited)
	if beside := shows("Why? ↻ ⋯ (◀) (1/2) ▶"); beside.ID != first.ID {
		t.Errorf("what leads to the answer beside it is %+v, want ID %v", beside, first.ID)
	}
	does("/api/press", ada, map[string]any{"message": second.ID, "button": second.Buttons[3].ID})
	if back := shows("Why? ↻ ⋯ (◀) (1/2) ▶"); back.ID != second.ID {
		t.Errorf("the press changed %+v, want ID %v", back, second.ID)
	}
	explained(second.ID, above.Content)
	explained(first.ID, above.Content)
}

// TestAQuestionToAnExportHasItsTime asks at the end of an export, and after a message in the midst
// of it. Question and answer come a minute later, what they are made from is what was said
// before that, and an edit of the question is a question.
func TestAQuestionToAnExportHasItsTime(t *testing.T) {
	s := open(t, "--address", "127.0.0.1:0", filepath.Join("sample", "commons.json"))
	shows := s.shows(t)
	w := s.world(t)
	commons := w.channel(t, "commons")
	said := slices.DeleteFunc(w.Messages, func(m message) bool { return m.Channel != commons })
	middle := said[slices.IndexFunc(said, func(m message) bool { return strings.HasPrefix(m.Content, "who comes to the hills") })+5]
	var last graph.MessageID
	for _, c := range []struct {
		name        string
		after, from graph.MessageID
	}{
		{"at the end", 0, said[len(said)-1].ID},
		{"after a message", middle.ID, middle.ID},
	} {
		t.Run(c.name, func(t *testing.T) {
			var asked struct{ ID graph.MessageID }
			ask := map[string]any{"channel": commons, "author": w.People[0].ID, "content": "<@" + w.Bot.ID.String() + "> what was said last?", "replyTo": "0", "after": c.after}
			if status := s.call(t, "/api/post", ask, &asked); status != http.StatusOK {
				t.Fatalf("the question is refused with %d, want %d", status, http.StatusOK)
			}
			answer := shows("Why? ↻ ⋯")
			for answer.ID == last { // an edit of the one before
				answer = shows("Why? ↻ ⋯")
			}
			last = answer.ID
			if late := asked.ID.Time().Sub(c.from.Time()); late < time.Minute || late > time.Minute+10*time.Second {
				t.Errorf("the question is dated %s after %s, want a minute", late, c.from)
			}
			if late := answer.ID.Time().Sub(asked.ID.Time()); late < 0 || late > time.Minute {
				t.Errorf("the answer is dated %s after the question, want right after it", late)
			}
			var d drawn
			s.call(t, fmt.Sprintf("/api/graph/%s/%s", commons, answer.ID), nil, &d)
			sent := append(slices.Clone(d.Graph.Conversation), d.Graph.Background...)
			if !slices.ContainsFunc(sent, func(m why.Node) bool { return m.ID == c.from }) || slices.ContainsFunc(sent, func(m why.Node) bool { return m.ID > asked.ID }) {
				t.Errorf("it is answered from %+v, want the newest message %s and none after the question", sent, c.from)
			}
			s.call(t, "/api/edit", map[string]any{"channel": commons, "author": w.People[0].ID, "message": asked.ID, "content": "<@" + w.Bot.ID.String() + "> who said that?"}, &struct{}{})
			for edited := shows("Why? ↻ ⋯"); edited.ID != answer.ID || !strings.Contains(edited.Content, "who said that?"); {
				edited = shows("Why? ↻ ⋯")
			}
		})
	}
}

// shows returns a function that waits until a message has buttons with these labels, those of
// disabled buttons in brackets, and returns it.
func (s *stage) shows(t *testing.T) func(labels string) message {
	t.Helper()
	request := errtest.Must(http.NewRequestWithContext(t.Context(), http.MethodGet, s.url+"/api/events", http.NoBody))(t)
	response, err := http.DefaultClient.Do(request)
	errtest.None(t, err)
	t.Cleanup(func() { response.Body.Close() })
	events := bufio.NewScanner(response.Body)
	return func(labels string) message {
		t.Helper()
		for events.Scan() {
			data, ok := strings.CutPrefix(events.Text(), "data: ")
			var event struct {
				Message message `json:"message"`
			}
			if ok {
				errtest.None(t, json.Unmarshal([]byte(data), &event))
			}
			var all []string
			for _, b := range event.Message.Buttons {
				if b.Disabled {
					b.Label = "(" + b.Label + ")"
				}
				all = append(all, b.Label)
			}
			if strings.Join(all, " ") == labels {
				return event.Message
			}
		}
		t.Fatalf("the events ended: %v, want a message with %s", events.Err(), labels)
		return message{}
	}
}
