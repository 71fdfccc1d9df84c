package playground_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"strings"
	"testing"

	"heddle/graph"
	"heddle/internal/cli"
	"heddle/internal/errtest"
	"heddle/internal/playground"
)

// stage is a running "heddle try".
type stage struct {
	url string // of the page
}

// open runs "heddle try" with its demo, and with arguments, until the test ends.
func open(tb testing.TB, args ...string) *stage {
	tb.Helper()
	return &stage{try(tb, nil, args...)}
}

// try runs "heddle try" with settings and arguments until the test ends, and returns the address
// of its page.
func try(tb testing.TB, settings []string, args ...string) string {
	tb.Helper()
	url, end := begin(tb, func(ctx context.Context, stdout io.Writer) error {
		var stderr bytes.Buffer
		status := cli.Run(ctx, append([]string{"try"}, args...), cli.Process{
			Environ: settings,
			Read:    func(string) ([]byte, error) { return nil, fs.ErrNotExist },
			Stdout:  stdout, Stderr: &stderr,
		})
		if status != cli.StatusDone || len(settings) == 0 && stderr.Len() > 0 { // the demo does not fail
			return fmt.Errorf("status %d: %s", status, stderr.String())
		}
		return nil
	})
	tb.Cleanup(end)
	return url
}

// run runs a playground, whose address it returns. end ends it.
func run(tb testing.TB, o playground.Options) (url string, end func()) {
	tb.Helper()
	return begin(tb, func(ctx context.Context, stdout io.Writer) error {
		o.Stdout = stdout
		return playground.Run(ctx, o)
	})
}

// begin begins what prints the address of a page first, and returns that. end ends it.
func begin(tb testing.TB, do func(ctx context.Context, stdout io.Writer) error) (url string, end func()) {
	tb.Helper()
	ctx, cancel := context.WithCancel(tb.Context())
	out, stdout := io.Pipe()
	done := make(chan error, 1)
	go func() {
		done <- do(ctx, stdout)
		stdout.Close()
	}()
	printed := bufio.NewReader(out)
	line, err := printed.ReadString('\n')
	if err != nil {
		cancel()
		tb.Fatalf("nothing was printed, want an address: %v; %v", err, <-done)
	}
	go io.Copy(io.Discard, printed) //nolint:errcheck // ends with the pipe
	return strings.TrimSpace(line), func() {
		cancel()
		if err := <-done; err != nil {
			tb.Errorf("the playground failed: %v", err)
		}
	}
}

// call makes a request to the page's server, as a POST if change is not nil, and
// decodes the response.
func (s *stage) call(t *testing.T, path string, change, result any) int {
	t.Helper()
	method, body := http.MethodGet, []byte(nil)
	if change != nil {
		method = http.MethodPost
		body, _ = json.Marshal(change)
	}
	return errtest.Must(send(t.Context(), method, s.url+path, http.Header{"Content-Type": {"application/json"}}, bytes.NewReader(body), result))(t)
}

// send makes a request, decodes the response and returns its status.
func send(ctx context.Context, method, url string, header http.Header, body io.Reader, result any) (status int, err error) {
	request, err := http.NewRequestWithContext(ctx, method, url, body)
	if err != nil {
		return 0, err
	}
	request.Header, request.Close = header, true // the next page has the same address, and would get a connection that is closed
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, err
	}
	defer response.Body.Close()
	if err := json.NewDecoder(response.Body).Decode(result); err != nil {
		return 0, fmt.Errorf("%s %s: %s: %w", method, url, response.Status, err)
	}
	return response.StatusCode, nil
}

// channel returns a channel by its name.
func (w worldView) channel(t *testing.T, name string) graph.ChannelID {
	t.Helper()
	for _, c := range w.Channels {
		if c.Name == name {
			return c.ID
		}
	}
	t.Fatalf("there is no channel %q, want it from the start", name)
	return 0
}

type message struct {
	ID      graph.MessageID `json:"id"`
	Channel graph.ChannelID `json:"channel"`
	Author  graph.UserID    `json:"author"`
	Name    string          `json:"name"`
	Content string          `json:"content"`
	Buttons []struct {
		ID       string `json:"custom_id"`
		Label    string `json:"label"`
		Disabled bool   `json:"disabled"`
	} `json:"buttons"`
}
