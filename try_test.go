package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"

	"heddle/graph"
)

// TestTryAnswersAMentionOnItsPage plays as a newcomer does: starts "heddle try",
// opens the address that it prints first, mentions heddle and watches it answer.
func TestTryAnswersAMentionOnItsPage(t *testing.T) {
	folder := t.TempDir()
	t.Setenv("TMPDIR", folder)
	ctx, cancel := context.WithCancel(t.Context())
	out, stdout := io.Pipe()
	ended := make(chan int, 1)
	var stderr bytes.Buffer
	go func() {
		ended <- run(ctx, []string{"try"}, process{
			read: func(string) ([]byte, error) { return nil, os.ErrNotExist }, stdin: strings.NewReader(""), stdout: stdout, stderr: &stderr,
		})
		_ = stdout.Close()
	}()
	printed := bufio.NewReader(out)
	address, err := printed.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	go func() { _, _ = io.Copy(io.Discard, printed) }() // until the pipe is closed
	page := tryPage{t, strings.TrimSpace(address)}

	happening := page.ask("/api/events", nil)
	defer happening.Close()
	var world struct {
		Bot              struct{ ID graph.UserID }
		People, Channels []struct{ ID string }
	}
	page.read("/api/world", nil, &world)
	var posted struct{ ID graph.MessageID }
	page.read("/api/post", map[string]string{
		"channel": world.Channels[0].ID, "author": world.People[0].ID, "content": "<@" + world.Bot.ID.String() + "> what was wrong with the proxy?",
	}, &posted)
	answer := page.await(happening, "asked: @heddle what was wrong with the proxy?")
	if !strings.Contains(answer, "I am offline") || !strings.Contains(answer, "no more 502s") {
		t.Errorf("heddle answered %q", answer)
	}
	var explained struct {
		Trigger      struct{ ID graph.MessageID }
		Conversation []struct{ Text string }
	}
	page.read("/api/contexts/"+posted.ID.String(), nil, &explained)
	if explained.Trigger.ID != posted.ID || len(explained.Conversation) == 0 {
		t.Errorf("the context is %+v", explained)
	}

	cancel()
	if status := <-ended; status != 0 {
		t.Errorf("ended with status %d: %s", status, stderr.String())
	}
	left, err := os.ReadDir(folder)
	if err != nil || len(left) != 0 {
		t.Errorf("left %v behind, %v", left, err)
	}
}

// tryPage speaks to the page's server as the page does.
type tryPage struct {
	t   *testing.T
	url string
}

// ask gets a path, or asks there for a change if there is one.
func (p tryPage) ask(path string, change any) io.ReadCloser {
	p.t.Helper()
	method, body := http.MethodGet, []byte(nil)
	if change != nil {
		method = http.MethodPost
		body, _ = json.Marshal(change)
	}
	request, err := http.NewRequestWithContext(p.t.Context(), method, p.url+path, bytes.NewReader(body))
	if err != nil {
		p.t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		p.t.Fatal(err)
	}
	if response.StatusCode != http.StatusOK {
		p.t.Fatalf("%s %s: %s", method, path, response.Status)
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

// await follows the stream of what happens until heddle's answer contains text.
func (p tryPage) await(stream io.Reader, text string) string {
	p.t.Helper()
	lines := bufio.NewScanner(stream)
	for lines.Scan() {
		data, ok := strings.CutPrefix(lines.Text(), "data: ")
		if !ok {
			continue
		}
		var event struct {
			Message struct {
				Name    string `json:"name"`
				Content string `json:"content"`
			} `json:"message"`
		}
		if err := json.Unmarshal([]byte(data), &event); err != nil {
			p.t.Fatal(err)
		}
		content := event.Message.Content
		if event.Message.Name == "heddle" && strings.Contains(content, text) {
			return content
		}
	}
	p.t.Fatalf("the stream ended without %q: %v", text, lines.Err())
	return ""
}
