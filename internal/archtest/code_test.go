package archtest_test

import (
	"go/ast"
	"regexp"
	"slices"
	"testing"
)

// TestTheCoreKnowsNoClock looks for what reads the time or waits. That graph starts no goroutine
// follows from what it may import and from who may use a go statement.
func TestTheCoreKnowsNoClock(t *testing.T) {
	clock := []string{"Now", "Since", "Until", "After", "Sleep", "NewTimer"}
	for _, s := range program(t) {
		if !below(s.dir, "graph") {
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			if selector, ok := n.(*ast.SelectorExpr); ok {
				if pkg, ok := selector.X.(*ast.Ident); ok && pkg.Name == "time" && slices.Contains(clock, selector.Sel.Name) {
					t.Errorf("%s uses time.%s, but graph knows no clock: time is an argument", s.name, selector.Sel.Name)
				}
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
// heddle doctor and /readyz/model ask for nobody.
func TestEveryProviderIsMetered(t *testing.T) {
	made, metered, places := regexp.MustCompile(`\bllm\.\w*Config\{`), regexp.MustCompile(`\bMeter:`), 0
	for _, s := range program(t) {
		text := read(t, s.name)
		n := len(made.FindAllString(text, -1))
		if s.name == "internal/cli/doctor_model.go" || s.name == "internal/cli/probe.go" || n == 0 {
			continue
		}
		places++
		if n > len(metered.FindAllString(text, -1)) {
			t.Errorf("%s makes what asks a provider without a Meter: nobody is charged", s.name)
		}
	}
	if places == 0 {
		t.Error("no place makes what asks a provider, want one for all models")
	}
}
