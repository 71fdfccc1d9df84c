package archtest_test

import (
	"go/ast"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// requirement is one row of docs/requirements.md.
type requirement struct{ text, packages, tests, note string }

func requirements(t *testing.T) []requirement {
	t.Helper()
	var rows []requirement
	for line := range strings.Lines(read(t, "docs/requirements.md")) {
		cells := strings.Split(strings.TrimSpace(line), "|")
		if len(cells) < 2 || strings.HasPrefix(cells[1], "--") || strings.TrimSpace(cells[1]) == "requirement" {
			continue
		}
		if len(cells) != 6 {
			t.Errorf("docs/requirements.md: a row must have four cells: %s", line)
			continue
		}
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		rows = append(rows, requirement{cells[1], cells[2], cells[3], cells[4]})
	}
	if len(rows) < 100 {
		t.Fatalf("docs/requirements.md has %d rows, fewer than the documents' requirements, want at least 100", len(rows))
	}
	return rows
}

// TestRequirementsNamePackagesThatExist checks the packages in docs/requirements.md. A row
// without a package or a test has to say why. TestTestsNamedInDocumentsExist checks the
// names of the tests.
func TestRequirementsNamePackagesThatExist(t *testing.T) {
	quoted := regexp.MustCompile("`([^`]+)`")
	folders, _ := packagesAndTests(t)
	for _, row := range requirements(t) {
		for _, match := range quoted.FindAllStringSubmatch(row.packages, -1) {
			if !slices.Contains(folders, match[1]) {
				t.Errorf("%q: there is no package %s", row.text, match[1])
			}
		}
		if (row.packages == "" || row.tests == "") && !strings.HasPrefix(row.note, "Not served: ") {
			t.Errorf("%q names no package or no test, and no reason", row.text)
		}
	}
}

// packagesAndTests returns the folders with Go files and the names of all tests, fuzz
// targets and benchmarks.
func packagesAndTests(t *testing.T) (folders, tests []string) {
	t.Helper()
	name := regexp.MustCompile(`^(Test|Fuzz|Benchmark)[A-Z]`)
	for _, s := range files(t) {
		folders = append(folders, s.dir)
		for _, declaration := range s.file.Decls {
			if f, ok := declaration.(*ast.FuncDecl); ok && s.test && f.Recv == nil && name.MatchString(f.Name.Name) {
				tests = append(tests, f.Name.Name)
			}
		}
	}
	return folders, tests
}
