package model

import (
	"net/url"
	"slices"
	"strings"

	"github.com/headwater-io/headwater/internal/jsontree"
)

// While a patch is applied, an array with keys is a branch: a map that keeps the order in
// which keys were added. A branch has one level for each key of the items.

// keyStep separates the steps of the path to a key inside a member of the item.
const keyStep = "\u241f"

// keyedArray is an array whose items a patch addresses by their keys.
type keyedArray struct {
	// at is the path to the array, one member for each step.
	at []string
	// keys are the paths to the item's keys, one level for each. An empty path means that
	// the item itself is the key.
	keys [][]string
	// inner are keyed arrays inside each item.
	inner []keyedArray
}

func byKey(field string, keys ...string) keyedArray {
	a := keyedArray{at: []string{field}}
	for _, key := range keys {
		a.keys = append(a.keys, strings.Split(key, keyStep))
	}
	return a
}

func bySelf(field string) keyedArray { return keyedArray{at: []string{field}, keys: [][]string{nil}} }

// within returns an array that is inside a member.
func within(member string, a keyedArray) keyedArray {
	a.at = append([]string{member}, a.at...)
	return a
}

// withInner adds keyed arrays, each in a member, to the items of an array.
func withInner(a keyedArray, inner map[string]keyedArray) keyedArray {
	for member, array := range inner {
		a.inner = append(a.inner, within(member, array))
	}
	return a
}

// shape describes a place in a value: whether it is an array with keys, and which such
// arrays are below it.
type shape struct {
	members map[string]*shape
	keys    [][]string
	// item is the shape of the items.
	item *shape
}

func shapeOf(arrays []keyedArray) *shape {
	root := &shape{members: map[string]*shape{}}
	for _, a := range arrays {
		place := root
		for _, step := range a.at {
			if place.members[step] == nil {
				place.members[step] = &shape{members: map[string]*shape{}}
			}
			place = place.members[step]
		}
		place.keys, place.item = a.keys, shapeOf(a.inner)
	}
	return root
}

func (s *shape) member(name string) *shape {
	if s == nil {
		return nil
	}
	return s.members[name]
}

func (s *shape) keyed() bool { return s != nil && s.keys != nil }

// branch is one level of a keyed array.
type branch struct {
	// levels counts this level and the levels below it.
	levels  int
	item    *shape
	entries []entry
	places  map[string]int
}

// entry is the item or the lower level of a key. If several items of an array have the same key,
// more has the further items.
type entry struct {
	key     string
	value   any
	more    []any
	removed bool
}

func newBranch(levels int, item *shape) *branch {
	return &branch{levels: levels, item: item, places: map[string]int{}}
}

func (b *branch) get(key string) (any, bool) {
	i, ok := b.places[key]
	if !ok {
		return nil, false
	}
	return b.entries[i].value, true
}

// known returns the stored key that a removal addresses. Clients of release 0.10.5
// percent-encode some keys in paths.
func (b *branch) known(key string) string {
	if _, exists := b.places[key]; exists {
		return key
	}
	if decoded, err := url.PathUnescape(key); err == nil {
		return decoded
	}
	return key
}

func (b *branch) set(key string, value any) {
	if i, ok := b.places[key]; ok {
		b.entries[i].value, b.entries[i].more = value, nil
		return
	}
	b.places[key] = len(b.entries)
	b.entries = append(b.entries, entry{key: key, value: value})
}

// update replaces the value of a key that the branch has.
func (b *branch) update(key string, value any) { b.entries[b.places[key]].value = value }

func (b *branch) remove(key string) {
	if i, ok := b.places[key]; ok {
		b.entries[i] = entry{removed: true}
		delete(b.places, key)
	}
}

// add adds an item of an array. The branch may already have an item with the same keys.
func (b *branch) add(keys []string, item any) {
	if len(keys) > 1 {
		below, ok := b.get(keys[0])
		if !ok {
			below = newBranch(b.levels-1, b.item)
			b.set(keys[0], below)
		}
		below.(*branch).add(keys[1:], item) //nolint:forcetypeassert // every level but the last one has branches
		return
	}
	if i, ok := b.places[keys[0]]; ok {
		b.entries[i].more = append(b.entries[i].more, item)
		return
	}
	b.set(keys[0], item)
}

