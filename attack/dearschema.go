package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// schema is the server's description of its interfaces.
type schema struct {
	// types are the types of GraphQL by name.
	types map[string]*schemaType
	// routes are the operations in the OpenAPI document, as "method path". tools are the
	// names of the agents' tools.
	routes, tools []string
}

type schemaType struct {
	Name   string
	Fields []schemaField
}

type schemaField struct {
	Name string
	Args []struct{ Name string }
	Type typeRef
}

type typeRef struct {
	Kind, Name string
	OfType     *typeRef
}

// named returns the type inside lists.
func (t *typeRef) named() *typeRef {
	for t.OfType != nil {
		t = t.OfType
	}
	return t
}

const introspect = `{__schema{types{name kind fields(includeDeprecated:true){name args{name} type{kind name ofType{kind name ofType{kind name ofType{kind name}}}}}}}}`

// learn reads the schema from the server. It returns nil if that fails.
func (d *dear) learn() *schema {
	s := &schema{types: map[string]*schemaType{}}
	r := d.client.post(d, graphQL, query(introspect))
	var types struct {
		Data struct {
			Schema struct{ Types []*schemaType } `json:"__schema"`
		}
	}
	if err := json.Unmarshal(r.body, &types); err != nil || !r.ok() {
		d.problem("the schema of GraphQL cannot be read: %v", r)
		return nil
	}
	for _, t := range types.Data.Schema.Types {
		if !strings.HasPrefix(t.Name, "__") {
			s.types[t.Name] = t
		}
	}
	var routes struct {
		Paths map[string]map[string]json.RawMessage
	}
	if r = d.client.get(d, "/openapi.json"); json.Unmarshal(r.body, &routes) != nil || len(routes.Paths) == 0 {
		d.problem("the OpenAPI document cannot be read: %v", r)
		return nil
	}
	for path, methods := range routes.Paths {
		for method := range methods {
			s.routes = append(s.routes, method+" "+path)
		}
	}
	r = d.agent("tools/list", "{}")
	tools, _ := r.at("result", "tools").([]any)
	for _, tool := range tools {
		tool, _ := tool.(map[string]any)
		name, _ := tool["name"].(string)
		s.tools = append(s.tools, name)
	}
	if len(s.tools) == 0 {
		d.problem("the tools for agents cannot be read: %v", r)
		return nil
	}
	return s
}

// agent sends a request of the agents' protocol.
func (d *dear) agent(method, params string) answer {
	return d.client.post(d, "/mcp", agentBody(method, params), agentHeaders...)
}

var agentHeaders = []string{"Accept", "application/json, text/event-stream"}

func agentBody(method, params string) []byte {
	return []byte(fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":%s}`, method, params))
}

// complete records a problem for each field, route and tool without a row, and for each row
// whose field, route or tool does not exist.
func (d *dear) complete(s *schema) {
	compare := func(of string, exist []string, rows ...[]string) {
		known := slices.Concat(rows...)
		for _, name := range exist {
			if !slices.Contains(known, name) {
				d.problem("%s %s has no row in the attack dearest", of, name)
			}
		}
		for _, name := range known {
			if !slices.Contains(exist, name) {
				d.problem("the attack dearest has a row of the %s %s, which does not exist", of, name)
			}
		}
	}
	names := func(of string) (list []string) {
		for _, f := range s.types[of].Fields {
			list = append(list, f.Name)
		}
		return list
	}
	keys := func(m map[string]string) []string { return slices.Collect(maps.Keys(m)) }
	compare("query", names("Query"), keys(queryRows))
	compare("mutation", names("Mutation"), keys(mutationRows), singleMutations)
	compare("route", s.routes, keys(routeRows), cheapRoutes, writingRoutes)
	compare("tool", s.tools, keys(toolRows))
	var nested []string
	for _, t := range s.types {
		for _, f := range t.Fields {
			if t.Name != "Query" && t.Name != "Mutation" && len(f.Args) > 0 && !slices.Contains(nested, f.Name) {
				nested = append(nested, f.Name)
			}
		}
	}
	compare("field", nested, keys(fieldRows))
}

// selection returns a selection of the fields of a type, depth levels deep, without fields
// that need arguments. It is empty for scalars.
func (s *schema) selection(t *typeRef, depth int) string {
	of := t.named()
	switch {
	case of.Kind == "SCALAR" || of.Kind == "ENUM":
		return ""
	case of.Kind == "UNION" || depth <= 0:
		return "{__typename}"
	}
	fields := []string{"__typename"}
	for _, f := range s.types[of.Name].Fields {
		if len(f.Args) == 0 && len(fields) < 25 {
			fields = append(fields, f.Name+s.selection(&f.Type, depth-1))
		}
	}
	return "{" + strings.Join(fields, " ") + "}"
}

// field returns a field of a type, nil if there is none.
func (s *schema) field(of, name string) *schemaField {
	for i, f := range s.types[of].Fields {
		if f.Name == name {
			return &s.types[of].Fields[i]
		}
	}
	return nil
}
