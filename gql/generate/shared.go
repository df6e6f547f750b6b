package main

import (
	_ "embed"
	"fmt"
	"go/ast"
	"os"
	"path/filepath"
	"strings"
)

// sharedCode has the functions that the generated code calls after share.
//
//go:embed shared.go.txt
var sharedCode []byte

// share replaces generated code that is the same for every object, field and input, but for names
// and types, by calls of the functions of sharedCode:
//
//   - The fields of an object are resolved by one loop, which asks how a field is resolved.
//   - A field of Query or Mutation is resolved by one function for all types of results.
//   - The index of the inputs, which only directives ask for, is left out.
//   - A member of an input, an argument, and the context of a field with arguments are read by
//     one function each.
//
// Forms that share does not know stay unchanged. share fails if it finds fewer places of a
// known form than before, so that a change of gqlgen is noticed.
func share(dir string) error {
	sources, err := parse(dir)
	if err != nil {
		return err
	}
	found, planned := map[string]int{}, map[string]bool{}
	for _, s := range sources {
		methods := map[string]*ast.FuncDecl{}
		for _, decl := range s.file.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok && f.Recv != nil {
				methods[f.Name.Name] = f
			}
		}
		for name, f := range methods {
			if strings.HasPrefix(name, "_") && s.shareObject(f, methods, planned) {
				found["object"]++
			}
		}
		for name, f := range methods {
			if !planned[name] {
				found[s.shareIn(f)]++
			}
		}
		if err := s.write(); err != nil {
			return err
		}
	}
	found["planned"] = len(planned)
	for form, least := range map[string]int{"object": 400, "planned": 2000, "field": 200, "index": 1, "input": 150, "arguments": 250, "context": 250} {
		if found[form] < least {
			return fmt.Errorf("%s has changed its form: %d of the form %q in it", dir, found[form], form)
		}
	}
	return os.WriteFile(filepath.Join(dir, "shared.generated.go"), sharedCode, 0o644)
}

// shareIn replaces the code of one function, and returns the form of the code, "" for an
// unknown form.
func (s *source) shareIn(f *ast.FuncDecl) string {
	name := f.Name.Name
	switch {
	case name == "Exec" && s.dropIndex(f):
		return "index"
	case strings.HasPrefix(name, "fieldContext_") && s.shareContext(f):
		return "context"
	case strings.HasPrefix(name, "field_") && strings.HasSuffix(name, "_args") && s.shareArguments(f):
		return "arguments"
	case strings.HasPrefix(name, "unmarshalInput") && s.shareInput(f):
		return "input"
	case strings.HasPrefix(name, "_") && s.shareField(f):
		return "field"
	}
	return ""
}

// textOf returns the source of a node.
func (s *source) textOf(n ast.Node) string {
	return string(s.text[s.files.Position(n.Pos()).Offset:s.files.Position(n.End()).Offset])
}

// is reports whether the source of nodes is a text, without regard to blanks and ends of lines.
func (s *source) is(text string, nodes ...ast.Node) bool {
	var b strings.Builder
	for _, n := range nodes {
		b.WriteString(s.textOf(n) + " ")
	}
	return strings.Join(strings.Fields(b.String()), " ") == text
}

// method returns the name in a value ec.name as a function of ec. It returns "" if the
// expression is no such value.
func method(e ast.Expr) string {
	if m, ok := e.(*ast.SelectorExpr); ok && fmt.Sprint(m.X) == "ec" {
		return "(*executionContext)." + m.Sel.Name
	}
	return ""
}

// callOf returns the arguments of a call of a function, if a statement only makes this call and
// returns its result.
func callOf(statement ast.Stmt, function string) []ast.Expr {
	var e ast.Expr
	switch statement := statement.(type) {
	case *ast.ReturnStmt:
		if len(statement.Results) == 1 {
			e = statement.Results[0]
		}
	case *ast.AssignStmt:
		if len(statement.Rhs) == 1 {
			e = statement.Rhs[0]
		}
	}
	call, ok := e.(*ast.CallExpr)
	if !ok {
		return nil
	}
	if of, ok := call.Fun.(*ast.SelectorExpr); !ok || fmt.Sprint(of.X)+"."+of.Sel.Name != function {
		return nil
	}
	return call.Args
}

// fieldCode has the parts of the code of a field that differ from field to field.
type fieldCode struct{ contextOf, resolve, marshal, nonNull ast.Expr }

