package archtest_test

import (
	"go/ast"
	"testing"
)

// reached lists functions that the program calls by other means than their names.
func reached() map[string]string {
	return map[string]string{
		"Document":   "go generate ./config writes it into docs/settings.md",
		"Essentials": "go generate ./config writes it into the README",
		"Example":    "go generate ./config writes it into .env.example",
		"GoString":   "fmt calls it",
		"Describe":   "prometheus calls it",
		"Printf":     "go-redis calls it",
		"NewIDs":     "OpenTelemetry calls it",
		"main":       "Go calls it",
	}
}

// onlyTested lists what only tests use. It only ever shrinks.
func onlyTested() map[string]bool {
	return map[string]bool{}
}

// TestNothingIsKeptForTestsAlone finds functions, methods and types whose names occur
// nowhere else in the program. Packages that exist for tests are exempt.
func TestNothingIsKeptForTestsAlone(t *testing.T) {
	helpers := []string{"internal/discordtest", "internal/openaitest", "internal/redistest", "internal/otlptest", "internal/roomtest", "internal/leaktest", "internal/expensive", "internal/golden", "internal/chatlog/chatlogtest", "store/storetest"}
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
	unused := map[string]bool{}
	for _, s := range program(t) {
		if below(s.dir, helpers...) {
			continue
		}
		for _, name := range declaredIn(s.file) {
			if count[name] > 1 || reached()[name] != "" {
				continue
			}
			unused[name] = true
			if !onlyTested()[name] {
				t.Errorf("%s: nothing in the program uses %s", s.name, name)
			}
		}
	}
	for name := range onlyTested() {
		if !unused[name] {
			t.Errorf("%s is used or gone: take it out of onlyTested", name)
		}
	}
}

// declaredIn returns the names of the functions, methods and types of a file.
func declaredIn(file *ast.File) []string {
	var names []string
	for _, declaration := range file.Decls {
		switch d := declaration.(type) {
		case *ast.FuncDecl:
			names = append(names, d.Name.Name)
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				if spec, ok := spec.(*ast.TypeSpec); ok {
					names = append(names, spec.Name.Name)
				}
			}
		}
	}
	return names
}
