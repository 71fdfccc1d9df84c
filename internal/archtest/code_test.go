package archtest_test

import (
	"go/ast"
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

func TestFilesFitOnAFewScreens(t *testing.T) {
	const most = 450
	for _, s := range files(t) {
		if s.lines > most {
			t.Errorf("%s has %d lines, more than %d", s.name, s.lines, most)
		}
	}
}

// TestEveryProviderIsMetered finds where the program makes what asks a provider. Only
// heddle doctor asks for nobody, once.
func TestEveryProviderIsMetered(t *testing.T) {
	unmetered, metered := []string{"internal/cli/doctor_model.go", "internal/roomtest/env.go"}, 0
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
	if metered == 0 {
		t.Error("no place makes what asks a provider, want one for all models")
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
