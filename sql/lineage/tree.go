package lineage

import (
	"strings"

	"github.com/headwater-io/headwater/sql/parser"
)

// list returns a member of a tree that is a list; nil if it is not.
func list(v any) []any {
	l, _ := v.([]any)
	return l
}

func object(v any) map[string]any {
	m, _ := v.(map[string]any)
	return m
}

func text(v any) string {
	s, _ := v.(string)
	return s
}

func isTrue(v any) bool {
	b, _ := v.(bool)
	return b
}

// identifier returns a name, which a tree has as an object or as text.
func identifier(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case map[string]any:
		if inner, ok := v["identifier"]; ok {
			return identifier(inner)
		}
		return text(v["name"])
	}
	return ""
}

func identifiers(v any) []string {
	var names []string
	for _, one := range list(v) {
		if name := identifier(one); name != "" {
			names = append(names, name)
		}
	}
	return names
}

// lineOf returns the line of an expression that has a place; 0 for others.
func lineOf(v any) int {
	m := object(v)
	if line, ok := object(m["span"])["line"].(float64); ok {
		return int(line)
	}
	if name := object(m["name"]); name != nil {
		return lineOf(name)
	}
	return 0
}

// tableParts returns the parts of a table's name. A name may have its dots inside quotes, as
// BigQuery writes it.
func tableParts(ref map[string]any) []string {
	var parts []string
	for _, key := range []string{"catalog", "schema", "name"} {
		if name := identifier(ref[key]); name != "" {
			parts = append(parts, name)
		}
	}
	if len(parts) == 1 && strings.Count(parts[0], ".") > 0 && strings.Count(parts[0], ".") < 3 {
		return strings.Split(parts[0], ".")
	}
	return parts
}

// queries are the kinds of expressions that are queries.
var queries = map[string]bool{
	"select": true, "union": true, "intersect": true, "except": true, "subquery": true, "values": true,
}

// queryOf returns the query that an expression is, without its parentheses.
func queryOf(v any) (parser.Node, bool) {
	node, ok := parser.NodeOf(v)
	for ok && node.Kind == "paren" {
		node, ok = parser.NodeOf(node.Members["this"])
	}
	return node, ok && queries[node.Kind]
}

// foldNames gives the names of a tree another letter case.
func foldNames(v any, fold func(name string, quoted bool) string) {
	switch v := v.(type) {
	case []any:
		for _, one := range v {
			foldNames(one, fold)
		}
	case map[string]any:
		name, isName := v["name"].(string)
		if quoted, isIdentifier := v["quoted"].(bool); isName && isIdentifier {
			v["name"] = fold(name, quoted)
		}
		for _, one := range v {
			foldNames(one, fold)
		}
	}
}
