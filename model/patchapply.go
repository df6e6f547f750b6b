package model

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/headwater-io/headwater/internal/limits"
)

// change is the effect of an operation at the end of its path.
type change struct {
	op    string
	value any
	// path is the whole path, for messages.
	path string
}

func (c *change) refused(format string, args ...any) *PatchError {
	return &PatchError{Reason: fmt.Sprintf("the patch does not apply: %s of %.200q: %s", c.op, c.path, fmt.Sprintf(format, args...))}
}

// patchWork bounds the work of a patch: the items of arrays that it moves, and the levels
// that it makes for their keys.
type patchWork struct{ bytes int }

// itemBytes is the memory of one item of an array, levelBytes the memory of one level of
// keys.
const (
	itemBytes  = 16
	levelBytes = 256
)

func (w *patchWork) moveItems(items int) error {
	return w.spend(items*itemBytes, "send fewer operations on items by their number")
}

func (w *patchWork) levels(n int) error { return w.spend(n*levelBytes, "give the items fewer keys") }

func (w *patchWork) spend(bytes int, instead string) error {
	if w.bytes += bytes; w.bytes > limits.MaxPatchWork {
		return &PatchError{TooLarge: true, Reason: fmt.Sprintf("the patch needs more than %d bytes for items of lists: %s", limits.MaxPatchWork, instead)}
	}
	return nil
}

// apply makes a change below a node, and returns the node that replaces it. It makes
// missing parents as objects, except for a removal, which does nothing if a parent is
// missing.
func (w *patchWork) apply(c change, node any, s *shape, path []string) (any, error) {
	if len(path) == 0 {
		if c.op == opRemove {
			return nil, c.refused("the value itself cannot be removed")
		}
		return c.value, nil
	}
	switch node := node.(type) {
	case map[string]any:
		return node, w.inObject(c, node, s, path)
	case *branch:
		return node, w.inBranch(c, node, path)
	case []any:
		return w.inArray(c, node, path)
	}
	if c.op == opRemove {
		return node, nil
	}
	return nil, c.refused("%.100q is below something that has no members", path[0])
}

// made returns a new parent for the rest of a path.
func made(s *shape) any {
	if s.keyed() {
		return newBranch(len(s.keys), s.item)
	}
	return map[string]any{}
}

func (w *patchWork) inObject(c change, object map[string]any, s *shape, path []string) error {
	name, place := path[0], s.member(path[0])
	old, exists := object[name]
	if len(path) > 1 {
		if !exists || old == nil {
			if c.op == opRemove {
				return nil
			}
			old = made(place)
		}
		next, err := w.apply(c, old, place, path[1:])
		if err == nil {
			object[name] = next
		}
		return err
	}
	switch {
	case c.op == opRemove:
		delete(object, name)
		return nil
	case c.op == opReplace && !exists:
		return c.refused("there is nothing to replace")
	}
	object[name] = c.value
	if inner, ok := c.value.(map[string]any); ok && place.keyed() {
		object[name] = branchOf(inner, len(place.keys), place.item)
	}
	return nil
}

func (w *patchWork) inBranch(c change, b *branch, path []string) error {
	key := path[0]
	if c.op == opRemove {
		key = b.known(key)
	}
	old, exists := b.get(key)
	if len(path) > 1 {
		if !exists || old == nil {
			switch {
			case c.op == opRemove:
				return nil
			case b.levels > 1:
				old = newBranch(b.levels-1, b.item)
			default:
				old = map[string]any{}
			}
		}
		next, err := w.apply(c, old, b.item, path[1:])
		switch {
		case err != nil:
			return err
		case exists:
			b.update(key, next)
		default:
			b.set(key, next)
		}
		return nil
	}
	switch {
	case c.op == opRemove:
		b.remove(key)
		return nil
	case c.op == opReplace && !exists:
		return c.refused("there is nothing to replace")
	}
	b.set(key, b.put(c.value))
	return nil
}

// inArray makes a change in an array without keys. Paths address its items by their
// numbers; "-" is the place after the last item.
func (w *patchWork) inArray(c change, array []any, path []string) (any, error) {
	n, err := strconv.Atoi(path[0])
	number := err == nil && n >= 0 && strconv.Itoa(n) == path[0]
	last := len(path) == 1
	switch {
	case path[0] == "-" && last && c.op == opAdd:
		return append(array, c.value), nil
	case c.op == opRemove && (!number || n >= len(array)):
		return array, nil
	case !number:
		return nil, c.refused("%.100q is not the number of an item", path[0])
	case n > len(array) || n == len(array) && (!last || c.op == opReplace):
		return nil, c.refused("the list has %d items", len(array))
	case !last:
		next, err := w.apply(c, array[n], nil, path[1:])
		array[n] = next
		return array, err
	case c.op == opReplace:
		array[n] = c.value
		return array, nil
	}
	if err := w.moveItems(len(array) - n); err != nil {
		return nil, err
	}
	if c.op == opRemove {
		return slices.Delete(array, n, n+1), nil
	}
	return slices.Insert(array, n, c.value), nil
}
