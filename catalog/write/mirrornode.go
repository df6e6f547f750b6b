package write

import (
	"bytes"
	"context"
	"encoding/json"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/jsontree"
)

// existingNodes reads the nodes of those entities that exist.
func (w *Writer) existingNodes(ctx context.Context, urns []string) (map[string]*graphstore.Entity, error) {
	found, err := w.store.Entities(ctx, urns)
	nodes := map[string]*graphstore.Entity{}
	for i := range found {
		if found[i].Exists {
			nodes[found[i].URN] = &found[i]
		}
	}
	return nodes, err
}

// mirrorNode gives the node the properties that it has at the source. The aspects alone do not
// decide them: if several aspects give one property, the last that was written wins.
func (r *mirroring) mirrorNode() error {
	written := r.nodes[r.URN] != nil
	deleted := r.Whole && len(r.State.Versions) == 0
	if len(r.Properties) == 0 || deleted || r.had == nil && !written {
		return nil
	}
	want, err := nodeProperties(r.Properties)
	if err != nil {
		return err
	}
	if r.had != nil && !written {
		same, err := sameProperties(r.had.Properties, want)
		if err != nil || same {
			return err
		}
	}
	if err := r.setKey(); err != nil {
		return err
	}
	n := r.node(r.key)
	for name := range n.Properties {
		n.Properties[name] = nil
	}
	if r.had != nil {
		for name := range r.had.Properties {
			n.Properties[name] = nil
		}
	}
	for name, value := range want {
		n.Properties[name] = value
	}
	return nil
}

// nodeProperties decodes properties in the form in which the model gives them: whole numbers are
// int64, other numbers float64.
func nodeProperties(text json.RawMessage) (map[string]any, error) {
	value, err := jsontree.Decode(text)
	if err != nil {
		return nil, catalog.Errorf(catalog.Invalid, "the properties of a node: %w", err)
	}
	properties, _ := value.(map[string]any)
	for name, property := range properties {
		number, is := property.(json.Number)
		if !is {
			continue
		}
		if whole, err := number.Int64(); err == nil {
			properties[name] = whole
		} else if properties[name], err = number.Float64(); err != nil {
			return nil, catalog.Errorf(catalog.Invalid, "the properties of a node: %w", err)
		}
	}
	return properties, nil
}

func sameProperties(a, b map[string]any) (bool, error) {
	x, err := json.Marshal(a)
	if err != nil {
		return false, err
	}
	y, err := json.Marshal(b)
	return bytes.Equal(x, y), err
}
