package archtest_test

import (
	"go/ast"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"heddle/internal/errtest"
)

func read(t *testing.T, name string) string {
	t.Helper()
	content := errtest.Must(os.ReadFile(path.Join(root, name)))(t)
	return string(content)
}

// documents returns the names of all Markdown files.
func documents(t *testing.T) []string {
	t.Helper()
	return named(t, ".md")
}

// named returns the names of the files that end in one of some ways.
func named(t *testing.T, endings ...string) (names []string) {
	t.Helper()
	err := fs.WalkDir(os.DirFS(root), ".", func(name string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() && name != "." && skipped(entry.Name()) {
			return fs.SkipDir
		}
		if slices.Contains(endings, path.Ext(name)) {
			names = append(names, name)
		}
		return err
	})
	errtest.None(t, err)
	return names
}

func exists(name string) bool {
	_, err := os.Stat(path.Join(root, name))
	return err == nil
}

// TestPathsNamedInDocumentsExist checks every quoted path whose first folder exists
// here. In the documents for contributors it checks everything that looks like a path.
func TestPathsNamedInDocumentsExist(t *testing.T) {
	quoted := regexp.MustCompile("`(\\.?[A-Za-z][\\w.-]*(?:/[\\w.-]+)*/?)`")
	symbol := regexp.MustCompile(`\.[A-Z]\w*(\.\w+)?$`) // graph/path.Root names graph/path
	maps := map[string]bool{"README.md": true, "CONTRIBUTING.md": true, "docs/architecture.md": true}
	for _, document := range documents(t) {
		for _, match := range quoted.FindAllStringSubmatch(prose(read(t, document)), -1) {
			name := symbol.ReplaceAllString(strings.TrimSuffix(match[1], "/"), "")
			first, _, nested := strings.Cut(name, "/")
			if !nested && !strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, ".md") {
				continue
			}
			ours := maps[document] || first != "bin" && exists(first) // builds go to bin
			if ours && !exists(name) && !exists(path.Join(path.Dir(document), name)) {
				t.Errorf("%s names %s, which does not exist", document, name)
			}
		}
	}
}

// TestLinksInDocumentsLeadSomewhere checks the file of each link, and the heading behind its #.
func TestLinksInDocumentsLeadSomewhere(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)#:\s]*)(?:#([^)\s]*))?\)`)
	for _, document := range documents(t) {
		for _, match := range link.FindAllStringSubmatch(prose(read(t, document)), -1) {
			target := document
			if match[1] != "" {
				target = path.Join(path.Dir(document), match[1])
			}
			switch {
			case !exists(target):
				t.Errorf("%s links to %s, which does not exist", document, match[1])
			case match[2] != "" && !slices.Contains(anchors(read(t, target)), match[2]):
				t.Errorf("%s links to %s#%s, but %s has no heading of that name", document, match[1], match[2], target)
			}
		}
	}
}

// anchors returns the names under which the headings of a document can be linked to:
// lower case, without punctuation, with hyphens for spaces.
func anchors(text string) []string {
	heading := regexp.MustCompile(`(?m)^#+ (.*)$`)
	dropped := regexp.MustCompile(`[^\p{L}\p{N}_ -]`)
	var names []string
	for _, match := range heading.FindAllStringSubmatch(prose(text), -1) {
		name := dropped.ReplaceAllString(strings.ToLower(match[1]), "")
		names = append(names, strings.ReplaceAll(name, " ", "-"))
	}
	return names
}

// TestTestsNamedInDocumentsExist checks every quoted name of a test. A name that ends
// in … stands for all tests that begin so.
func TestTestsNamedInDocumentsExist(t *testing.T) {
	quoted := regexp.MustCompile("`((?:Test|Fuzz|Benchmark)[A-Z]\\w*)(…?)`")
	tests := allTests(t)
	for _, document := range documents(t) {
		for _, match := range quoted.FindAllStringSubmatch(prose(read(t, document)), -1) {
			exists := func(test string) bool { return test == match[1] || match[2] != "" && strings.HasPrefix(test, match[1]) }
			if !slices.ContainsFunc(tests, exists) {
				t.Errorf("%s names the test %s, which does not exist", document, match[1])
			}
		}
	}
}

// TestPatternsNamedInDocumentsMatch checks that each -run and -bench in a document
// still selects something: at least one test has to match each of its alternatives, as
// far as the name of a sub-benchmark does not come into it.
func TestPatternsNamedInDocumentsMatch(t *testing.T) {
	flag := regexp.MustCompile(`-(?:run|bench) '?([A-Z][\w|/]*)`)
	tests := allTests(t)
	for _, document := range documents(t) {
		for _, match := range flag.FindAllStringSubmatch(read(t, document), -1) {
			for alternative := range strings.SplitSeq(match[1], "|") {
				whole, _, _ := strings.Cut(alternative, "/")
				if !slices.ContainsFunc(tests, func(test string) bool { return strings.Contains(test, whole) }) {
					t.Errorf("%s runs %s, which selects no test", document, alternative)
				}
			}
		}
	}
}

// prose returns a document without its code blocks.
func prose(text string) string {
	return regexp.MustCompile("(?ms)^```.*?^```").ReplaceAllString(text, "")
}

// TestYAMLFilesCanBeRead parses every YAML file. Prometheus and container engines refuse
// a file as a whole for one wrong quotation mark.
func TestYAMLFilesCanBeRead(t *testing.T) {
	all := named(t, ".yml", ".yaml")
	for _, name := range all {
		var content map[string]any
		if err := yaml.Unmarshal([]byte(read(t, name)), &content); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if len(all) == 0 {
		t.Error("there are no YAML files")
	}
}

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
