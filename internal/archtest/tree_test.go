package archtest_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"heddle/internal/errtest"
)

const (
	root   = "../.."
	module = "heddle"
)

// source is one Go file of the tree.
type source struct {
	name    string // slash path below the root
	dir     string // its package's folder, "." for main
	test    bool
	lines   int
	imports []string
	file    *ast.File
	tokens  *token.FileSet
}

// line returns the line of a position in the file.
func (s source) line(at token.Pos) int { return s.tokens.Position(at).Line }

// sources parses every Go file once for all tests.
//
//nolint:gochecknoglobals // parsed once, never changed
var sources = sync.OnceValues(func() ([]source, error) {
	var all []source
	err := fs.WalkDir(os.DirFS(root), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && name != "." && skipped(entry.Name()) {
			return fs.SkipDir
		}
		if entry.IsDir() || !strings.HasSuffix(name, ".go") {
			return nil
		}
		s, err := parse(name)
		all = append(all, s)
		return err
	})
	return all, err
})

func skipped(folder string) bool {
	return strings.HasPrefix(folder, ".") || folder == "testdata" || folder == "node_modules" || folder == "bin" || folder == "data"
}

func parse(name string) (source, error) {
	content, err := os.ReadFile(path.Join(root, name))
	if err != nil {
		return source{}, err
	}
	tokens := token.NewFileSet()
	file, err := parser.ParseFile(tokens, name, content, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return source{}, err
	}
	s := source{
		name: name, dir: path.Dir(name), file: file, tokens: tokens,
		test:  strings.HasSuffix(name, "_test.go"),
		lines: strings.Count(string(content), "\n"),
	}
	for _, spec := range file.Imports {
		imported, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return source{}, err
		}
		s.imports = append(s.imports, imported)
	}
	return s, nil
}

// files returns every Go file of the tree.
func files(t *testing.T) []source {
	t.Helper()
	all := errtest.Must(sources())(t)
	if len(all) == 0 {
		t.Fatal("found no Go files")
	}
	return all
}

// program returns the Go files that are not tests.
func program(t *testing.T) []source {
	t.Helper()
	return slices.DeleteFunc(slices.Clone(files(t)), func(s source) bool { return s.test })
}

// below reports whether name is folder or lies in it.
func below(name string, folders ...string) bool {
	for _, folder := range folders {
		if name == folder || strings.HasPrefix(name, folder+"/") {
			return true
		}
	}
	return false
}

// inModule returns the folder of an import path of this module.
func inModule(imported string) (string, bool) {
	if imported == module {
		return ".", true
	}
	return strings.CutPrefix(imported, module+"/")
}

// standard reports whether an import path is of the standard library.
func standard(imported string) bool {
	first, _, _ := strings.Cut(imported, "/")
	return first != module && !strings.Contains(first, ".")
}
