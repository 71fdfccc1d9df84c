package playground_test

import (
	"context"
	"strings"
	"testing"

	"heddle/internal/playground"
)

// TestAServerThatGoesAwayIsReported ends the playground while a page is open, and
// starts it again. The page says that the server is gone, keeps what was typed, and
// connects to the new playground by itself.
func TestAServerThatGoesAwayIsReported(t *testing.T) {
	t.Parallel()
	idle := func(ctx context.Context, _ playground.Connection) error { <-ctx.Done(); return nil }
	url, end := run(t, playground.Options{Address: "127.0.0.1:0", Start: idle})
	b := visit(t, url)
	first := b.js(`import("/state.js").then((s) => s.state.world.run)`)
	b.js(`document.getElementById("write").focus()`)
	b.write("half a sentence")
	end()
	b.patiently(`document.getElementById("link").textContent.startsWith("heddle is not running") && !document.getElementById("link").hidden`)
	b.press("Enter")
	b.patiently(`document.getElementById("fault").textContent.startsWith("heddle does not answer") && document.getElementById("write").value === "half a sentence"`)
	_, end = run(t, playground.Options{Address: strings.TrimPrefix(url, "http://"), Start: idle})
	defer end()
	b.patiently(`document.getElementById("link").hidden && document.getElementById("write").value === "half a sentence"`)
	b.patiently(`import("/state.js").then((s) => s.state.world.run !== "` + first + `")`)
	b.patiently(`document.querySelectorAll("#log .msg").length >= 14 && !document.getElementById("toast").hidden`)
}

// patiently is like until for a page that has lost its server, for which until would
// fail. It waits as long as call.
func (b *browser) patiently(expression string) {
	b.t.Helper()
	b.js(`(async () => { for (;;) { try { if (await (` + expression + `)) return; } catch {} await new Promise((r) => setTimeout(r, 20)); } })()`)
}
