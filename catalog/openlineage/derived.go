package openlineage

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"maps"
	"slices"
	"sync"

	"github.com/headwater-io/headwater/catalog/openlineage/naming"
	"github.com/headwater-io/headwater/internal/recent"
	"github.com/headwater-io/headwater/model"
)

// derived keeps values that were derived from facets, by all that they depend on: jobs state the same schema and
// column lineage with each run. The values are never changed.
type derived struct {
	mu     sync.Mutex
	values *recent.Map[[sha256.Size]byte, sized]
}

type sized struct {
	value any
	size  int
}

// derivedBytes bounds the derived values that are kept, in each of two generations, and longestDerived the text of one.
const (
	derivedBytes   = 4 << 20
	longestDerived = 256 << 10
)

func newDerived() *derived {
	return &derived{values: recent.NewWeighed[[sha256.Size]byte](derivedBytes, func(s sized) int { return s.size })}
}

// derive returns the value that a function makes from texts, which are all that the value depends on.
func derive[T any](d *derived, kind string, from [][]byte, fresh func() (T, error)) (T, error) {
	hash, size := sha256.New(), 0
	for _, text := range append([][]byte{[]byte(kind)}, from...) {
		var length [8]byte
		binary.LittleEndian.PutUint64(length[:], uint64(len(text)))
		_, _ = hash.Write(length[:])
		_, _ = hash.Write(text)
		size += len(text)
	}
	key := [sha256.Size]byte(hash.Sum(nil))
	if value, ok := d.get(key); ok {
		if known, ok := value.(T); ok {
			return known, nil
		}
	}
	value, err := fresh()
	if err == nil && size <= longestDerived {
		d.put(key, sized{value, 4*size + stateSize})
	}
	return value, err
}

func (d *derived) get(key [sha256.Size]byte) (any, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	found, ok := d.values.Get(key)
	return found.value, ok
}

func (d *derived) put(key [sha256.Size]byte, value sized) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.values.Put(key, value)
}

// columnsFacet reads a facet columnLineage. The caller must not change it.
func (s *Service) columnsFacet(text json.RawMessage) *columnLineage {
	facet, _ := derive(s.derived, "columnLineage", [][]byte{text}, func() (*columnLineage, error) {
		value := read[columnLineage](text)
		for _, column := range slices.Sorted(maps.Keys(value.Fields)) {
			value.note(value.Fields[column].Inputs)
		}
		value.note(value.Dataset)
		return &value, nil
	})
	return facet
}

// note adds the datasets of input fields to the datasets that the facet names.
func (c *columnLineage) note(inputs []inputField) {
	for _, f := range inputs {
		d := naming.Dataset{Namespace: f.Namespace, Name: f.Name}
		if d.Name == "" || f.Field == "" {
			continue
		}
		if c.known == nil {
			c.known = map[naming.Dataset]bool{}
		}
		if !c.known[d] {
			c.known[d] = true
			c.named = append(c.named, d)
		}
	}
}

// urnOf returns the URN of a dataset, the zero URN if it has no entity of its own.
func (w *work) urnOf(d naming.Dataset) (model.URN, error) {
	if urn, ok := w.datasetURNs[d]; ok {
		return urn, nil
	}
	known, err := w.resolve(d)
	if err != nil {
		return model.URN{}, err
	}
	urn, err := w.urnNamed(known)
	if err == nil {
		w.datasetURNs[d] = urn
	}
	return urn, err
}
