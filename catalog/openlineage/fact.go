package openlineage

import (
	"bytes"
	"cmp"
	"encoding/json"
	"strings"

	"github.com/headwater-io/headwater/internal/jsontree"
	"github.com/headwater-io/headwater/internal/limits"
)

// fact is a value that the latest event decides. Facts are merged in any order with the same result.
type fact struct {
	// At is the time of the event in nanoseconds since 1970, Rank its rank among events of the same time.
	At   int64 `json:"at"`
	Rank int   `json:"rank,omitempty"`
	// Run is the run that stated the value, "" if no run did.
	Run   string          `json:"run,omitempty"`
	Value json.RawMessage `json:"value"`
}

// later orders facts by their time. Of two facts of the same time and rank, the greater text counts, so that
// the order of arrival does not matter.
func (f fact) later(other fact) bool {
	if order := cmp.Or(cmp.Compare(f.At, other.At), cmp.Compare(f.Rank, other.Rank)); order != 0 {
		return order > 0
	}
	return !bytes.Equal(f.Value, other.Value) && bytes.Compare(stored(f.Value), stored(other.Value)) > 0
}

// replaces reports whether a fact counts more than another fact of the same facet. A schema without columns, as the event
// of a DROP has it, never counts more than one with columns or than a deletion, so that the order of arrival does not
// decide which columns a dataset had.
func (f fact) replaces(key string, old fact) bool {
	if key == "schema" && !bytes.Equal(f.Value, old.Value) {
		if bare, was := withoutColumns(f.Value), withoutColumns(old.Value); bare != was {
			return was
		}
	}
	return f.later(old)
}

// withoutColumns reports whether a facet schema states no columns, and does not delete the schema either.
func withoutColumns(value json.RawMessage) bool {
	facet := read[struct {
		Fields  []json.RawMessage `json:"fields"`
		Deleted bool              `json:"_deleted"`
	}](value)
	return len(facet.Fields) == 0 && !facet.Deleted
}

// stored returns a value as states store it: without spaces between its parts. The text of an event may have them.
func stored(value json.RawMessage) []byte {
	text, err := jsontree.Marshal(value)
	if err != nil { // states cannot store it
		return value
	}
	return text
}

// factSet has facts by the keys of facets.
type factSet map[string]fact

// put merges a fact. A full set takes a new key only if a greater key can be dropped, so that the kept keys do
// not depend on the order of arrival.
func (s factSet) put(key string, f fact) {
	if len(f.Value) > limits.OpenLineageFacetBytes {
		f.Value = json.RawMessage(`{"_tooLarge":true}`)
	}
	if old, ok := s[key]; ok {
		if f.replaces(key, old) {
			s[key] = f
		}
		return
	}
	if len(s) >= limits.OpenLineageFacets {
		greatest := ""
		for known := range s {
			greatest = max(greatest, known)
		}
		if key > greatest {
			return
		}
		delete(s, greatest)
	}
	s[key] = f
}

// putAll merges the facets of an event.
func (s *factSet) putAll(of facets, e *event) {
	if len(of) > 0 && *s == nil {
		*s = factSet{}
	}
	for key, value := range of {
		s.get().put(key, e.fact(value))
	}
}

func (s *factSet) get() factSet { return *s }

// merge merges all facts of another set.
func (s *factSet) merge(other factSet) {
	if *s == nil {
		*s = factSet{}
	}
	for key, f := range other {
		s.get().put(key, f)
	}
}

// value returns a facet, nil if there is none or if it was deleted.
func (s factSet) value(key string) json.RawMessage {
	value := s[key].Value
	if value == nil || bytes.Contains(value, []byte(`"_deleted"`)) && read[struct {
		Deleted bool `json:"_deleted"`
	}](value).Deleted {
		return nil
	}
	return value
}

// deleted reports whether a facet was deleted.
func (s factSet) deleted(key string) bool {
	_, told := s[key]
	return told && s.value(key) == nil
}

// fact is a value that the event states.
func (e *event) fact(value json.RawMessage) fact {
	f := fact{At: e.at, Rank: e.rank, Value: value}
	if e.kind == runEvent {
		f.Run = e.runID()
	}
	return f
}

// runID returns the run in the spelling of its URN.
func (e *event) runID() string { return strings.ToLower(e.Run.RunID) }

// first is a text that the earliest event decides. The name of a job is decided so: it stays when more is told.
type first struct {
	At   int64  `json:"at,omitempty"`
	Text string `json:"text,omitempty"`
}

func (f *first) put(at int64, text string) {
	if text == "" {
		return
	}
	if f.Text == "" || cmp.Or(cmp.Compare(at, f.At), strings.Compare(text, f.Text)) < 0 {
		*f = first{at, text}
	}
}
