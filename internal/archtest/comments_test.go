package archtest_test

import (
	"go/ast"
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
	kind := f.Recv.List[0].Type
	if pointer, ok := kind.(*ast.StarExpr); ok {
		kind = pointer.X
	}
	if generic, ok := kind.(*ast.IndexExpr); ok {
		kind = generic.X
	}
	if name, ok := kind.(*ast.Ident); ok {
		return name.Name + "." + f.Name.Name
	}
	return f.Name.Name
}
