package model

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/headwater-io/headwater/internal/limits"
)

// change is what an operation does at the end of its path.
type change struct {
	op    string
	value any
	// path is the whole path, for messages.
	path string
}

func (c *change) refused(format string, args ...any) *PatchError {
	return &PatchError{Reason: fmt.Sprintf("the patch does not apply: %s of %.200q: %s", c.op, c.path, fmt.Sprintf(format, args...))}
}

// patchWork bounds how many items of arrays a patch moves, and how many levels it
// makes of their keys.
type patchWork struct{ bytes int }

// itemBytes is the size of an item of an array in memory, levelBytes that of a level.
const (
	itemBytes  = 16
	levelBytes = 256
)

func (w *patchWork) move(items int) error {
	return w.spend(items*itemBytes, "send fewer operations on items by their number")
}

func (w *patchWork) levels(n int) error { return w.spend(n*levelBytes, "give the items fewer keys") }

func (w *patchWork) spend(bytes int, instead string) error {
	if w.bytes += bytes; w.bytes > limits.MaxPatchWork {
		return &PatchError{TooLarge: true, Reason: fmt.Sprintf("the patch needs more than %d bytes for items of lists: %s", limits.MaxPatchWork, instead)}
	}
	return nil
}

// apply makes a change below a node and returns the node that takes its place.
// Parents that are missing are made, as objects; nothing is made for the removal of
// what is absent.
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

// made returns what is made for a missing parent of the rest of a path.
func made(s *shape) any {
	if s.keyed() {
		return newBranch(len(s.keys), s.item)
	}
	return map[string]any{}
}

func (w *patchWork) inObject(c change, object map[string]any, s *shape, path []string) error {
	name, place := path[0], s.member(path[0])
	old, there := object[name]
	if len(path) > 1 {
		if !there || old == nil {
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
	case c.op == opReplace && !there:
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
	old, there := b.get(key)
	if len(path) > 1 {
		if !there || old == nil {
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
		case there:
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
	case c.op == opReplace && !there:
		return c.refused("there is nothing to replace")
	}
	b.set(key, b.put(c.value))
	return nil
}

// inArray makes a change in an array that has no keys. Items are addressed by their
// number; "-" is the place after the last one.
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
	if err := w.move(len(array) - n); err != nil {
		return nil, err
	}
	if c.op == opRemove {
		return slices.Delete(array, n, n+1), nil
	}
	return slices.Insert(array, n, c.value), nil
}
