package archtest_test

import (
	"go/ast"
	"testing"
)

// mostUncommented is the number of lines up to which a function needs no comment. What a
// longer one is for, a reader should learn without reading it.
const mostUncommented = 14

// describedElsewhere lists longer functions that need no comment, and what describes them.
func describedElsewhere() map[string]string {
	return map[string]string{
		"bot/gateway.tap.hello":           "named after the message of Discord's that it handles",
		"graph/affinity.scanner.endPiece": "the comment of scanner defines pieces",
		"graph/affinity.scanner.next":     "the comment of scanner: it reads character by character",
		"internal/training.vary":          "the comment of variation, which it returns",
	}
}

func TestLongFunctionsHaveAComment(t *testing.T) {
	used := map[string]bool{}
	for _, s := range program(t) {
		if s.dir == "store/storetest" {
			continue // its functions are tests, which are named after what they demand
		}
		for _, declaration := range s.file.Decls {
			f, ok := declaration.(*ast.FuncDecl)
			if !ok || f.Doc.Text() != "" {
				continue
			}
			lines := s.line(f.End()) - s.line(f.Pos()) + 1
			if lines <= mostUncommented {
				continue
			}
			name := s.dir + "." + qualified(f)
			used[name] = true
			if describedElsewhere()[name] == "" {
				t.Errorf("%s: %s has %d lines and no comment, want one if there are more than %d", s.name, qualified(f), lines, mostUncommented)
			}
		}
	}
	for name := range describedElsewhere() {
		if !used[name] {
			t.Errorf("%s needs no exception any more, delete it from the list", name)
		}
	}
}

// qualified returns the name of a function, or that of a method behind its type's.
func qualified(f *ast.FuncDecl) string {
	if f.Recv == nil {
		return f.Name.Name
	}
	return widths{}.base(f.Recv.List[0].Type) + "." + f.Name.Name
}