// put converts a value that an operation puts into this level. If there is a level below,
// an object becomes a branch of that level, with its keys in alphabetical order.
func (b *branch) put(value any) any {
	object, ok := value.(map[string]any)
	if b.levels == 1 || !ok {
		return value
	}
	return branchOf(object, b.levels-1, b.item)
}

func branchOf(object map[string]any, levels int, item *shape) *branch {
	b := newBranch(levels, item)
	for _, key := range sortedKeys(object) {
		b.set(key, b.put(object[key]))
	}
	return b
}

func sortedKeys(object map[string]any) []string {
	keys := make([]string, 0, len(object))
	for key := range object {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

// toMaps converts the keyed arrays in an object to branches.
func (s *shape) toMaps(object map[string]any, w *patchWork) error {
	for name, place := range s.members {
		var err error
		switch node := object[name].(type) {
		case map[string]any:
			err = place.toMaps(node, w)
		case []any:
			if place.keyed() {
				object[name], err = place.toBranch(node, w)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (s *shape) toBranch(items []any, w *patchWork) (*branch, error) {
	if err := w.levels(len(items) * (len(s.keys) - 1)); err != nil {
		return nil, err
	}
	b := newBranch(len(s.keys), s.item)
	keys := make([]string, len(s.keys))
	for _, item := range items {
		if object, ok := item.(map[string]any); ok {
			if err := s.item.toMaps(object, w); err != nil {
				return nil, err
			}
		}
		for i, path := range s.keys {
			keys[i] = keyText(item, path)
		}
		b.add(keys, item)
	}
	return b, nil
}

// keyText returns the key of an item, "" if the item has none.
func keyText(item any, path []string) string {
	key := jsontree.At(item, path...)
	if len(path) == 0 {
		key = item
	}
	switch key := key.(type) {
	case nil, []any:
		return ""
	case map[string]any: // a union
		if len(key) == 1 {
			for _, member := range key {
				return keyText(member, nil)
			}
		}
		return ""
	default:
		return jsontree.ScalarText(key)
	}
}

// toArrays converts the branches in an object back to arrays. It does not change arrays and
// other values that the patch put there; validation checks them.
func (s *shape) toArrays(object map[string]any) {
	for name, place := range s.members {
		node, ok := object[name]
		if !ok {
			continue
		}
		if inner, ok := node.(map[string]any); ok {
			if !place.keyed() {
				place.toArrays(inner)
				continue
			}
			node = branchOf(inner, len(place.keys), place.item) // the patch has replaced the object that contains the array
		}
		if b, ok := node.(*branch); ok && place.keyed() {
			object[name] = b.collect(place, nil, []any{})
		}
	}
}

// collect appends the items below a branch. path has the keys of the branch's place.
func (b *branch) collect(s *shape, path []string, items []any) []any {
	for i := range b.entries {
		e := &b.entries[i]
		if e.removed {
			continue
		}
		here := append(path[:len(path):len(path)], e.key)
		for _, value := range append([]any{e.value}, e.more...) {
			switch value := value.(type) {
			case map[string]any:
				items = append(items, s.named(value, here))
			case *branch:
				items = value.collect(s, here, items)
			case []any:
				if b.levels == 1 {
					value = []any{value}
				}
				items = append(items, value...)
			default:
				items = append(items, value)
			}
		}
	}
	return items
}

// named completes an item: it adds missing keys from the item's place, and converts the
// item's own keyed arrays back. An empty object stands for a text that is its own key.
func (s *shape) named(object map[string]any, place []string) any {
	for level, key := range place {
		path := s.keys[level]
		if len(path) == 0 && len(object) == 0 {
			return key
		}
		if len(path) != 1 || key == "" {
			continue
		}
		if _, exists := object[path[0]]; !exists {
			object[path[0]] = key
		}
	}
	s.item.toArrays(object)
	return object
}
