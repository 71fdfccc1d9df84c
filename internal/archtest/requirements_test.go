package archtest_test

import (
	"go/ast"
	"regexp"
	"strings"
	"testing"
)

// TestRequirementsNameTests checks the tables of docs/requirements.md: every row names a
// test, or the one above, or says why there is none. TestTestsNamedInDocumentsExist checks
// the names.
func TestRequirementsNameTests(t *testing.T) {
	rows := 0
	for line := range strings.Lines(read(t, "docs/requirements.md")) {
		cells := strings.Split(strings.TrimSpace(line), "|")
		if len(cells) < 2 || strings.HasPrefix(cells[1], "--") || strings.TrimSpace(cells[1]) == "requirement" {
			continue
		}
		rows++
		if len(cells) != 4 {
			t.Errorf("docs/requirements.md: a row must have two cells: %s", line)
			continue
		}
		shown := strings.TrimSpace(cells[2])
		if !strings.HasPrefix(shown, "`") && !strings.HasPrefix(shown, "″") && !strings.HasPrefix(shown, "not served: ") {
			t.Errorf("%q names no test and no reason", cells[1])
		}
	}
	if rows < 100 {
		t.Errorf("docs/requirements.md has %d rows, fewer than the documents' requirements, want at least 100", rows)
	}
}

// allTests returns the names of all tests, fuzz targets and benchmarks.
func allTests(t *testing.T) (tests []string) {
	t.Helper()
	name := regexp.MustCompile(`^(Test|Fuzz|Benchmark)[A-Z]`)
	for _, s := range files(t) {
		for _, declaration := range s.file.Decls {
			if f, ok := declaration.(*ast.FuncDecl); ok && s.test && f.Recv == nil && name.MatchString(f.Name.Name) {
				tests = append(tests, f.Name.Name)
			}
		}
	}
	return tests
}
