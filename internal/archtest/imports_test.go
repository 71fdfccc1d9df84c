package archtest_test

import (
	"os/exec"
	"strings"
	"testing"

	"heddle/internal/errtest"
)

// fences lists what may not be imported, where, and why. Test files are exempt.
func fences() []struct {
	in, not []string
	except  []string
	why     string
} {
	return []struct {
		in, not []string
		except  []string
		why     string
	}{
		{in: []string{"graph"}, not: []string{"context", "net", "os", "log", "math/rand", "sync", "github.com", "go.etcd.io", "golang.org", "gonum.org"}, why: "graph is pure: no I/O, no context, no goroutine, no global randomness, no third party"},
		{in: []string{"fetch", "llm", "store", "graph"}, not: []string{"heddle/bot"}, why: "adapters and the core sit below bot: data goes one way"},
		{in: []string{"fetch"}, not: []string{"heddle/llm", "heddle/store"}, why: "an adapter hides one outside system and knows no other adapter"},
		{in: []string{"llm"}, not: []string{"heddle/fetch", "heddle/store"}, why: "an adapter hides one outside system and knows no other adapter"},
		{in: []string{"store"}, not: []string{"heddle/fetch", "heddle/llm"}, why: "an adapter hides one outside system and knows no other adapter"},
		{in: []string{""}, not: []string{"heddle/config"}, except: []string{"internal/cli", "config"}, why: "internal/cli alone reads the settings and hands them on as plain values"},
		{in: []string{""}, not: []string{"heddle/internal/cli"}, except: []string{".", "internal/clitest"}, why: "only main runs commands"},
		{in: []string{"internal/discordtest", "internal/openaitest", "internal/playground"}, not: []string{"testing"}, why: "heddle try runs these, too"},
		{in: []string{"internal/discordtest"}, not: []string{"github.com/bwmarrin/discordgo"}, why: "a server that shares its client's code shares its mistakes"},
		{in: []string{"internal/openaitest"}, not: []string{"github.com/sashabaranov/go-openai"}, why: "a server that shares its client's code shares its mistakes"},
		{in: []string{""}, not: []string{"github.com/bwmarrin/discordgo"}, except: []string{"bot", "fetch", "internal/discord"}, why: "only bot, fetch and internal/discord speak to Discord"},
		{in: []string{""}, not: []string{"github.com/sashabaranov/go-openai"}, except: []string{"llm"}, why: "llm hides the model's API"},
		{in: []string{""}, not: []string{"github.com/redis/go-redis", "go.etcd.io/bbolt"}, except: []string{"store", "internal/redistest"}, why: "store hides the databases"},
		{in: []string{""}, not: []string{"github.com/prometheus"}, except: []string{"internal/cli", "internal/telemetry"}, why: "packages count for themselves or by internal/telemetry"},
		{in: []string{""}, not: []string{"github.com/caarlos0/env", "github.com/joho/godotenv"}, except: []string{"config"}, why: "config hides where settings come from"},
	}
}

func TestImportsGoOneWay(t *testing.T) {
	for _, s := range program(t) {
		for _, fence := range fences() {
			inside := fence.in[0] == "" || below(s.dir, fence.in...)
			if !inside || below(s.dir, fence.except...) {
				continue
			}
			for _, imported := range s.imports {
				if below(imported, fence.not...) {
					t.Errorf("%s imports %s, but %s", s.name, imported, fence.why)
				}
			}
		}
	}
}

// TestEveryLibraryHasItsReason compares docs/dependencies.md with what is imported, in
// both directions.
func TestEveryLibraryHasItsReason(t *testing.T) {
	used := map[string]bool{} // by module
	for row := range strings.Lines(read(t, "docs/dependencies.md")) {
		cells := strings.Split(row, "|")
		if len(cells) >= 3 && strings.HasPrefix(strings.TrimSpace(cells[1]), "`") && strings.TrimSpace(cells[2]) != "" {
			used[strings.Trim(cells[1], " `")] = false
		}
	}
	for _, s := range files(t) {
		for _, imported := range s.imports {
			if standard(imported) || below(imported, module) {
				continue
			}
			named := false
			for library := range used {
				if below(imported, library) {
					used[library], named = true, true
				}
			}
			if !named {
				t.Errorf("%s imports %s, for which docs/dependencies.md states no reason", s.name, imported)
			}
		}
	}
	for library, imported := range used {
		if !imported {
			t.Errorf("docs/dependencies.md names %s, which nothing imports", library)
		}
	}
}

// TestTheLinkerLeavesOutWhatIsUnused checks that the program contains no template engine.
// It calls methods by name, so that the linker keeps all of them: 9 MB more.
func TestTheLinkerLeavesOutWhatIsUnused(t *testing.T) {
	list := errtest.Must(exec.CommandContext(t.Context(), "go", "list", "-deps", module).Output())(t)
	for linked := range strings.FieldsSeq(string(list)) {
		if linked == "text/template" || linked == "html/template" {
			t.Errorf("the program links %s, want none: see docs/dependencies.md", linked)
		}
	}
}
