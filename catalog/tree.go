package catalog

import (
	"encoding/json"

	"github.com/headwater-io/headwater/internal/jsontree"
)

// Tree is the decoded value of an aspect.
type Tree = jsontree.Object

// TreeOf decodes a stored value.
func TreeOf(stored json.RawMessage) (Tree, error) {
	value, err := jsontree.DecodeObject(stored)
	if err != nil {
		return nil, Errorf(Internal, "a stored value: %w", err)
	}
	return value, nil
}

// Tree returns the stamp in the form that aspects have.
func (s AuditStamp) Tree() Tree { return Tree{"time": s.Time, "actor": s.Actor} }
