package archtest_test

import (
	"go/ast"
	"path"
	"slices"
	"strings"
	"testing"
)

// mentions returns the set of "package.Name" selectors in a file. A package is known by
// the last element of its import path.
func mentions(s source) map[string]bool {
	found := map[string]bool{}
	ast.Inspect(s.file, func(n ast.Node) bool {
		if selector, ok := n.(*ast.SelectorExpr); ok {
			if pkg, ok := selector.X.(*ast.Ident); ok {
				found[pkg.Name+"."+selector.Sel.Name] = true
			}
		}
		return true
	})
	return found
}

func TestOnlyMainReadsTheEnvironment(t *testing.T) {
	helpers := []string{"internal/redistest"} // test helpers: in CI they fail if a program is not installed
	for _, s := range program(t) {
		found := mentions(s)
		for _, name := range []string{"os.Getenv", "os.LookupEnv", "os.ExpandEnv", "syscall.Getenv"} {
			if found[name] && !below(s.dir, helpers...) {
				t.Errorf("%s uses %s, but config reads the settings from the environment that main passes", s.name, name)
			}
		}
		if found["os.Environ"] && s.file.Name.Name != "main" {
			t.Errorf("%s uses os.Environ, but only main passes the environment", s.name)
		}
	}
}

func TestTheCoreKnowsNoClockAndStartsNothing(t *testing.T) {
	for _, s := range program(t) {
		if !below(s.dir, "graph") {
			continue
		}
		found := mentions(s)
		for _, name := range []string{"time.Now", "time.Since", "time.Until", "time.After", "time.Sleep", "time.NewTimer"} {
			if found[name] {
				t.Errorf("%s uses %s, but graph knows no clock: time is an argument", s.name, name)
			}
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			if _, ok := n.(*ast.GoStmt); ok {
				t.Errorf("%s starts a goroutine, but graph starts none", s.name)
			}
			return true
		})
	}
}

func TestNothingRunsBeforeMain(t *testing.T) {
	for _, s := range files(t) {
		for _, declaration := range s.file.Decls {
			if f, ok := declaration.(*ast.FuncDecl); ok && f.Recv == nil && f.Name.Name == "init" {
				t.Errorf("%s has an init function", s.name)
			}
		}
	}
}

func TestLoggersAreArguments(t *testing.T) {
	for _, s := range program(t) {
		found := mentions(s)
		for _, name := range []string{"slog.SetDefault", "slog.Default", "log.Printf", "log.Println", "log.Fatal", "log.Fatalf"} {
			if found[name] {
				t.Errorf("%s uses %s, but loggers are arguments", s.name, name)
			}
		}
	}
}

func TestFilesFitOnAFewScreens(t *testing.T) {
	const most = 450
	for _, s := range files(t) {
		if s.lines > most {
			t.Errorf("%s has %d lines, more than %d", s.name, s.lines, most)
		}
	}
}

func TestPackagesAreDocumentedWhereReadersLook(t *testing.T) {
	documented := map[string]bool{}
	for _, s := range program(t) {
		if s.file.Doc == nil || s.file.Name.Name == "main" {
			continue
		}
		documented[s.dir] = true
		if file := path.Base(s.name); file != "doc.go" && file != path.Base(s.dir)+".go" {
			t.Errorf("%s documents its package, want that in doc.go or %s.go", s.name, path.Base(s.dir))
		}
	}
	for _, s := range program(t) {
		if !documented[s.dir] && s.file.Name.Name != "main" {
			t.Errorf("%s: its package has no documentation, want it in doc.go", s.name)
			documented[s.dir] = true
		}
	}
}

func TestMainIsTheOnlyGoFileAtTheRoot(t *testing.T) {
	for _, s := range files(t) {
		if s.dir == "." && s.name != "main.go" {
			t.Errorf("%s lies at the root, but commands live in internal/cli and end-to-end tests in internal/e2e", s.name)
		}
	}
}

// TestEveryProviderIsMetered finds where the program makes what asks a provider. Only
// heddle doctor asks for nobody, once.
func TestEveryProviderIsMetered(t *testing.T) {
	unmetered, metered := []string{"internal/cli/doctor.go", "internal/roomtest/env.go"}, 0
	for _, s := range program(t) {
		ast.Inspect(s.file, func(n ast.Node) bool {
			literal, ok := n.(*ast.CompositeLit)
			if !ok || !isConfigOfProvider(literal) || slices.Contains(unmetered, s.name) {
				return true
			}
			if !slices.ContainsFunc(literal.Elts, isMeter) {
				t.Errorf("%s makes what asks a provider without a Meter: nobody is charged", s.name)
			}
			metered++
			return true
		})
	}
	if metered < 2 {
		t.Errorf("%d places make what asks a provider, want one for the model and one for vectors", metered)
	}
}

// isConfigOfProvider reports whether a literal configures something that asks a provider.
func isConfigOfProvider(literal *ast.CompositeLit) bool {
	kind, ok := literal.Type.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	of, ok := kind.X.(*ast.Ident)
	return ok && of.Name == "llm" && strings.HasSuffix(kind.Sel.Name, "Config")
}

// isMeter reports whether an element of a literal sets its Meter.
func isMeter(element ast.Expr) bool {
	pair, ok := element.(*ast.KeyValueExpr)
	if !ok {
		return false
	}
	key, ok := pair.Key.(*ast.Ident)
	return ok && key.Name == "Meter"
}
