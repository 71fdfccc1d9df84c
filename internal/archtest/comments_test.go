package archtest_test

import (
	"go/ast"
	"path"
	"regexp"
	"strings"
	"testing"
)

// mostUncommented is the number of lines up to which a function needs no comment. What a
// longer one is for, a reader should learn without reading it.
const mostUncommented = 14

func TestLongFunctionsHaveAComment(t *testing.T) {
	for _, s := range program(t) {
		if s.dir == "store/storetest" {
			continue // its functions are tests, which are named after what they demand
		}
		for _, declaration := range s.file.Decls {
			f, ok := declaration.(*ast.FuncDecl)
			if !ok || f.Doc.Text() != "" {
				continue
			}
			if lines := s.line(f.End()) - s.line(f.Pos()) + 1; lines > mostUncommented {
				t.Errorf("%s: %s has %d lines and no comment, want one if there are more than %d", s.name, qualified(f), lines, mostUncommented)
			}
		}
	}
}

// qualified returns the name of a function, or that of a method behind its type's.
func qualified(f *ast.FuncDecl) string {
	if f.Recv == nil {
		return f.Name.Name
	}
	return nameOf(f.Recv.List[0].Type) + "." + f.Name.Name
}

// phrasings are openings and turns of phrase that Go's documentation does not use,
// with what to write instead. A reader looks for "returns" and "reports whether".
func phrasings() []struct{ pattern, instead string } {
	return []struct{ pattern, instead string }{
		{`^\w+ (gives|hands back)\b`, `"X returns …"`},
		{`\b(says|say|tells|tell|knows|finds out)( only)? whether\b`, `"X reports whether …"`},
		{`^\w+ (says|tells) (what|which|how|who|why|where|when|of)\b`, `"X returns …", "X describes …" or "X is …"`},
		{`^\w+ (is told|are told|is asked)\b`, `who calls it, and when`},
		{`\bsees? to it\b`, `"makes sure", or what it does`},
		{`\bwhere there (is|are) (one|none|any|some)\b`, `"if any", "if there is one"`},
		{`\bhas (it|them|this|that|one|all|everything) done\b`, `"does"`},
		{`\bas [\w' ]{1,24} ha(s|ve) (it|them)[.,;:)]`, `"as X defines it"`},
		{`\btold once\b`, `"logged once"`},
		{`\b(whereof|whereat|therein|thereof|hereby|lest)\b`, `a plain word`},
		{`\bwhat is no \w+\b`, `the thing's name, or "anything else"`},
	}
}

func TestCommentsReadLikeGo(t *testing.T) {
	for _, s := range files(t) {
		for _, doc := range docs(s.file) {
			for _, phrase := range phrasings() {
				if found := regexp.MustCompile(phrase.pattern).FindString(doc); found != "" {
					t.Errorf("%s: a comment says %q; write %s\n%s", s.name, found, phrase.instead, doc)
				}
			}
		}
	}
}

// docs returns the comments of a file, one string each without line breaks.
func docs(file *ast.File) []string {
	var all []string
	for _, group := range file.Comments {
		all = append(all, strings.Join(strings.Fields(group.Text()), " "))
	}
	return all
}

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