// codeOf reads the function of a field.
func (s *source) codeOf(f *ast.FuncDecl) (code fieldCode, ok bool) {
	if f == nil || len(f.Body.List) != 1 {
		return code, false
	}
	a := callOf(f.Body.List[0], "graphql.ResolveField")
	if len(a) != 9 || !s.is("ctx ec.OperationContext field", a[0], a[1], a[2]) || !s.is("nil", a[5]) || method(a[6]) == "" || !s.is("true", a[7]) {
		return code, false
	}
	return fieldCode{a[3], a[4], a[6], a[8]}, true
}

// shareField replaces the body of the function of a field.
func (s *source) shareField(f *ast.FuncDecl) bool {
	code, ok := s.codeOf(f)
	if ok {
		s.replace(f.Body, fmt.Sprintf("{\n\treturn resolveField(ctx, ec, field, %s, %s, %s, %s)\n}", s.textOf(code.contextOf), s.textOf(code.resolve), method(code.marshal), s.textOf(code.nonNull)))
	}
	return ok
}

// dropIndex removes the index of the inputs from the function that runs an operation, and reports
// whether it was there.
func (s *source) dropIndex(f *ast.FuncDecl) bool {
	found := 0
	ast.Inspect(f.Body, func(n ast.Node) bool {
		made, ok := n.(*ast.AssignStmt)
		if ok && (s.is("inputUnmarshalers", made.Lhs[0]) || s.is("ctx = graphql.WithLazyInputUnmarshalerIndex(ctx, inputUnmarshalers)", made)) {
			s.replace(made, "")
			found++
			return false
		}
		return true
	})
	return found > 1
}

// shareContext replaces the body of the function that makes the context of a field with arguments.
func (s *source) shareContext(f *ast.FuncDecl) bool {
	if len(f.Body.List) != 5 {
		return false
	}
	made, ok := f.Body.List[0].(*ast.AssignStmt)
	read, isIf := f.Body.List[3].(*ast.IfStmt)
	if !ok || !isIf || !s.is("ctx = graphql.WithFieldContext(ctx, fc)", f.Body.List[2]) || !s.is("return fc, nil", f.Body.List[4]) ||
		!s.is("defer func() { if r := recover(); r != nil { err = ec.Recover(ctx, r) ec.Error(ctx, err) } }()", f.Body.List[1]) ||
		!s.is("{ ec.Error(ctx, err) return fc, err }", read.Body) {
		return false
	}
	assigned, ok := read.Init.(*ast.AssignStmt)
	if !ok || len(assigned.Rhs) != 1 {
		return false
	}
	call, ok := assigned.Rhs[0].(*ast.CallExpr)
	if !ok || method(call.Fun) == "" || len(call.Args) != 2 || !s.is("ctx field.ArgumentMap(ec.Variables)", call.Args[0], call.Args[1]) {
		return false
	}
	s.replace(f.Body, fmt.Sprintf("{\n\treturn withArguments(ctx, ec, %s, %s)\n}", s.textOf(made.Rhs[0]), method(call.Fun)))
	return true
}

// shareArguments replaces the statements that read the arguments of a field.
func (s *source) shareArguments(f *ast.FuncDecl) bool {
	list := f.Body.List
	if len(list) < 6 || len(list)%3 != 0 || !s.is("var err error args := map[string]any{}", list[0], list[1]) || !s.is("return args, nil", list[len(list)-1]) {
		return false
	}
	var b strings.Builder
	b.WriteString("{\n\targs := map[string]any{}\n")
	for i := 2; i < len(list)-1; i += 3 {
		a := callOf(list[i], "graphql.ProcessArgField")
		put, ok := list[i+2].(*ast.AssignStmt)
		if len(a) != 4 || method(a[3]) == "" || !ok || !s.is("ctx rawArgs", a[0], a[1]) || !s.is("args["+s.textOf(a[2])+"]", put.Lhs[0]) || !s.is("if err != nil { return nil, err }", list[i+1]) {
			return false
		}
		fmt.Fprintf(&b, "\tif err := readArgument(ctx, ec, rawArgs, args, %s, %s); err != nil {\n\t\treturn nil, err\n\t}\n", s.textOf(a[2]), method(a[3]))
	}
	s.replace(f.Body, b.String()+"\treturn args, nil\n}")
	return true
}

