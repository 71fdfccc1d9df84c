package archtest_test

import (
	"regexp"
	"strings"
	"testing"
)

// TestEveryPackageHasARow compares the table in docs/architecture.md with the tree. lab, a
// module of its own, has one row for all its packages.
func TestEveryPackageHasARow(t *testing.T) {
	folders := map[string]bool{}
	for _, s := range files(t) {
		switch {
		case below(s.dir, "lab"):
			folders["lab"] = true
		case s.dir != ".":
			folders[s.dir] = true
		}
	}
	_, table, _ := strings.Cut(read(t, "docs/architecture.md"), "| package | what it holds |\n")
	table, _, _ = strings.Cut(table, "\n\n")
	quoted := regexp.MustCompile("`([^`]+)`")
	for line := range strings.Lines(table) {
		cells := strings.Split(line, "|")
		for _, match := range quoted.FindAllStringSubmatch(cells[1], -1) {
			if !folders[match[1]] && match[1] != "main" {
				t.Errorf("docs/architecture.md has a row for %s, which does not exist or has another row", match[1])
			}
			delete(folders, match[1])
		}
	}
	for folder := range folders {
		t.Errorf("docs/architecture.md has no row for %s", folder)
	}
}
