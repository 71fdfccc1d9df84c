package archtest_test

import (
	"go/ast"
	"go/scanner"
	"go/token"
	"regexp"
	"slices"
	"testing"
)

// introduced lists the names that the examples of CONTRIBUTING.md add to the program.
func introduced() []string {
	return []string{"showScopes", "TestScopesAreListed", "MadeBy", "LabelModel", "CommandContact", "contact", "buttonModel", "nameModel"}
}

// TestNamesInWalkThroughsExist checks that the examples in CONTRIBUTING.md use only
// names that the program has, apart from those that they introduce.
func TestNamesInWalkThroughsExist(t *testing.T) {
	known := map[string]bool{}
	for _, s := range files(t) {
		ast.Inspect(s.file, func(n ast.Node) bool {
			if name, ok := n.(*ast.Ident); ok {
				known[name.Name] = true
			}
			return true
		})
	}
	met := map[string]bool{}
	for _, block := range regexp.MustCompile("(?ms)^ *```go\n(.*?)^ *```").FindAllStringSubmatch(read(t, "CONTRIBUTING.md"), -1) {
		for _, name := range identifiers(block[1]) {
			met[name] = true
			if !known[name] && !slices.Contains(introduced(), name) {
				t.Errorf("CONTRIBUTING.md uses %s in an example, want a name that the program has", name)
			}
		}
	}
	for _, name := range introduced() {
		if !met[name] {
			t.Errorf("no example of CONTRIBUTING.md introduces %s any more, want it out of introduced", name)
		}
	}
}

// identifiers returns the identifiers in a piece of Go, which need not be complete.
func identifiers(code string) []string {
	set := token.NewFileSet()
	var s scanner.Scanner
	s.Init(set.AddFile("", set.Base(), len(code)), []byte(code), nil, 0)
	var names []string
	for _, kind, literal := s.Scan(); kind != token.EOF; _, kind, literal = s.Scan() {
		if kind == token.IDENT {
			names = append(names, literal)
		}
	}
	return names
}
