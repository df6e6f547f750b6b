package jsontree

import (
	"maps"
	"slices"
	"strconv"
)

// every is the step of a path for each item of an array or object. keys is the last step of
// a path to the keys of an object.
const (
	every = "*"
	keys  = "$key"
)

// At returns the value below a node, following one member for each step. It returns nil if
// there is none.
func At(node any, steps ...string) any {
	for _, step := range steps {
		object, _ := node.(Object)
		node = object[step]
	}
	return node
}

// Walk calls visit with every value at a path. The step * stands for each item of an array
// or value of an object, and chosen has the item or member taken at each *. At a scalar, *
// stands for the scalar itself. The last step $key stands for the keys of an object, in
// order. The slice chosen is only valid during the call.
func Walk(node any, path []string, visit func(leaf any, chosen []string)) {
	walk(node, path, nil, visit)
}

func walk(node any, path, chosen []string, visit func(leaf any, chosen []string)) {
	if node == nil {
		return
	}
	if len(path) == 0 {
		visit(node, chosen)
		return
	}
	step, rest := path[0], path[1:]
	switch node := node.(type) {
	case Object:
		if step == keys && len(rest) == 0 {
			for _, key := range slices.Sorted(maps.Keys(node)) {
				visit(key, chosen)
			}
			return
		}
		if step != every {
			walk(node[step], rest, chosen, visit)
			return
		}
		for key, item := range node {
			walk(item, rest, append(chosen, key), visit)
		}
	case []any:
		if step != every {
			return
		}
		for i, item := range node {
			walk(item, rest, append(chosen, strconv.Itoa(i)), visit)
		}
	default:
		if step == every && len(rest) == 0 {
			visit(node, chosen)
		}
	}
}

// Fill returns a path with the chosen steps in place of the stars.
func Fill(path, chosen []string) []string {
	filled := make([]string, 0, len(path))
	for _, step := range path {
		if step == every && len(chosen) > 0 {
			step, chosen = chosen[0], chosen[1:]
		}
		filled = append(filled, step)
	}
	return filled
}

// Follow returns the value at a path, with the chosen steps in place of the stars. It
// returns nil if there is none.
func Follow(node any, path, chosen []string) any {
	for _, step := range Fill(path, chosen) {
		switch inner := node.(type) {
		case Object:
			node = inner[step]
		case []any:
			i, err := strconv.Atoi(step)
			if err != nil || i < 0 || i >= len(inner) {
				return nil
			}
			node = inner[i]
		default:
			return nil
		}
	}
	return node
}

// Contains reports whether is returns true for a value at a path. Here a * stands only for
// the items of an array.
func Contains(node any, path []string, is func(any) bool) bool {
	if len(path) == 0 {
		return is(node)
	}
	if path[0] == every {
		array, _ := node.([]any)
		return slices.ContainsFunc(array, func(item any) bool { return Contains(item, path[1:], is) })
	}
	object, ok := node.(Object)
	return ok && Contains(object[path[0]], path[1:], is)
}

// Remove removes from an object the values at a path for which is returns true; see
// [Contains]. It removes the innermost array item that contains such a value or, if no
// array is on the path, the member itself.
func Remove(object Object, path []string, is func(any) bool) { remove(object, path, is) }

// remove does the work of [Remove] below a node. It reports whether the caller must remove the node itself.
func remove(node any, path []string, is func(any) bool) bool {
	if len(path) == 0 {
		return is(node)
	}
	object, ok := node.(Object)
	if !ok {
		return false
	}
	if len(path) > 1 && path[1] == every {
		if array, ok := object[path[0]].([]any); ok {
			remaining := slices.DeleteFunc(slices.Clone(array), func(item any) bool { return remove(item, path[2:], is) })
			if len(remaining) < len(array) {
				object[path[0]] = remaining
			}
		}
		return false
	}
	if !remove(object[path[0]], path[1:], is) {
		return false
	}
	delete(object, path[0])
	return true
}
