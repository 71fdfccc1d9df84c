package archtest_test

import (
	"go/ast"
	"go/token"
	"testing"
)

// TestWhateverIsPublishedIsCounted demands of each event, cause and stage of
// internal/telemetry that something notes it. Others would be published as 0 for ever.
func TestWhateverIsPublishedIsCounted(t *testing.T) {
	noted := map[string]bool{}
	var names []string
	for _, s := range program(t) {
		if s.dir == "internal/telemetry" {
			names = append(names, exportedConstants(s.file)...)
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			if selector, ok := n.(*ast.SelectorExpr); ok {
				if of, ok := selector.X.(*ast.Ident); ok && of.Name == "telemetry" {
					noted[selector.Sel.Name] = true
				}
			}
			return true
		})
	}
	if len(names) == 0 {
		t.Fatal("internal/telemetry has no constants")
	}
	for _, name := range names {
		if !noted[name] {
			t.Errorf("nothing notes telemetry.%s", name)
		}
	}
}

func exportedConstants(file *ast.File) []string {
	var names []string
	for _, declaration := range file.Decls {
		group, ok := declaration.(*ast.GenDecl)
		if !ok || group.Tok != token.CONST {
			continue
		}
		for _, spec := range group.Specs {
			for _, name := range spec.(*ast.ValueSpec).Names {
				if name.IsExported() {
					names = append(names, name.Name)
				}
			}
		}
	}
	return names
}
