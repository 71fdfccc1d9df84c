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
	"heddle/internal/errtest"
)

// TestTryAnswersAMentionOnItsPage plays as a newcomer does: starts "heddle try",
// opens the address that it prints first, mentions heddle and watches it answer.
func TestTryAnswersAMentionOnItsPage(t *testing.T) {
	folder := t.TempDir()
	t.Setenv("TMPDIR", folder)
	page, happening, end := try(t, "--address", "127.0.0.1:0")
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
	if !strings.Contains(answer.Content, "I'm a demo") || !strings.Contains(answer.Content, "no more 502s") {
		t.Errorf("heddle answered %q, want %q in it and %q in it", answer.Content, "I'm a demo", "no more 502s")
	}
	page.explains(answer, posted.ID, "changed both. no more 502s")
	page.walk(happening, world.People[0].ID, posted.ID, answer)

	end()
	left, err := os.ReadDir(folder)
	if err != nil || len(left) != 0 {
		t.Errorf("left %v behind, %v, want none and no error", left, err)
	}
}

// try runs "heddle try" with arguments, and returns the page that it serves and what happens on
// it. end ends it, and fails the test if it failed or wrote anything to the terminal.
func try(t *testing.T, args ...string) (page tryPage, happening *bufio.Scanner, end func()) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	out, stdout := io.Pipe()
	ended := make(chan int, 1)
	var stderr bytes.Buffer
	go func() {
		ended <- cli.Run(ctx, append([]string{"try"}, args...), cli.Process{Read: noFiles, Stdout: stdout, Stderr: &stderr})
		_ = stdout.Close()
	}()
	printed := bufio.NewReader(out)
	address, err := printed.ReadString('\n')
	if err != nil {
		t.Fatalf("want an address to be printed: %v: status %d, %s", err, <-ended, stderr.String())
	}
	go func() { _, _ = io.Copy(io.Discard, printed) }() // until the pipe is closed
	page = tryPage{t, ctx, strings.TrimSpace(address)}
	events := page.ask("/api/events", nil)
	return page, bufio.NewScanner(events), func() {
		_ = events.Close()
		cancel()
		if status := <-ended; status != 0 || stderr.Len() > 0 {
			t.Errorf("ended with status %d, and the terminal shows %q, want 0 and nothing", status, stderr.String())
		}
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
	request := errtest.Must(http.NewRequestWithContext(p.ctx, method, p.url+path, bytes.NewReader(body)))(p.t)
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	errtest.None(p.t, err)
	if response.StatusCode != http.StatusOK {
		p.t.Fatalf("%s %s: %s, want 200", method, path, response.Status)
	}
	return response.Body
}

func (p tryPage) read(path string, change, into any) {
	p.t.Helper()
	body := p.ask(path, change)
	defer body.Close()
	errtest.None(p.t, json.NewDecoder(body).Decode(into))
}

// tryMessage is a message as the page receives it.
type tryMessage struct {
	ID      string `json:"id"`
	Channel string `json:"channel"`
	Name    string `json:"name"`
	Content string `json:"content"`
	Buttons []struct {
		ID    string `json:"custom_id"`
		Label string `json:"label"`
		Off   bool   `json:"disabled"`
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
		errtest.None(p.t, json.Unmarshal([]byte(data), &event))
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
	var drawn struct {
		Graph struct {
			Trigger      struct{ ID string }
			Conversation []struct{ Text string }
		}
	}
	p.read("/api/graph/"+answer.Channel+"/"+answer.ID, nil, &drawn)
	made := drawn.Graph
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

const triedExport = "../playground/sample/commons.json"

// TestTryOpensAnExport asks heddle in a channel that came from an export, below a message far
// up in it. What the page previews for the question is what heddle then read.
func TestTryOpensAnExport(t *testing.T) {
	t.Parallel()
	page, happening, end := try(t, triedExport)
	var world struct {
		Bot      struct{ ID graph.UserID }
		People   []struct{ ID string }
		Channels []struct{ ID, Name string }
		Messages []struct{ ID, Channel, Content string }
	}
	page.read("/api/world", nil, &world)
	post := map[string]string{"author": world.People[0].ID, "content": "<@" + world.Bot.ID.String() + "> when do they meet, and where?"}
	for _, c := range world.Channels {
		if c.Name == "commons" {
			post["channel"] = c.ID
		}
	}
	for _, m := range world.Messages {
		if m.Channel == post["channel"] && strings.HasPrefix(m.Content, "who comes to the hills") {
			post["replyTo"] = m.ID
		}
	}
	var posted struct{ ID string }
	page.read("/api/post", post, &posted)
	answer := page.await(happening, func(m tryMessage) bool {
		return strings.Contains(m.Content, "when do they meet, and where?") && !strings.HasSuffix(m.Content, "▍")
	})

	type seen struct {
		Graph struct {
			Conversation, Background []struct{ ID, Text string }
		}
		Path struct {
			Recorded bool
			Turns    []struct{ Role, Text string }
		}
	}
	var made, previewed seen
	page.read("/api/graph/"+post["channel"]+"/"+answer.ID, nil, &made)
	page.read("/api/graph/"+post["channel"]+"/"+posted.ID, nil, &previewed)
	listed := func(s *seen) (all []string) {
		for _, m := range s.Graph.Conversation {
			all = append(all, "in "+m.Text)
		}
		for _, m := range s.Graph.Background {
			all = append(all, "out "+m.Text)
		}
		return all
	}
	if got, want := strings.Join(listed(&previewed), "\n"), strings.Join(listed(&made), "\n"); got != want || !strings.Contains(want, "in who comes to the hills") {
		t.Errorf("previewed is\n%s\nwant what was read\n%s", got, want)
	}
	if !made.Path.Recorded || previewed.Path.Recorded || len(made.Path.Turns) != len(previewed.Path.Turns) {
		t.Errorf("%d turns were sent, %d previewed, want equally many, and only the former recorded", len(made.Path.Turns), len(previewed.Path.Turns))
	}
	end()
}
