package archtest_test

import (
	"go/ast"
	"go/token"
	"testing"
)

// reached lists what is used by other means than its name.
func reached() map[string]string {
	return map[string]string{
		"LogValue":    "log/slog calls it",
		"MarshalJSON": "encoding/json calls it",
		"Describe":    "prometheus calls it",
		"Printf":      "go-redis calls it",
		"RoundTrip":   "net/http calls it",
		"main":        "Go calls it",
		"IsDone":      "tests see by it that a question is marked as answered",
	}
}

// TestNothingIsKeptForTestsAlone finds what is declared and named
// nowhere else in the program. Packages that exist for tests are exempt.
func TestNothingIsKeptForTestsAlone(t *testing.T) {
	helpers := []string{"internal/discordtest", "internal/openaitest", "internal/redistest", "internal/roomtest", "internal/leaktest", "internal/expensive", "internal/golden", "internal/errtest", "internal/waittest", "internal/limittest", "internal/clitest", "lab/chatlog/chatlogtest", "store/storetest"}
	count := map[string]int{}
	for _, s := range program(t) {
		if below(s.dir, helpers...) {
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			if name, ok := n.(*ast.Ident); ok {
				count[name.Name]++
			}
			return true
		})
	}
	for _, s := range program(t) {
		if below(s.dir, helpers...) {
			continue
		}
		for _, declaration := range s.file.Decls {
			if group, ok := declaration.(*ast.GenDecl); ok && group.Tok == token.CONST {
				continue // Discord has values that heddle does not name
			}
			for _, name := range topLevel(declaration) {
				if count[name] < 2 && name != "_" && reached()[name] == "" {
					t.Errorf("%s: nothing in the program uses %s", s.name, name)
				}
			}
		}
	}
}
