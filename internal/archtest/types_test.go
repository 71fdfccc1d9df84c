package archtest_test

import (
	"go/ast"
	"testing"
)

// TestTypesStayNarrow counts the methods of each type, and its collaborators: fields that
// are functions, interfaces, or pointers to other types of the module. A type with many of
// either does several jobs, and its tests have to build all of them. What is embedded counts
// by itself.
func TestTypesStayNarrow(t *testing.T) {
	const mostCollaborators, mostMethods = 12, 25
	collaborators, methods := map[string]int{}, map[string]int{}
	for _, s := range program(t) {
		ast.Inspect(s.file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.TypeSpec:
				if structure, ok := n.Type.(*ast.StructType); ok {
					collaborators[s.dir+"."+n.Name.Name] = collaboratorsOf(structure)
				}
			case *ast.FuncDecl:
				if n.Recv != nil {
					methods[s.dir+"."+nameOf(n.Recv.List[0].Type)]++
				}
			}
			return true
		})
	}
	for name, n := range collaborators {
		if n > mostCollaborators || methods[name] > mostMethods {
			t.Errorf("%s has %d collaborators and %d methods, more than %d or %d: part it by what it does", name, n, methods[name], mostCollaborators, mostMethods)
		}
	}
}

func collaboratorsOf(structure *ast.StructType) (count int) {
	for _, field := range structure.Fields.List {
		switch field.Type.(type) {
		case *ast.FuncType, *ast.InterfaceType, *ast.StarExpr:
			count += max(1, len(field.Names))
		}
	}
	return count
}

// nameOf returns the name of the type that e names or points to.
func nameOf(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return nameOf(e.X)
	case *ast.IndexExpr:
		return nameOf(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}