// shareInput replaces the cases that read the members of an input.
func (s *source) shareInput(f *ast.FuncDecl) bool {
	var loop *ast.RangeStmt
	for _, statement := range f.Body.List {
		if of, ok := statement.(*ast.RangeStmt); ok && s.is("fieldsInOrder", of.X) {
			loop = of
		}
	}
	if loop == nil || len(loop.Body.List) != 3 {
		return false
	}
	members, ok := loop.Body.List[2].(*ast.SwitchStmt)
	if !ok {
		return false
	}
	var b strings.Builder
	fmt.Fprintf(&b, "var err error\n\t\tswitch %s {\n", s.textOf(members.Tag))
	for _, statement := range members.Body.List {
		member, ok := statement.(*ast.CaseClause)
		if !ok || len(member.List) != 1 || len(member.Body) != 4 {
			return false
		}
		name := s.textOf(member.List[0])
		read, isRead := member.Body[1].(*ast.AssignStmt)
		put, isPut := member.Body[3].(*ast.AssignStmt)
		if !isRead || !isPut || !s.is("ctx := graphql.WithPathContext(ctx, graphql.NewPathWithField("+name+"))", member.Body[0]) ||
			!s.is("if err != nil { return it, err }", member.Body[2]) || len(put.Rhs) != 1 || !s.is("data", put.Rhs[0]) {
			return false
		}
		call, isCall := read.Rhs[0].(*ast.CallExpr)
		if !isCall || method(call.Fun) == "" || !s.is("ctx v", call.Args[0], call.Args[1]) {
			return false
		}
		fmt.Fprintf(&b, "\t\tcase %s:\n\t\t\terr = readMember(ctx, ec, k, v, %s, &%s)\n", name, method(call.Fun), s.textOf(put.Lhs[0]))
	}
	b.WriteString("\t\t}\n\t\tif err != nil {\n\t\t\treturn it, err\n\t\t}")
	s.replace(members, b.String())
	return true
}

// shareObject replaces the function of an object by a function that knows how the fields of the
// object are resolved. It removes the functions of these fields, which are added to planned.
func (s *source) shareObject(f *ast.FuncDecl, methods map[string]*ast.FuncDecl, planned map[string]bool) bool {
	if len(f.Type.Params.List) != 3 || len(f.Body.List) < 5 || !s.is("sel ast.SelectionSet", f.Type.Params.List[1]) {
		return false
	}
	collected := callOf(f.Body.List[0], "graphql.CollectFields")
	loop, ok := f.Body.List[3].(*ast.RangeStmt)
	if !ok || len(collected) != 3 || len(loop.Body.List) != 1 || !s.is("out := graphql.NewFieldSet(fields) deferred := graphql.NewDeferredGroup(ctx)", f.Body.List[1], f.Body.List[2]) {
		return false
	}
	fields, ok := loop.Body.List[0].(*ast.SwitchStmt)
	if !ok {
		return false
	}
	object := s.textOf(f.Type.Params.List[2].Type)
	var cases strings.Builder
	var replaced []*ast.FuncDecl
	typeName := ""
	for _, statement := range fields.Body.List {
		one, ok := statement.(*ast.CaseClause)
		if !ok {
			return false
		}
		if one.List == nil { // default
			continue
		}
		name := s.textOf(one.List[0])
		if name == `"__typename"` {
			typed := callOf(one.Body[0], "graphql.MarshalString")
			if len(one.Body) != 1 || len(typed) != 1 {
				return false
			}
			typeName = s.textOf(typed[0])
			continue
		}
		field := methods["_"+strings.Trim(typeName, `"`)+"_"+strings.Trim(name, `"`)]
		code, ok := s.codeOf(field)
		if !ok || len(one.Body) != 2 || !s.is("out.Values[i] = ec."+field.Name.Name+"(ctx, field, obj)", one.Body[0]) {
			return false
		}
		invalid := map[string]string{"true": "Null", "false": "RequiredNull"}[s.textOf(code.nonNull)]
		resolve, ok := code.resolve.(*ast.FuncLit)
		if !ok || !s.is("if out.Values[i] == graphql."+invalid+" { out.Invalids++ }", one.Body[1]) || !s.is("func(ctx context.Context) (any, error)", resolve.Type) {
			return false
		}
		fmt.Fprintf(&cases, "\tcase %s:\n\t\treturn plan[%s]{%s, func(ctx context.Context, obj %s) (any, error) %s, marshalAs(%s), %s}\n",
			name, object, s.textOf(code.contextOf), object, s.textOf(resolve.Body), method(code.marshal), s.textOf(code.nonNull))
		replaced = append(replaced, field)
	}
	if typeName == "" {
		return false
	}
	for _, field := range replaced {
		planned[field.Name.Name] = true
		s.replace(field, "")
	}
	finder := "fieldOf" + f.Name.Name
	s.replace(f.Body, fmt.Sprintf("{\n\treturn resolveObject(ctx, ec, sel, obj, %s, %s, %s)\n}\n\nfunc %s(ec *executionContext, name string) plan[%s] {\n\tswitch name {\n%s\t}\n\treturn plan[%s]{}\n}",
		typeName, s.textOf(collected[2]), finder, finder, object, cases.String(), object))
	return true
}
