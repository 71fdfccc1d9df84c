package archtest_test

import (
	"go/ast"
	"path"
	"regexp"
	"slices"
	"testing"
)

// TestNamesInCommentsExist checks what comments call package.Name or Type.member, as a name
// that is changed in the code is easily left in a comment.
func TestNamesInCommentsExist(t *testing.T) {
	p := newPlaces(files(t))
	qualified := regexp.MustCompile(`(?:^|[\s(*"])([A-Za-z]\w*)\.([A-Za-z]\w*)`)
	for _, s := range files(t) {
		for _, doc := range docs(s.file) {
			for _, name := range qualified.FindAllStringSubmatch(doc, -1) {
				if !p.has(s.dir, name[1], name[2]) {
					t.Errorf("%s: a comment names %s.%s, want a name that exists\n%s", s.name, name[1], name[2], doc)
				}
			}
		}
	}
}

// TestNamesInDocumentsExist checks every quoted package.Name.
func TestNamesInDocumentsExist(t *testing.T) {
	p := newPlaces(files(t))
	qualified := regexp.MustCompile("`(?:[a-z]+/)*([a-z]+)\\.([A-Z]\\w*)[`.(]")
	for _, document := range documents(t) {
		for _, name := range qualified.FindAllStringSubmatch(prose(read(t, document)), -1) {
			if !p.has("", name[1], name[2]) {
				t.Errorf("%s names %s.%s, want a name that exists", document, name[1], name[2])
			}
		}
	}
}

// places knows what is declared where.
type places struct {
	declared map[string]map[string]bool // by the last part of a package's folder: its names
	members  map[string]map[string]bool // by folder and type: its fields and methods
	embedded map[string][]string        // by folder and type: the types of the same folder that it embeds
	open     map[string]bool            // by folder and type: it has members that are not known here
}

func newPlaces(sources []source) places {
	p := places{map[string]map[string]bool{}, map[string]map[string]bool{}, map[string][]string{}, map[string]bool{}}
	for _, s := range sources {
		for _, declaration := range s.file.Decls {
			switch d := declaration.(type) {
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					p.addSpec(s, spec)
				}
			case *ast.FuncDecl:
				if d.Recv == nil {
					add(p.declared, path.Base(s.dir), d.Name.Name)
				} else {
					add(p.members, s.dir+"."+widths{}.base(d.Recv.List[0].Type), d.Name.Name)
				}
			}
		}
	}
	return p
}

// addSpec adds what a declaration of constants, variables or types declares.
func (p places) addSpec(s source, spec ast.Spec) {
	switch d := spec.(type) {
	case *ast.ValueSpec:
		for _, name := range d.Names {
			add(p.declared, path.Base(s.dir), name.Name)
		}
	case *ast.TypeSpec:
		add(p.declared, path.Base(s.dir), d.Name.Name)
		p.addMembers(s.dir, s.dir+"."+d.Name.Name, d.Type)
	}
}

// addMembers adds the fields of a struct or the methods of an interface in a folder.
func (p places) addMembers(dir, name string, of ast.Expr) {
	var fields []*ast.Field
	switch e := of.(type) {
	case *ast.StructType:
		fields = e.Fields.List
	case *ast.InterfaceType:
		fields = e.Methods.List
	default:
		p.open[name] = true
	}
	add(p.members, name, "")
	for _, field := range fields {
		for _, member := range field.Names {
			add(p.members, name, member.Name)
		}
		if len(field.Names) > 0 {
			continue
		}
		if inner, ok := pointee(field.Type).(*ast.Ident); ok {
			add(p.members, name, inner.Name)
			p.embedded[name] = append(p.embedded[name], dir+"."+inner.Name)
		} else {
			p.open[name] = true
		}
	}
}

// has reports whether the program has what a comment in a folder calls first.second. What
// is neither a type of that folder nor a package of the program is not checked.
func (p places) has(dir, first, second string) bool {
	if slices.Contains([]string{"go", "js"}, second) { // a file
		return true
	}
	if p.members[dir+"."+first] != nil {
		return p.isMember(dir+"."+first, second)
	}
	declared := p.declared[first]
	return declared == nil || !ast.IsExported(second) || declared[second]
}

// isMember reports whether a type has a field or method, or embeds a type that has it.
func (p places) isMember(of, name string) bool {
	return p.open[of] || p.members[of][name] || slices.ContainsFunc(p.embedded[of], func(inner string) bool { return p.isMember(inner, name) })
}

func add(to map[string]map[string]bool, key, name string) {
	if to[key] == nil {
		to[key] = map[string]bool{}
	}
	to[key][name] = true
}
