package archtest_test

import (
	"go/ast"
	"maps"
	"slices"
	"strings"
	"testing"
)

// handedDown lists the fields by which a package below bot, or one that it uses, is given a
// function, with the reason. Anything else is a value that a step returns, or a call of the
// package below.
func handedDown() map[string]string {
	return map[string]string{
		"commands.Command.Public":   "a row of the package's own table of commands",
		"commands.Command.Answer":   "a row of the package's own table of commands",
		"commands.Command.Form":     "a row of the package's own table of commands",
		"gateway.Config.Proxy":      "the type that net/http has for it",
		"reply/split.Growing.Hosts": "the hosts that a conversation named are looked for only if a link needs them",
	}
}

// TestNothingIsHandedDownAsAFunction looks for exported fields of functions in exported types
// of bot's packages: through such a field the package below calls up.
func TestNothingIsHandedDownAsAFunction(t *testing.T) {
	named := namedFunctions(t)
	allowed := handedDown()
	for _, s := range program(t) {
		if !below(s.dir, "bot") {
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			spec, ok := n.(*ast.TypeSpec)
			if !ok {
				return true
			}
			structure, ok := spec.Type.(*ast.StructType)
			if !ok || !spec.Name.IsExported() {
				return true
			}
			for _, field := range exportedFunctions(structure, s.dir, named) {
				key := strings.TrimPrefix(s.dir, "bot/") + "." + spec.Name.Name + "." + field
				if allowed[key] == "" {
					t.Errorf("%s: %s is a function that others hand down; return a value instead, or list it with a reason", s.name, key)
				}
				delete(allowed, key)
			}
			return true
		})
	}
	for _, key := range slices.Sorted(maps.Keys(allowed)) {
		t.Errorf("handedDown lists %s, which is none any more", key)
	}
}

// exportedFunctions returns the names of a structure's exported fields that are functions.
func exportedFunctions(structure *ast.StructType, folder string, named map[string]bool) (names []string) {
	for _, field := range structure.Fields.List {
		for _, name := range field.Names {
			if name.IsExported() && isFunction(field.Type, folder, named) {
				names = append(names, name.Name)
			}
		}
	}
	return names
}

// namedFunctions returns the types that are functions, by folder and name.
func namedFunctions(t *testing.T) map[string]bool {
	t.Helper()
	found := map[string]bool{}
	for _, s := range program(t) {
		ast.Inspect(s.file, func(n ast.Node) bool {
			if spec, ok := n.(*ast.TypeSpec); ok {
				if _, is := spec.Type.(*ast.FuncType); is {
					found[s.dir+"."+spec.Name.Name] = true
				}
			}
			return true
		})
	}
	return found
}

// isFunction reports whether a field's type is a function, or is named and is one.
func isFunction(e ast.Expr, folder string, named map[string]bool) bool {
	switch e := e.(type) {
	case *ast.FuncType:
		return true
	case *ast.Ident:
		return named[folder+"."+e.Name]
	}
	return false
}

// singles lists the interfaces of one implementation, with the reason for each.
func singles() map[string]string {
	return map[string]string{
		"fetch.Names":        "bot/guilds implements it and imports fetch",
		"graph.Affinity":     "graph/affinity implements it and imports graph",
		"llm.Meter":          "bot/limits implements it and imports llm",
		"bot/questions.REST": "tests read with Discord's failures and with a clock that is behind",
	}
}

// TestInterfacesHaveTwoImplementations counts, by the names of methods, the types of the
// program that implement each of its interfaces. With one, "go to definition" would end at a
// field for nothing.
func TestInterfacesHaveTwoImplementations(t *testing.T) {
	methods, interfaces := methodsAndInterfaces(t)
	allowed := singles()
	for name, wanted := range interfaces {
		count := 0
		for _, has := range methods {
			if !slices.ContainsFunc(wanted, func(method string) bool { return !has[method] }) {
				count++
			}
		}
		if count == 1 && allowed[name] == "" {
			t.Errorf("%s has one implementation; use its type, or list the interface with a reason", name)
		}
		if count == 1 {
			delete(allowed, name)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(allowed)) {
		t.Errorf("singles lists %s, which has several implementations, or is no interface any more", key)
	}
}

// methodsAndInterfaces returns the methods of each type of the program, and those that each of its
// interfaces asks for. It leaves out constraints, which ask for none.
func methodsAndInterfaces(t *testing.T) (methods map[string]map[string]bool, interfaces map[string][]string) {
	t.Helper()
	methods, interfaces = map[string]map[string]bool{}, map[string][]string{}
	for _, s := range program(t) {
		ast.Inspect(s.file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				if n.Recv != nil {
					receiver := s.dir + "." + nameOf(n.Recv.List[0].Type)
					if methods[receiver] == nil {
						methods[receiver] = map[string]bool{}
					}
					methods[receiver][n.Name.Name] = true
				}
			case *ast.TypeSpec:
				if of, is := n.Type.(*ast.InterfaceType); is && len(namesOf(of)) > 0 {
					interfaces[s.dir+"."+n.Name.Name] = namesOf(of)
				}
			}
			return true
		})
	}
	return methods, interfaces
}

// namesOf returns the methods of an interface.
func namesOf(of *ast.InterfaceType) (names []string) {
	for _, field := range of.Methods.List {
		for _, name := range field.Names {
			names = append(names, name.Name)
		}
	}
	return names
}

// TestSmallPackagesOfBotHaveSeveralUsers finds packages that belong to the only one that uses
// them.
func TestSmallPackagesOfBotHaveSeveralUsers(t *testing.T) {
	const least = 300 // lines
	lines, users := map[string]int{}, map[string]map[string]bool{}
	for _, s := range program(t) {
		if below(s.dir, "bot") {
			lines[s.dir] += s.lines
		}
		for _, imported := range s.imports {
			if folder, ours := inModule(imported); ours && folder != s.dir {
				if users[folder] == nil {
					users[folder] = map[string]bool{}
				}
				users[folder][s.dir] = true
			}
		}
	}
	for folder, n := range lines {
		if n < least && len(users[folder]) == 1 {
			t.Errorf("%s has %d lines and one user, %v; make it a file there", folder, n, slices.Collect(maps.Keys(users[folder])))
		}
	}
}

// TestTheStoryIsToldInOneFile keeps the way of a mention in one file, and what it replaced from
// coming back.
func TestTheStoryIsToldInOneFile(t *testing.T) {
	const story, mostLines = "bot/answer/answer.go", 350
	gone := []string{"bot/dispatch", "bot/alternatives", "bot/work", "bot/sources"}
	protocols := []string{"Target", "Record", "Observer", "Teller"}
	told := false
	for _, s := range program(t) {
		if below(s.dir, gone...) {
			t.Errorf("%s is back; questions, answer and reply tell the story", s.dir)
		}
		if s.name == story {
			if told = true; s.lines > mostLines {
				t.Errorf("%s has %d lines, want at most %d", story, s.lines, mostLines)
			}
		}
		if !below(s.dir, "bot") {
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			if spec, ok := n.(*ast.TypeSpec); ok && slices.Contains(protocols, spec.Name.Name) {
				t.Errorf("%s: the type %s is back; a step returns a value", s.name, spec.Name.Name)
			}
			return true
		})
	}
	if !told {
		t.Errorf("there is no %s, want the story in it", story)
	}
}
