package archtest_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestTheTableOfPackagesIsTrue compares the table in docs/architecture.md with the tree:
// every package has a row, and the row names what its packages import.
func TestTheTableOfPackagesIsTrue(t *testing.T) {
	anybody := []string{"internal/wait", "internal/lru", "internal/layout", "internal/progress", "internal/nearest", "internal/lookalike", "internal/telemetry"}
	imports := map[string][]string{} // by folder
	for _, s := range files(t) {
		imports[s.dir] = append(imports[s.dir], "") // a package of tests alone has a row, too
	}
	for _, s := range program(t) {
		for _, imported := range s.imports {
			if folder, ours := inModule(imported); ours && !slices.Contains(anybody, folder) {
				imports[s.dir] = append(imports[s.dir], folder)
			}
		}
	}
	for _, row := range packageRows(t) {
		var found []string
		for _, folder := range row.packages {
			if imports[folder] == nil {
				t.Errorf("docs/architecture.md has a row for %s, which does not exist or has another row", folder)
			}
			found = append(found, imports[folder]...)
			delete(imports, folder)
		}
		if row.everything {
			continue
		}
		slices.Sort(found)
		found = slices.DeleteFunc(slices.Compact(found), func(folder string) bool { return folder == "" })
		slices.Sort(row.imports)
		if !slices.Equal(found, row.imports) {
			t.Errorf("docs/architecture.md says that %v imports %v, but it imports %v", row.packages, row.imports, found)
		}
	}
	for folder := range imports {
		t.Errorf("docs/architecture.md has no row for %s", folder)
	}
}

type packageRow struct {
	packages, imports []string
	everything        bool // what it imports is not listed
}

func packageRows(t *testing.T) []packageRow {
	t.Helper()
	quoted := regexp.MustCompile("`([^`]+)`")
	names := func(cell string) []string {
		var all []string
		for _, match := range quoted.FindAllStringSubmatch(cell, -1) {
			if match[1] == "main" {
				match[1] = "."
			}
			all = append(all, match[1])
		}
		return all
	}
	_, table, found := strings.Cut(read(t, "docs/architecture.md"), "| package | what it holds | imports |\n")
	if !found {
		t.Fatal("docs/architecture.md has no table of packages")
	}
	var rows []packageRow
	for line := range strings.Lines(table) {
		cells := strings.Split(line, "|")
		if len(cells) != 5 {
			break
		}
		if !strings.HasPrefix(cells[1], "-") {
			rows = append(rows, packageRow{names(cells[1]), names(cells[3]), strings.Contains(cells[3], "everything")})
		}
	}
	return rows
}
