package playground_test

import (
	"bufio"
	"context"
	"io"
	"strings"
	"testing"

	"heddle/internal/playground"
)

// TestAServerThatGoesAwayIsReported ends the playground while a page is open, and
// starts it again. The page says that the server is gone, keeps what was typed, and
// connects to the new playground by itself.
func TestAServerThatGoesAwayIsReported(t *testing.T) {
	t.Parallel()
	url, end := serve(t, "127.0.0.1:0")
	b := browse(t, url)
	b.until(`document.querySelectorAll("#log .msg").length >= 14`)
	first := b.js(`import("/state.js").then((s) => s.state.world.run)`)
	b.js(`document.getElementById("write").focus()`)
	b.write("half a sentence")
	end()
	b.patiently(`document.getElementById("link").textContent.startsWith("heddle is not running") && !document.getElementById("link").hidden`)
	b.press("Enter")
	b.patiently(`document.getElementById("fault").textContent.startsWith("heddle does not answer") && document.getElementById("write").value === "half a sentence"`)
	_, end = serve(t, strings.TrimPrefix(url, "http://"))
	defer end()
	b.patiently(`document.getElementById("link").hidden && document.getElementById("write").value === "half a sentence"`)
	b.patiently(`import("/state.js").then((s) => s.state.world.run !== "` + first + `")`)
	b.patiently(`document.querySelectorAll("#log .msg").length >= 14 && !document.getElementById("toast").hidden`)
}

// serve runs a playground without a bot. end ends it.
func serve(t *testing.T, address string) (url string, end func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	out, stdout := io.Pipe()
	done := make(chan error, 1)
	go func() {
		done <- playground.Run(ctx, playground.Options{
			Address: address, Stdout: stdout,
			Start: func(ctx context.Context, _ playground.Connection) error { <-ctx.Done(); return nil },
		})
		stdout.Close()
	}()
	printed := bufio.NewReader(out)
	line, err := printed.ReadString('\n')
	if err != nil {
		cancel()
		t.Fatalf("nothing was printed, want an address: %v; %v", err, <-done)
	}
	go io.Copy(io.Discard, printed) //nolint:errcheck // ends with the pipe
	return strings.TrimSpace(line), func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("the playground failed: %v", err)
		}
	}
}

// patiently is like until for a page that has lost its server, for which until would
// fail. It waits as long as call.
func (b *browser) patiently(expression string) {
	b.t.Helper()
	b.js(`(async () => { for (;;) { try { if (await (` + expression + `)) return; } catch {} await new Promise((r) => setTimeout(r, 20)); } })()`)
}
