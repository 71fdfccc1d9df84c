package archtest_test

import (
	"go/ast"
	"testing"
)

// mentions gives every "package.Name" that a file mentions, by the names of its imports.
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
	helpers := []string{"internal/redistest"} // for tests alone: they ask whether CI must have what they start
	for _, s := range tree(t, false) {
		found := mentions(s)
		for _, name := range []string{"os.Getenv", "os.LookupEnv", "os.ExpandEnv", "syscall.Getenv"} {
			if found[name] && !below(s.dir, helpers...) {
				t.Errorf("%s uses %s, but config reads settings from what main hands it", s.name, name)
			}
		}
		if found["os.Environ"] && s.file.Name.Name != "main" {
			t.Errorf("%s uses os.Environ, but main alone hands the environment on", s.name)
		}
	}
}

func TestTheCoreKnowsNoClockAndStartsNothing(t *testing.T) {
	for _, s := range tree(t, false) {
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
	for _, s := range tree(t, true) {
		for _, declaration := range s.file.Decls {
			if f, ok := declaration.(*ast.FuncDecl); ok && f.Recv == nil && f.Name.Name == "init" {
				t.Errorf("%s has an init function", s.name)
			}
		}
	}
}

func TestLoggersAreHandedOver(t *testing.T) {
	for _, s := range tree(t, false) {
		found := mentions(s)
		for _, name := range []string{"slog.SetDefault", "slog.Default", "log.Printf", "log.Println", "log.Fatal", "log.Fatalf"} {
			if found[name] {
				t.Errorf("%s uses %s, but loggers are handed over", s.name, name)
			}
		}
	}
}

func TestFilesFitOnAFewScreens(t *testing.T) {
	const most = 450
	for _, s := range tree(t, true) {
		if s.lines > most {
			t.Errorf("%s has %d lines, more than %d", s.name, s.lines, most)
		}
	}
}
