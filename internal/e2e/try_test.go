package e2e_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"heddle/graph"
	"heddle/internal/cli"
)

// TestTryAnswersAMentionOnItsPage plays as a newcomer does: starts "heddle try",
// opens the address that it prints first, mentions heddle and watches it answer.
func TestTryAnswersAMentionOnItsPage(t *testing.T) {
	folder := t.TempDir()
	t.Setenv("TMPDIR", folder)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	out, stdout := io.Pipe()
	ended := make(chan int, 1)
	var stderr bytes.Buffer
	go func() {
		ended <- cli.Run(ctx, []string{"try", "--address", "127.0.0.1:0"}, cli.Process{
			Read: noFiles, Stdin: strings.NewReader(""), Stdout: stdout, Stderr: &stderr,
		})
		_ = stdout.Close()
	}()
	printed := bufio.NewReader(out)
	address, err := printed.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	go func() { _, _ = io.Copy(io.Discard, printed) }() // until the pipe is closed
	page := tryPage{t, ctx, strings.TrimSpace(address)}

	events := page.ask("/api/events", nil)
	defer events.Close()
	happening := bufio.NewScanner(events)
	var world struct {
		Bot              struct{ ID graph.UserID }
		People, Channels []struct{ ID string }
	}
	page.read("/api/world", nil, &world)
	var posted struct{ ID string }
	page.read("/api/post", map[string]string{
		"channel": world.Channels[0].ID, "author": world.People[0].ID, "content": "<@" + world.Bot.ID.String() + "> what was wrong with the proxy?",
	}, &posted)
	answer := page.await(happening, func(m tryMessage) bool {
		return strings.Contains(m.Content, "asked: @heddle what was wrong with the proxy?") && !strings.HasSuffix(m.Content, "▍")
	})
	if !strings.Contains(answer.Content, "I am offline") || !strings.Contains(answer.Content, "no more 502s") {
		t.Errorf("heddle answered %q, want %q in it and %q in it", answer.Content, "I am offline", "no more 502s")
	}
	page.explains(answer, posted.ID, "changed both. no more 502s")
	page.walk(happening, world.People[0].ID, posted.ID, answer)

	cancel()
	if status := <-ended; status != 0 {
		t.Errorf("ended with status %d: %s, want 0", status, stderr.String())
	}
	if stderr.Len() != 0 {
		t.Errorf("the terminal shows %s, want nothing", stderr.String())
	}
	left, err := os.ReadDir(folder)
	if err != nil || len(left) != 0 {
		t.Errorf("left %v behind, %v, want none and no error", left, err)
	}
}

// tryPage speaks to the page's server as the page does.
type tryPage struct {
	t   *testing.T
	ctx context.Context //nolint:containedctx // the test's own, for every wait of it
	url string
}

// ask requests a path: with GET, or with POST if there is a change to send.
func (p tryPage) ask(path string, change any) io.ReadCloser {
	p.t.Helper()
	method, body := http.MethodGet, []byte(nil)
	if change != nil {
		method = http.MethodPost
		body, _ = json.Marshal(change)
	}
	request, err := http.NewRequestWithContext(p.ctx, method, p.url+path, bytes.NewReader(body))
	if err != nil {
		p.t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		p.t.Fatal(err)
	}
	if response.StatusCode != http.StatusOK {
		p.t.Fatalf("%s %s: %s, want 200", method, path, response.Status)
	}
	return response.Body
}

func (p tryPage) read(path string, change, into any) {
	p.t.Helper()
	body := p.ask(path, change)
	defer body.Close()
	if err := json.NewDecoder(body).Decode(into); err != nil {
		p.t.Fatal(err)
	}
}

// tryMessage is a message as the page receives it.
type tryMessage struct {
	ID      string `json:"id"`
	Channel string `json:"channel"`
	Name    string `json:"name"`
	Content string `json:"content"`
	Buttons []struct {
		ID    string `json:"id"`
		Label string `json:"label"`
		Off   bool   `json:"off"`
	} `json:"buttons"`
}

// await reads events until a message of heddle fits, and returns it.
func (p tryPage) await(stream *bufio.Scanner, fits func(tryMessage) bool) tryMessage {
	p.t.Helper()
	for stream.Scan() {
		data, ok := strings.CutPrefix(stream.Text(), "data: ")
		if !ok {
			continue
		}
		var event struct {
			Message tryMessage `json:"message"`
		}
		if err := json.Unmarshal([]byte(data), &event); err != nil {
			p.t.Fatal(err)
		}
		if m := event.Message; m.Name == "heddle" && fits(m) {
			return m
		}
	}
	p.t.Fatalf("the stream ended: %v", stream.Err())
	return tryMessage{}
}

// explains fails the test unless the page names a question and a message with a text as
// what an answer was made from.
func (p tryPage) explains(answer tryMessage, question, text string) {
	p.t.Helper()
	var made struct {
		Trigger      struct{ ID string }
		Conversation []struct{ Text string }
	}
	p.read("/api/contexts/"+answer.Channel+"/"+answer.ID, nil, &made)
	if made.Trigger.ID != question || !slices.ContainsFunc(made.Conversation, func(m struct{ Text string }) bool { return m.Text == text }) {
		p.t.Errorf("%q is not in the context of %s: %+v", text, question, made)
	}
}

// reworded returns the edit that replaces the text of a message.
func (p tryPage) reworded(text, to string) any {
	p.t.Helper()
	var world struct {
		Messages []struct{ ID, Channel, Author, Content string }
	}
	p.read("/api/world", nil, &world)
	for _, m := range world.Messages {
		if m.Content == text {
			return map[string]string{"channel": m.Channel, "message": m.ID, "author": m.Author, "content": to}
		}
	}
	p.t.Fatalf("no message says %q, want one", text)
	return nil
}

// walk edits a message that the answer was made from, asks "again", and goes back to the
// first answer with a button. The page explains each answer by what it was made from.
func (p tryPage) walk(stream *bufio.Scanner, person, question string, answer tryMessage) {
	p.t.Helper()
	var done struct{}
	p.read("/api/edit", p.reworded("careful, the health check still asks 8080", "careful, the health check is off"), &done)
	p.read("/api/post", map[string]string{"channel": answer.Channel, "author": person, "content": "again", "replyTo": answer.ID}, &done)
	labelled := func(label string) func(tryMessage) bool {
		return func(m tryMessage) bool { return len(m.Buttons) == 6 && m.Buttons[4].Label == label }
	}
	second := p.await(stream, labelled("2/2"))
	p.explains(second, question, "careful, the health check is off")
	if back, on := second.Buttons[3], second.Buttons[5]; back.Off || !on.Off {
		p.t.Errorf("the buttons are %+v, want ◀ enabled and ▶ disabled", second.Buttons)
	}
	if first := p.await(stream, labelled("1/2")); first.ID != answer.ID {
		p.t.Errorf("what leads to the answer beside it is %+v, want ID %v", first, answer.ID)
	}
	p.read("/api/press", map[string]string{"channel": answer.Channel, "message": second.ID, "author": person, "button": second.Buttons[3].ID}, &done)
	if first := p.await(stream, labelled("1/2")); first.ID != second.ID {
		p.t.Errorf("the press changed %+v, want ID %v", first, second.ID)
	}
	p.explains(second, question, "careful, the health check still asks 8080")
	p.explains(answer, question, "careful, the health check still asks 8080")
}
