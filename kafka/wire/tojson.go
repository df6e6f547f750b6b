package wire

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"

	"github.com/twmb/avro"
)

// Bounds of one value as JSON: a few bytes of Avro can stand for many empty records.
const (
	maxJSONBytes = 64 << 20
	maxDepth     = 100
)

var (
	errShort = errors.New("the value ends too early")
	errLarge = errors.New("the value is too large")
)

// tree is a schema with its named types, which it uses by name after the first time.
type tree struct {
	root  *avro.SchemaNode
	named map[string]*avro.SchemaNode
}

func treeOf(s *avro.Schema) *tree {
	t := &tree{root: s.Root(), named: map[string]*avro.SchemaNode{}}
	t.learn(t.root)
	return t
}

func (t *tree) learn(n *avro.SchemaNode) {
	if n == nil {
		return
	}
	if n.Name != "" {
		t.named[fullName(n)] = n
	}
	for i := range n.Fields {
		t.learn(&n.Fields[i].Type)
	}
	for i := range n.Branches {
		t.learn(&n.Branches[i])
	}
	t.learn(n.Items)
	t.learn(n.Values)
}

// converter reads Avro and writes JSON in the form of the client's files: an optional
// value as itself or null, a member of another union in an object named after its type.
type converter struct {
	in   []byte
	out  []byte
	tree *tree
}

// toJSON converts one value and returns what follows it.
func toJSON(t *tree, body []byte) (text, rest []byte, err error) {
	c := &converter{in: body, tree: t}
	if err := c.value(t.root, 0); err != nil {
		return nil, nil, err
	}
	return c.out, c.in, nil
}

func fullName(n *avro.SchemaNode) string {
	if n.Namespace == "" {
		return n.Name
	}
	return n.Namespace + "." + n.Name
}

func (c *converter) value(n *avro.SchemaNode, depth int) error {
	if depth > maxDepth || len(c.out) > maxJSONBytes {
		return errLarge
	}
	if named, ok := c.tree.named[n.Type]; ok {
		n = named
	}
	switch n.Type {
	case "record":
		return c.record(n, depth)
	case "union":
		return c.union(n, depth)
	case "array":
		return c.blocks('[', ']', func() error { return c.value(n.Items, depth+1) })
	case "map":
		return c.blocks('{', '}', func() error {
			if err := c.text(); err != nil {
				return err
			}
			c.out = append(c.out, ':')
			return c.value(n.Values, depth+1)
		})
	}
	return c.scalar(n)
}

func (c *converter) scalar(n *avro.SchemaNode) error {
	switch n.Type {
	case "null":
		c.out = append(c.out, "null"...)
		return nil
	case "boolean":
		b, err := c.take(1)
		if err == nil {
			c.out = strconv.AppendBool(c.out, b[0] != 0)
		}
		return err
	case "int", "long":
		i, err := c.long()
		c.out = strconv.AppendInt(c.out, i, 10)
		return err
	case "float":
		b, err := c.take(4)
		if err != nil {
			return err
		}
		return c.number(float64(math.Float32frombits(binary.LittleEndian.Uint32(b))))
	case "double":
		b, err := c.take(8)
		if err != nil {
			return err
		}
		return c.number(math.Float64frombits(binary.LittleEndian.Uint64(b)))
	case "string":
		return c.text()
	case "bytes":
		b, err := c.counted()
		if err == nil {
			err = c.latin(b)
		}
		return err
	case "fixed":
		b, err := c.take(n.Size)
		if err == nil {
			err = c.latin(b)
		}
		return err
	case "enum":
		i, err := c.long()
		if err == nil && (i < 0 || i >= int64(len(n.Symbols))) {
			err = fmt.Errorf("%s has no symbol %d", n.Name, i)
		}
		if err == nil {
			err = c.add(n.Symbols[i])
		}
		return err
	}
	return fmt.Errorf("the schema has the unknown type %q", n.Type)
}

func (c *converter) record(n *avro.SchemaNode, depth int) error {
	c.out = append(c.out, '{')
	for i := range n.Fields {
		if i > 0 {
			c.out = append(c.out, ',')
		}
		if err := c.add(n.Fields[i].Name); err != nil {
			return err
		}
		c.out = append(c.out, ':')
		if err := c.value(&n.Fields[i].Type, depth+1); err != nil {
			return fmt.Errorf("%s: %w", n.Fields[i].Name, err)
		}
	}
	c.out = append(c.out, '}')
	return nil
}

// union writes null and the only other member as they are, any other in an object.
func (c *converter) union(n *avro.SchemaNode, depth int) error {
	at, err := c.long()
	if err != nil {
		return err
	}
	if at < 0 || at >= int64(len(n.Branches)) {
		return fmt.Errorf("a union has no member %d", at)
	}
	chosen := &n.Branches[at]
	if optional(n) || chosen.Type == "null" {
		return c.value(chosen, depth+1)
	}
	name := chosen.Type
	if chosen.Name != "" {
		name = fullName(chosen)
	}
	c.out = append(c.out, '{')
	if err := c.add(name); err != nil {
		return err
	}
	c.out = append(c.out, ':')
	err = c.value(chosen, depth+1)
	c.out = append(c.out, '}')
	return err
}

// optional reports whether a union is null or one type.
func optional(n *avro.SchemaNode) bool {
	return len(n.Branches) == 2 && (n.Branches[0].Type == "null" || n.Branches[1].Type == "null")
}

// blocks reads the items of an array or map.
func (c *converter) blocks(open, end byte, item func() error) error {
	c.out = append(c.out, open)
	for first := true; ; {
		count, err := c.long()
		if err != nil {
			return err
		}
		if count < 0 { // the size of the block in bytes follows
			if count == math.MinInt64 {
				return errLarge
			}
			count = -count
			if _, err := c.long(); err != nil {
				return err
			}
		}
		if count == 0 {
			break
		}
		for ; count > 0; count-- {
			if !first {
				c.out = append(c.out, ',')
			}
			first = false
			if err := item(); err != nil {
				return err
			}
		}
	}
	c.out = append(c.out, end)
	return nil
}

func (c *converter) take(size int) ([]byte, error) {
	if size > len(c.in) {
		return nil, errShort
	}
	b := c.in[:size]
	c.in = c.in[size:]
	return b, nil
}

func (c *converter) long() (int64, error) {
	i, n := binary.Varint(c.in)
	if n <= 0 {
		return 0, errShort
	}
	c.in = c.in[n:]
	return i, nil
}

func (c *converter) counted() ([]byte, error) {
	size, err := c.long()
	if err != nil {
		return nil, err
	}
	if size < 0 || size > int64(len(c.in)) {
		return nil, errShort
	}
	return c.take(int(size))
}

func (c *converter) text() error {
	b, err := c.counted()
	if err != nil {
		return err
	}
	return c.add(string(b))
}

// latin writes bytes as Avro's JSON does, one character for each.
func (c *converter) latin(b []byte) error {
	characters := make([]rune, len(b))
	for i := range b {
		characters[i] = rune(b[i])
	}
	return c.add(string(characters))
}

func (c *converter) number(f float64) error {
	text, err := json.Marshal(f)
	c.out = append(c.out, text...)
	return err
}

func (c *converter) add(text string) error {
	quoted, err := json.Marshal(text)
	c.out = append(c.out, quoted...)
	return err
}
