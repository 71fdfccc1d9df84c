package split

import (
	"bytes"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"testing"

	"heddle/internal/errtest"
)

// TestNoForeignLinkIsMaskedAsDiscordReadsIt has two readers of Discord's Markdown look at
// 10,000 random texts as they are sent. It runs if node and the readers are installed (npm ci
// in bot/reply/split/renderer); if CI is true in the environment they must be.
func TestNoForeignLinkIsMaskedAsDiscordReadsIt(t *testing.T) {
	_, err := os.Stat("renderer/node_modules")
	_, missing := exec.LookPath("node")
	if err = errors.Join(err, missing); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	pieces := []string{
		"[", "](", ")", "`", "``", "```", "\n", "a", " ", "https://evil.example", "(", "\\", "<", "]", ">", "https://known.example/",
		"[b](https://evil.example)", `[c](https\://evil.example)`,
		"**", "*", "_", "~~", "||", "> ", "# ", "`a` ", "\n```\n", "`[d](https://evil.example)`",
	}
	dice := rand.New(rand.NewPCG(1, 2))
	known := func() []string { return []string{"known.example"} }
	var written, sent []string
	for range 10_000 {
		var text strings.Builder
		for range 3 + dice.IntN(14) {
			text.WriteString(pieces[dice.IntN(len(pieces))])
		}
		for _, message := range Messages(text.String(), Limit, known) {
			written, sent = append(written, text.String()), append(sent, message)
		}
	}
	masked := 0
	for _, found := range readAsDiscord(t, written) {
		masked += min(1, len(found))
	}
	if masked < len(written)/10 {
		t.Fatalf("%d of %d texts have masked links before they are rewritten, want at least a tenth", masked, len(written))
	}
	for i, found := range readAsDiscord(t, sent) {
		if len(found) > 0 {
			t.Errorf("%q is sent as %q, in which %q are masked links", written[i], sent[i], found)
		}
	}
}

// readAsDiscord returns the masked links to foreign hosts in each text.
func readAsDiscord(t *testing.T, texts []string) (found [][]string) {
	t.Helper()
	input := errtest.Must(json.Marshal(texts))(t)
	cmd := exec.CommandContext(t.Context(), "node", "masked.cjs")
	cmd.Dir, cmd.Stdin, cmd.Stderr = "renderer", bytes.NewReader(input), os.Stderr
	output := errtest.Must(cmd.Output())(t)
	errtest.None(t, json.Unmarshal(output, &found))
	return found
}
