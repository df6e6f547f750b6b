package lineage

import "github.com/headwater-io/headwater/sql/parser"

// regrouped returns the set operation that a SELECT belongs to. In "SELECT … WHERE x > (SELECT …) UNION
// SELECT …" the parser takes the whole union for the right side of the comparison; in truth the SELECT
// with its comparison is the first part of the union.
func regrouped(node parser.Node) (parser.Node, bool) {
	for _, key := range []string{"qualify", "having", "where_clause"} {
		last := object(node.Members[key])
		if last == nil {
			continue
		}
		operation, first, ok := setOperationAtEnd(last, "this")
		if !ok {
			return parser.Node{}, false
		}
		first.Members["left"] = map[string]any{node.Kind: node.Members}
		operation.Members["with"] = node.Members["with"]
		delete(node.Members, "with")
		return operation, true
	}
	return parser.Node{}, false
}

// setOperationAtEnd finds a set operation at the end of an expression, and the operation in it whose left
// side is the first query. If this query is in parentheses, only the query stays in the place of the
// operation.
func setOperationAtEnd(parent map[string]any, member string) (operation, first parser.Node, ok bool) {
	for {
		operation, ok = parser.NodeOf(parent[member])
		if !ok {
			return operation, first, false
		}
		if isSetOperation(operation) {
			break
		}
		parent, member = operation.Members, "right"
	}
	first = operation
	for {
		left, ok := parser.NodeOf(first.Members["left"])
		switch {
		case ok && left.Kind == "subquery":
			parent[member] = first.Members["left"]
			return operation, first, true
		case !ok || !isSetOperation(left):
			return operation, first, false
		}
		first = left
	}
}

func isSetOperation(node parser.Node) bool {
	return node.Kind == "union" || node.Kind == "intersect" || node.Kind == "except"
}
