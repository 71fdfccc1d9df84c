package archtest_test

import (
	"go/ast"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// A type that holds more than mostCollaborators or can be asked for more than
// mostMethods does several jobs, and its tests have to build all of them.
const (
	mostCollaborators = 12
	mostMethods       = 25
)

// TestTypesStayNarrow counts what a type holds and what it can be asked for. A
// collaborator is a field that is an interface, a function, or a struct of this
// module with methods. Embedded types count as if their fields and methods were the
// type's own, and so do bags: structs without methods, or whose names end in Deps.
func TestTypesStayNarrow(t *testing.T) {
	w := newWidths(program(t))
	for name := range w.types {
		fields, methods := w.collaborators(name, nil), w.methodsOf(name, nil)
		if len(fields) <= mostCollaborators && len(methods) <= mostMethods {
			continue
		}
		t.Errorf("%s has %d collaborators and %d methods, more than %d or %d: split it by what it does\n%s",
			name, len(fields), len(methods), mostCollaborators, mostMethods, strings.Join(fields, ", "))
	}
}

// mostUnnamed is the number of values up to which a literal of a struct may leave out the
// names of its fields. In a longer one, two values of the same type are easily swapped.
const mostUnnamed = 4

func TestLongLiteralsNameTheirFields(t *testing.T) {
	w := newWidths(program(t))
	for _, s := range program(t) {
		ast.Inspect(s.file, func(n ast.Node) bool {
			literal, ok := n.(*ast.CompositeLit)
			if !ok || len(literal.Elts) <= mostUnnamed {
				return true
			}
			_, named := literal.Elts[0].(*ast.KeyValueExpr)
			if name := w.resolve(s, literal.Type); !named && name != "" && w.isStruct(name) {
				t.Errorf("%s: a literal of %s leaves out the names of %d fields, want them named if there are more than %d",
					s.name, name, len(literal.Elts), mostUnnamed)
			}
			return true
		})
	}
}

// widths holds every type of the module by "folder.Name".
type widths struct {
	types   map[string]declared
	methods map[string][]string
}

// declared is a type together with the file that its expressions are read in.
type declared struct {
	spec *ast.TypeSpec
	in   source
}

func newWidths(sources []source) widths {
	w := widths{types: map[string]declared{}, methods: map[string][]string{}}
	for _, s := range sources {
		for _, declaration := range s.file.Decls {
			switch d := declaration.(type) {
			case *ast.GenDecl:
				w.addTypes(s, d)
			case *ast.FuncDecl:
				w.addMethod(s, d)
			}
		}
	}
	return w
}

func (w widths) addTypes(s source, d *ast.GenDecl) {
	for _, spec := range d.Specs {
		if spec, ok := spec.(*ast.TypeSpec); ok {
			w.types[s.dir+"."+spec.Name.Name] = declared{spec, s}
		}
	}
}

func (w widths) addMethod(s source, d *ast.FuncDecl) {
	if d.Recv != nil {
		receiver := s.dir + "." + w.base(d.Recv.List[0].Type)
		w.methods[receiver] = append(w.methods[receiver], d.Name.Name)
	}
}

// base returns the name of a receiver's type, without pointer and type parameters.
func (w widths) base(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return w.base(e.X)
	case *ast.IndexExpr:
		return w.base(e.X)
	case *ast.IndexListExpr:
		return w.base(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}

// resolve returns the "folder.Name" of the type that e names or points to, or "" if
// the module does not declare it.
func (w widths) resolve(in source, e ast.Expr) string {
	if selector, ok := pointee(e).(*ast.SelectorExpr); ok {
		pkg, ok := selector.X.(*ast.Ident)
		if !ok {
			return ""
		}
		for _, spec := range in.file.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil || !below(imported, module) {
				continue
			}
			if local := path.Base(imported); local == pkg.Name || spec.Name != nil && spec.Name.Name == pkg.Name {
				return strings.TrimPrefix(imported, module+"/") + "." + selector.Sel.Name
			}
		}
		return ""
	}
	name := in.dir + "." + w.base(e)
	if _, ok := w.types[name]; !ok {
		return ""
	}
	return name
}

func pointee(e ast.Expr) ast.Expr {
	switch e := e.(type) {
	case *ast.StarExpr:
		return pointee(e.X)
	case *ast.IndexExpr:
		return pointee(e.X)
	case *ast.IndexListExpr:
		return pointee(e.X)
	}
	return e
}

// collaborators returns the fields of the named type that are collaborators, with
// those of what it embeds and of the bags it holds.
func (w widths) collaborators(name string, seen []string) []string {
	structure, ok := w.types[name].spec.Type.(*ast.StructType)
	if !ok || slices.Contains(seen, name) {
		return nil
	}
	seen = append(seen, name)
	var found []string
	for _, field := range structure.Fields.List {
		of := w.types[name].in
		held := w.resolve(of, field.Type)
		switch {
		case held != "" && (len(field.Names) == 0 || w.bag(held)) && w.isStruct(held):
			found = append(found, w.collaborators(held, seen)...)
		case w.collaborates(of, field.Type):
			found = append(found, fieldNames(field)...)
		}
	}
	return found
}

func fieldNames(field *ast.Field) []string {
	if len(field.Names) == 0 {
		return []string{"(embedded)"}
	}
	var names []string
	for _, name := range field.Names {
		names = append(names, name.Name)
	}
	return names
}

// collaborates reports whether a field of this type does something when asked.
func (w widths) collaborates(in source, e ast.Expr) bool {
	switch e := pointee(e).(type) {
	case *ast.FuncType, *ast.InterfaceType:
		return true
	case *ast.SelectorExpr:
		if pkg, ok := e.X.(*ast.Ident); ok && slices.Contains(foreignInterfaces(), pkg.Name+"."+e.Sel.Name) {
			return true
		}
	}
	name := w.resolve(in, e)
	if name == "" {
		return false
	}
	switch w.types[name].spec.Type.(type) {
	case *ast.FuncType, *ast.InterfaceType:
		return true
	case *ast.StructType:
		return len(w.methodsOf(name, nil)) > 0
	}
	return false
}

// foreignInterfaces are the interfaces of other modules that fields here have.
func foreignInterfaces() []string {
	return []string{"io.Reader", "io.Writer", "io.Closer", "io.ReadCloser", "http.Handler", "http.RoundTripper", "net.Conn", "net.Listener", "redis.UniversalClient"}
}

// bag reports whether a type only carries collaborators to whoever uses them.
func (w widths) bag(name string) bool {
	return len(w.methods[name]) == 0 || strings.HasSuffix(name, "Deps")
}

func (w widths) isStruct(name string) bool {
	_, ok := w.types[name].spec.Type.(*ast.StructType)
	return ok
}

// methodsOf returns the methods of the named type with those of what it embeds.
func (w widths) methodsOf(name string, seen []string) []string {
	if slices.Contains(seen, name) || w.types[name].spec == nil {
		return nil
	}
	seen = append(seen, name)
	found := slices.Clone(w.methods[name])
	var fields []*ast.Field
	switch e := w.types[name].spec.Type.(type) {
	case *ast.StructType:
		fields = e.Fields.List
	case *ast.InterfaceType:
		fields = e.Methods.List
	}
	for _, field := range fields {
		_, method := field.Type.(*ast.FuncType)
		switch {
		case len(field.Names) == 0:
			found = append(found, w.methodsOf(w.resolve(w.types[name].in, field.Type), seen)...)
		case method && isInterface(w.types[name].spec.Type):
			found = append(found, fieldNames(field)...)
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

func isInterface(e ast.Expr) bool {
	_, ok := e.(*ast.InterfaceType)
	return ok
}
