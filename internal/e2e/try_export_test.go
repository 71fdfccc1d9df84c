package e2e_test

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"strings"
	"testing"

	"heddle/graph"
	"heddle/internal/cli"
)

const triedExport = "../playground/sample/commons.json"

// TestTryOpensAnExport asks heddle in a channel that came from an export, below a message far
// up in it. What the page previews for the question is what heddle then read.
func TestTryOpensAnExport(t *testing.T) {
	t.Parallel()
	page, end := tryExport(t)
	events := page.ask("/api/events", nil)
	defer events.Close()
	happening := bufio.NewScanner(events)

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

// tryExport runs "heddle try" with the export. end ends it, and fails the test if it failed.
func tryExport(t *testing.T) (page tryPage, end func()) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	out, stdout := io.Pipe()
	ended := make(chan int, 1)
	var stderr bytes.Buffer
	go func() {
		ended <- cli.Run(ctx, []string{"try", triedExport}, cli.Process{Read: noFiles, Stdin: strings.NewReader(""), Stdout: stdout, Stderr: &stderr})
		_ = stdout.Close()
	}()
	printed := bufio.NewReader(out)
	address, err := printed.ReadString('\n')
	if err != nil {
		t.Fatalf("want an address to be printed: %v: status %d, %s", err, <-ended, stderr.String())
	}
	go func() { _, _ = io.Copy(io.Discard, printed) }() // until the pipe is closed
	return tryPage{t, ctx, strings.TrimSpace(address)}, func() {
		cancel()
		if status := <-ended; status != 0 {
			t.Errorf("ended with status %d: %s, want 0", status, stderr.String())
		}
	}
}

func TestTryRefusesWhatIsNoExport(t *testing.T) {
	t.Parallel()
	for file, want := range map[string]string{
		"nowhere.json": "heddle: there is no file nowhere.json; name an export",
		".":            "heddle: . is a folder; name the .json file",
		"try_test.go":  "heddle: try_test.go is not JSON",
	} {
		var stderr bytes.Buffer
		status := cli.Run(t.Context(), []string{"try", file}, cli.Process{Read: noFiles, Stdin: strings.NewReader(""), Stdout: io.Discard, Stderr: &stderr})
		if status != cli.StatusMisuse || !strings.HasPrefix(stderr.String(), want) {
			t.Errorf("%s: status %d, %s, want %d and %q at its start", file, status, stderr.String(), cli.StatusMisuse, want)
		}
	}
}
