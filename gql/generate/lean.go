package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// source is a generated file with the edits of it.
type source struct {
	path  string
	text  []byte
	file  *ast.File
	files *token.FileSet
	edits []edit
}

// edit replaces the bytes between two positions of a file by a text.
type edit struct {
	from, to int
	text     string
}

// lean removes parts of the generated code in dir, so that less code is compiled and shipped:
//
//   - A context of a field does not find the contexts of the fields below it. Only
//     directives that look ahead ask for these contexts, and the schema has no such directive.
//   - One function makes the contexts of the fields of one object, unless a field
//     has arguments.
//   - A function literal that only passes its parameters on to a function is replaced
//     by this function.
func lean(dir string) error {
	sources, err := parse(dir)
	if err != nil {
		return err
	}
	shared, byField := map[string]string{}, map[string]string{}
	for _, s := range sources {
		for _, decl := range s.file.Decls {
			f, ok := decl.(*ast.FuncDecl)
			if !ok || f.Recv == nil {
				continue
			}
			switch {
			case strings.HasPrefix(f.Name.Name, "childFields_"):
				s.replace(f, "")
			case !strings.HasPrefix(f.Name.Name, "fieldContext_"):
			case f.Type.Params.List[0].Names[0].Name == "_": // no arguments to read
				c, err := contextOf(f)
				if err != nil {
					return fmt.Errorf("%s has changed its form: %w", s.path, err)
				}
				shared[c.function()] = c.literal()
				byField[f.Name.Name] = c.function()
				s.replace(f, "")
			default:
				s.dropChildren(f)
			}
		}
	}
	if len(shared) == 0 {
		return fmt.Errorf("%s has changed its form: no contexts of fields in it", dir)
	}
	for _, s := range sources {
		s.passOn(byField)
		if err := s.write(); err != nil {
			return err
		}
	}
	return os.WriteFile(filepath.Join(dir, "contexts.generated.go"), contexts(shared), 0o644)
}

func parse(dir string) ([]*source, error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, err
	}
	var sources []*source
	for _, p := range paths {
		text, err := os.ReadFile(p)
		if err != nil {
			return nil, err
		}
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, p, text, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		sources = append(sources, &source{path: p, text: text, file: file, files: files})
	}
	return sources, nil
}

func (s *source) replace(n ast.Node, text string) {
	s.edits = append(s.edits, edit{s.files.Position(n.Pos()).Offset, s.files.Position(n.End()).Offset, text})
}

// fieldContext has the values that the contexts of the fields of an object share.
type fieldContext struct {
	object           string
	method, resolver bool
}

// contextOf reads a generated function that makes the context of a field.
func contextOf(f *ast.FuncDecl) (fieldContext, error) {
	var c fieldContext
	var err error
	found := false
	ast.Inspect(f.Body, func(n ast.Node) bool {
		if found {
			return false
		}
		members := map[string]ast.Expr{}
		switch n := n.(type) {
		case *ast.CallExpr: // graphql.NewScalarFieldContext(object, field, isMethod, isResolver, type)
			if len(n.Args) == 5 {
				members = map[string]ast.Expr{"Object": n.Args[0], "IsMethod": n.Args[2], "IsResolver": n.Args[3]}
			}
		case *ast.CompositeLit: // graphql.FieldContext{…}
			for _, e := range n.Elts {
				if kv, ok := e.(*ast.KeyValueExpr); ok {
					members[fmt.Sprint(kv.Key)] = kv.Value
				}
			}
		}
		object, ok := members["Object"].(*ast.BasicLit)
		if !ok {
			return true
		}
		found = true
		c.method, c.resolver = fmt.Sprint(members["IsMethod"]) == "true", fmt.Sprint(members["IsResolver"]) == "true"
		c.object, err = strconv.Unquote(object.Value)
		return false
	})
	if !found || err != nil {
		return c, fmt.Errorf("%s names no object", f.Name.Name)
	}
	return c, nil
}

// function is the name of the function that makes the contexts with these values.
func (c fieldContext) function() string {
	name := "contextOf" + c.object
	if c.method {
		name += "Method"
	}
	if c.resolver {
		name += "Resolver"
	}
	return name
}

