package write

import (
	"bytes"

	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/model"
)

// transition is the change of an aspect from one value to another. A value is
// nil when there is none.
type transition struct {
	before, after []byte
	former, value *model.Value
	// equal: both values are the same.
	equal bool
	edges edgeDiff
}

// is reports whether the transition leads from one text to another.
func (t *transition) is(before, after []byte) bool {
	return t != nil && sameText(t.before, before) && sameText(t.after, after)
}

func sameText(a, b []byte) bool { return (a == nil) == (b == nil) && bytes.Equal(a, b) }

// transitionTo computes the transition from a stored value to a new value.
func (w *Writer) transitionTo(ch *change, before []byte, value *model.Value) (*transition, error) {
	t := &transition{before: before, value: value}
	if value != nil {
		t.after = value.JSON
	}
	if before != nil && value != nil && bytes.Equal(before, value.JSON) {
		t.equal = true
		return t, nil
	}
	var stated statedValue
	known := false
	if before != nil {
		if stated, known = w.remembered.find(ch.aspectKey(), before); !known {
			value, err := w.Registry().ParseStored(ch.aspect.Name, before)
			if err != nil {
				return nil, err
			}
			stated.value = value
		}
		t.former = stated.value
		if t.equal = value != nil && t.former.Equal(value); t.equal {
			return t, nil
		}
	}
	if !known {
		stated.edges = w.statements(ch, t.former)
	}
	after := w.statements(ch, value)
	t.edges = diffEdges(stated.edges, after)
	w.remembered.put(ch.aspectKey(), statedValue{value, after})
	return t, nil
}

// transition returns the transition from the latest version to a value.
func (s *session) transition(ch *change, latest *graphstore.Aspect, value *model.Value) (*transition, error) {
	before, after := textOf(latest), []byte(nil)
	if value != nil {
		after = value.JSON
	}
	if ch.draft != nil && ch.draft.transition.is(before, after) {
		return ch.draft.transition, nil
	}
	if t := s.attempt.transitions[ch.aspectKey()]; t.is(before, after) {
		return t, nil
	}
	if before == nil || after == nil || !bytes.Equal(before, after) {
		if err := s.spend(len(before) + len(after)); err != nil {
			return nil, err
		}
	}
	return s.w.transitionTo(ch, before, value)
}

// parsed decodes stored versions, unless they are too large: then they are lacking.
func (s *session) parsed(stored []graphstore.Aspect) (map[string]*model.Value, error) {
	values, missing, size := map[string]*model.Value{}, stored[:0:0], 0
	for _, a := range stored {
		if v := s.attempt.parsed[graphstore.AspectKey{URN: a.URN, Name: a.Name}]; v != nil && bytes.Equal(v.JSON, a.Value) {
			values[a.Name] = v
			continue
		}
		missing = append(missing, a)
		size += len(a.Value)
	}
	if err := s.spend(size); err != nil {
		s.lacks.values = append(s.lacks.values, missing...)
		return nil, err
	}
	for _, a := range missing {
		v, err := s.w.Registry().ParseStored(a.Name, a.Value)
		if err != nil {
			return nil, err
		}
		values[a.Name] = v
	}
	return values, nil
}
