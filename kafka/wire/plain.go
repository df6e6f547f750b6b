package wire

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/twmb/avro"

	"github.com/headwater-io/headwater/internal/limits"
)

// plainDecoder decodes a value by its schema to maps, lists and scalars. Members that are null
// are left out. The value of a union of null and one other type is decoded without the name of
// the type. The value of any other union is in an object with the name of its type.
type plainDecoder struct {
	rest  []byte
	named map[string]*avro.SchemaNode
	// values counts the decoded values. Without this count, a few bytes could have endless
	// values, because some values take no byte.
	values int
}

var (
	errShort = errors.New("it ends too early")
	errSize  = errors.New("a length is impossible")
)

// maxDepth bounds the recursion in a schema that names itself.
const maxDepth = 64

// named lists the named types within a schema.
func (s *Schema) named() map[string]*avro.SchemaNode {
	named := map[string]*avro.SchemaNode{}
	var walk func(n *avro.SchemaNode)
	walk = func(n *avro.SchemaNode) {
		if n == nil {
			return
		}
		if n.Name != "" {
			named[fullName(n)] = n
		}
		for i := range n.Fields {
			walk(&n.Fields[i].Type)
		}
		for i := range n.Branches {
			walk(&n.Branches[i])
		}
		walk(n.Items)
		walk(n.Values)
	}
	walk(s.parsed.Root())
	return named
}

func fullName(n *avro.SchemaNode) string {
	if n.Namespace == "" || strings.Contains(n.Name, ".") {
		return n.Name
	}
	return n.Namespace + "." + n.Name
}

func (d *plainDecoder) value(n *avro.SchemaNode, depth int) (any, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("it is nested more than %d levels deep", maxDepth)
	}
	if d.values++; d.values > limits.MaxAspectItems {
		return nil, fmt.Errorf("it has more than %d values", limits.MaxAspectItems)
	}
	switch n.Type {
	case "null":
		return nil, nil
	case "boolean":
		b, err := d.take(1)
		return err == nil && b[0] != 0, err
	case "int", "long":
		return d.long()
	case "float":
		b, err := d.take(4)
		if err != nil {
			return nil, err
		}
		return finite(float64(math.Float32frombits(binary.LittleEndian.Uint32(b))))
	case "double":
		b, err := d.take(8)
		if err != nil {
			return nil, err
		}
		return finite(math.Float64frombits(binary.LittleEndian.Uint64(b)))
	case "string", "bytes":
		b, err := d.sized()
		return string(b), err
	case "fixed":
		b, err := d.take(n.Size)
		return string(b), err
	case "enum":
		return d.symbol(n)
	case "record":
		return d.record(n, depth)
	case "array":
		list := []any{}
		err := d.blocks(func() error {
			item, err := d.value(n.Items, depth+1)
			list = append(list, item)
			return err
		})
		return list, err
	case "map":
		return d.mapping(n, depth)
	case "union":
		return d.union(n, depth)
	}
	named, ok := d.named[n.Type]
	if !ok || named == n {
		return nil, fmt.Errorf("its schema has an unknown type %q", n.Type)
	}
	return d.value(named, depth)
}

func finite(f float64) (any, error) {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return nil, errors.New("a number is not finite")
	}
	return f, nil
}

func (d *plainDecoder) symbol(n *avro.SchemaNode) (any, error) {
	i, err := d.long()
	if err != nil {
		return nil, err
	}
	if i < 0 || i >= int64(len(n.Symbols)) {
		return nil, fmt.Errorf("%s has no symbol %d", n.Name, i)
	}
	return n.Symbols[i], nil
}

func (d *plainDecoder) record(n *avro.SchemaNode, depth int) (any, error) {
	record := make(map[string]any, len(n.Fields))
	for i := range n.Fields {
		f := &n.Fields[i]
		v, err := d.value(&f.Type, depth+1)
		if err != nil {
			return nil, err
		}
		if v != nil {
			record[f.Name] = v
		}
	}
	return record, nil
}

func (d *plainDecoder) mapping(n *avro.SchemaNode, depth int) (any, error) {
	entries := map[string]any{}
	err := d.blocks(func() error {
		key, err := d.sized()
		if err != nil {
			return err
		}
		entries[string(key)], err = d.value(n.Values, depth+1)
		return err
	})
	return entries, err
}

func (d *plainDecoder) union(n *avro.SchemaNode, depth int) (any, error) {
	i, err := d.long()
	if err != nil {
		return nil, err
	}
	if i < 0 || i >= int64(len(n.Branches)) {
		return nil, fmt.Errorf("a union has no branch %d", i)
	}
	branch := &n.Branches[i]
	v, err := d.value(branch, depth+1)
	if err != nil || v == nil || optional(n) {
		return v, err
	}
	if named, ok := d.named[branch.Type]; ok {
		branch = named
	}
	name := branch.Type
	if branch.Name != "" {
		name = fullName(branch)
	}
	return map[string]any{name: v}, nil
}

// optional reports whether a union has null and one other type.
func optional(n *avro.SchemaNode) bool {
	return len(n.Branches) == 2 && (n.Branches[0].Type == "null" || n.Branches[1].Type == "null")
}

// blocks reads the items of an array or a map.
func (d *plainDecoder) blocks(item func() error) error {
	for {
		count, err := d.long()
		if err != nil || count == 0 {
			return err
		}
		if count < 0 { // the size of the block in bytes follows
			if _, err := d.long(); err != nil {
				return err
			}
			count = -count
		}
		if count < 0 || count > int64(len(d.rest)) { // each item of these schemas takes a byte or more
			return errSize
		}
		for range count {
			if err := item(); err != nil {
				return err
			}
		}
	}
}

func (d *plainDecoder) long() (int64, error) {
	i, n := binary.Varint(d.rest)
	if n <= 0 {
		return 0, errShort
	}
	d.rest = d.rest[n:]
	return i, nil
}

func (d *plainDecoder) sized() ([]byte, error) {
	n, err := d.long()
	if err != nil {
		return nil, err
	}
	if n < 0 || n > int64(len(d.rest)) {
		return nil, errSize
	}
	return d.take(int(n))
}

func (d *plainDecoder) take(n int) ([]byte, error) {
	if n > len(d.rest) {
		return nil, errShort
	}
	b := d.rest[:n]
	d.rest = d.rest[n:]
	return b, nil
}
