package archtest_test

import (
	"go/ast"
	"testing"
)

// awaited lists the functions that start a goroutine by a go statement, and who waits
// for it. Everything else starts goroutines in a sync.WaitGroup or an errgroup.Group.
func awaited() map[string]string {
	return map[string]string{
		"bot/reply.Begin":            "Finish, Withdraw, Leave and Discard",
		"lab/load.measure":           "measure itself",
		"internal/openaitest.Start":  "Server.Close",
		"internal/redistest.Restart": "Kill and Close",
	}
}

// TestGoroutinesHaveAnOwnerThatWaits demands of every go statement a name in the
// list above, and of every folder that starts goroutines in a group that it waits.
func TestGoroutinesHaveAnOwnerThatWaits(t *testing.T) {
	starts, waits := map[string]string{}, map[string]bool{} // by folder
	used := map[string]bool{}
	for _, s := range program(t) {
		for _, declaration := range s.file.Decls {
			f, ok := declaration.(*ast.FuncDecl)
			if !ok || f.Body == nil {
				continue
			}
			name := s.dir + "." + f.Name.Name
			ast.Inspect(f.Body, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.GoStmt:
					used[name] = true
					if awaited()[name] == "" {
						t.Errorf("%s: %s starts a goroutine with go; use a sync.WaitGroup that its owner waits for", s.name, f.Name.Name)
					}
				case *ast.SelectorExpr:
					switch n.Sel.Name {
					case "Go":
						starts[s.dir] = s.name
					case "Wait":
						waits[s.dir] = true
					}
				}
				return true
			})
		}
	}
	for folder, file := range starts {
		if !waits[folder] {
			t.Errorf("%s starts goroutines in a group, but nothing in %s waits for one", file, folder)
		}
	}
	for name := range awaited() {
		if !used[name] {
			t.Errorf("%s starts no goroutine any more: take it out of awaited", name)
		}
	}
}
