package parser

import (
	"encoding/json"
	"fmt"

	"github.com/headwater-io/headwater/internal/limits"
)

// Node is an expression of a tree: its kind, such as "select" or "column", and its members.
type Node struct {
	Kind    string
	Members map[string]any
}

// NodeOf returns the expression that a value of a tree is: an object with one member, named by
// the kind, whose value is an object. Other values are not expressions.
func NodeOf(value any) (Node, bool) {
	object, ok := value.(map[string]any)
	if !ok || len(object) != 1 {
		return Node{}, false
	}
	for kind, members := range object {
		m, ok := members.(map[string]any)
		switch {
		case ok && kind == "annotated": // an expression with a comment
			return NodeOf(m["this"])
		case ok && (kind == "this" || kind == "expression"): // the only member of a clause, such as WHERE
			return NodeOf(members)
		case ok:
			return Node{kind, m}, true
		}
	}
	return Node{}, false
}

// SyntaxError says where and why a text could not be parsed. Line and Column count from 1.
type SyntaxError struct {
	Line, Column int
	Message      string
	cause        error
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.Message)
}

func (e *SyntaxError) Unwrap() error { return e.cause }

// answer is the answer of the module. AST is JSON in a string.
type answer struct {
	Success     bool   `json:"success"`
	AST         string `json:"ast"`
	Error       string `json:"error"`
	ErrorLine   *int   `json:"errorLine"`
	ErrorColumn *int   `json:"errorColumn"`
}

func treesOf(out []byte) ([]Node, error) {
	if len(out) > limits.MaxSQLTreeBytes {
		return nil, &SyntaxError{Line: 1, Column: 1, Message: fmt.Sprintf("the tree of the text has more than %d bytes", limits.MaxSQLTreeBytes)}
	}
	var a answer
	if err := json.Unmarshal(out, &a); err != nil {
		return nil, fmt.Errorf("reading the answer of the SQL parser: %w", err)
	}
	if !a.Success {
		return nil, &SyntaxError{Line: max(1, valueOr(a.ErrorLine)), Column: max(1, valueOr(a.ErrorColumn)), Message: messageOf(a.Error)}
	}
	var statements []any
	if err := json.Unmarshal([]byte(a.AST), &statements); err != nil {
		return nil, fmt.Errorf("reading the tree of the SQL parser: %w", err)
	}
	trees := make([]Node, 0, len(statements))
	for _, s := range statements {
		node, ok := NodeOf(s)
		if !ok {
			return nil, fmt.Errorf("the SQL parser gave a statement that is not an expression")
		}
		trees = append(trees, node)
	}
	return trees, nil
}

func valueOr(n *int) int {
	if n == nil {
		return 0
	}
	return *n
}
