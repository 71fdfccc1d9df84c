package archtest_test

import (
	"go/ast"
	"path"
	"regexp"
	"testing"
)

// TestNamesInCommentsAndDocumentsExist checks what they call package.Name, as a name that is
// changed in the code is easily left there.
func TestNamesInCommentsAndDocumentsExist(t *testing.T) {
	declared := map[string]map[string]bool{} // by the last part of a package's folder: its names
	for _, s := range files(t) {
		of := path.Base(s.dir)
		if declared[of] == nil {
			declared[of] = map[string]bool{}
		}
		for _, declaration := range s.file.Decls {
			for _, name := range topLevel(declaration) {
				declared[of][name] = true
			}
		}
	}
	check := func(where, text string, names [][]string) {
		for _, name := range names {
			if of := declared[name[1]]; of != nil && !of[name[2]] {
				t.Errorf("%s names %s.%s, want a name that exists\n%s", where, name[1], name[2], text)
			}
		}
	}
	commented := regexp.MustCompile(`(?:^|[\s(*"])([a-z]\w*)\.([A-Z]\w*)`)
	for _, s := range files(t) {
		for _, doc := range docs(s.file) {
			check(s.name, doc, commented.FindAllStringSubmatch(doc, -1))
		}
	}
	quoted := regexp.MustCompile("`(?:[a-z]+/)*([a-z]+)\\.([A-Z]\\w*)[`.(]")
	for _, document := range documents(t) {
		check(document, "", quoted.FindAllStringSubmatch(prose(read(t, document)), -1))
	}
}

// topLevel returns the names that a declaration declares, a method's among them.
func topLevel(declaration ast.Decl) (names []string) {
	switch d := declaration.(type) {
	case *ast.FuncDecl:
		names = append(names, d.Name.Name)
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch spec := spec.(type) {
			case *ast.ValueSpec:
				for _, name := range spec.Names {
					names = append(names, name.Name)
				}
			case *ast.TypeSpec:
				names = append(names, spec.Name.Name)
			}
		}
	}
	return names
}