// literal is the text in Go of the members of a context with these values.
func (c fieldContext) literal() string {
	text := fmt.Sprintf("Object: %q, Field: field", c.object)
	if c.method {
		text += ", IsMethod: true"
	}
	if c.resolver {
		text += ", IsResolver: true"
	}
	return text
}

// dropChildren removes the function that finds the contexts below a field.
func (s *source) dropChildren(f *ast.FuncDecl) {
	ast.Inspect(f.Body, func(n ast.Node) bool {
		if kv, ok := n.(*ast.KeyValueExpr); ok && fmt.Sprint(kv.Key) == "Child" {
			from, to := s.files.Position(kv.Pos()).Offset, s.files.Position(kv.End()).Offset
			to += bytes.IndexByte(s.text[to:], '\n') // the comma after the function too
			s.edits = append(s.edits, edit{from, to, ""})
			return false
		}
		return true
	})
}

// passOn replaces the function literals that only pass their parameters on. byField has
// the functions that make the contexts of fields.
func (s *source) passOn(byField map[string]string) {
	ast.Inspect(s.file, func(n ast.Node) bool {
		literal, ok := n.(*ast.FuncLit)
		if !ok || len(literal.Body.List) != 1 {
			return true
		}
		returned, ok := literal.Body.List[0].(*ast.ReturnStmt)
		if !ok || len(returned.Results) != 1 {
			return true
		}
		call, ok := returned.Results[0].(*ast.CallExpr)
		if !ok {
			return true
		}
		method, ok := call.Fun.(*ast.SelectorExpr)
		if !ok || fmt.Sprint(method.X) != "ec" || !slices.Equal(names(literal.Type.Params), arguments(call)) {
			return true
		}
		function := "ec." + method.Sel.Name
		if c, ok := byField[method.Sel.Name]; ok {
			function = c
		}
		s.replace(literal, function)
		return false
	})
}

func names(parameters *ast.FieldList) []string {
	var list []string
	for _, p := range parameters.List {
		for _, name := range p.Names {
			list = append(list, name.Name)
		}
	}
	return list
}

// arguments returns the names that a call passes. For an argument that is not a name, it
// returns "".
func arguments(call *ast.CallExpr) []string {
	var list []string
	for _, a := range call.Args {
		name, _ := a.(*ast.Ident)
		if name == nil {
			name = &ast.Ident{}
		}
		list = append(list, name.Name)
	}
	return list
}

// write makes the edits, and removes the imports that the file no longer needs.
func (s *source) write() error {
	text := s.edited()
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, s.path, text, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	used := map[string]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		if member, ok := n.(*ast.SelectorExpr); ok {
			used[fmt.Sprint(member.X)] = true
		}
		return true
	})
	whole := source{text: text, files: files}
	for _, i := range file.Imports {
		name := strings.Trim(path.Base(i.Path.Value), `"`)
		if i.Name != nil {
			name = i.Name.Name
		}
		if !used[name] {
			whole.replace(i, "")
		}
	}
	if text, err = format.Source(whole.edited()); err != nil {
		return fmt.Errorf("%s: %w", s.path, err)
	}
	return os.WriteFile(s.path, text, 0o644)
}

// edited returns the text with the edits.
func (s *source) edited() []byte {
	slices.SortFunc(s.edits, func(a, b edit) int { return a.from - b.from })
	var b bytes.Buffer
	end := 0
	for _, e := range s.edits {
		if e.from < end {
			continue // the edit is within a part that is already removed
		}
		b.Write(s.text[end:e.from])
		b.WriteString(e.text)
		end = e.to
	}
	b.Write(s.text[end:])
	return b.Bytes()
}

// contexts returns the text of the file with the shared functions. shared has, by the name of a
// function, the members of the context that the function makes.
func contexts(shared map[string]string) []byte {
	var b bytes.Buffer
	b.WriteString(`// Code generated by gql/generate, DO NOT EDIT.

package generated

import (
	"context"

	"github.com/99designs/gqlgen/graphql"
)
`)
	for _, name := range slices.Sorted(maps.Keys(shared)) {
		fmt.Fprintf(&b, `
func %s(_ context.Context, field graphql.CollectedField) (*graphql.FieldContext, error) {
	return &graphql.FieldContext{%s}, nil
}
`, name, shared[name])
	}
	return b.Bytes()
}
