package object

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"sync"

	"github.com/headwater-io/headwater/model"
)

// decodeInto reads a stored value into a record of the schema. Members that are missing in the
// value get the defaults of the model.
func decodeInto(n *Node, aspect string, text json.RawMessage, record any) error {
	if err := json.Unmarshal(text, record); err != nil {
		return err
	}
	return fillerOf(n.batch.session.Catalog.Registry(), aspect, reflect.TypeOf(record)).fill(reflect.ValueOf(record), n.key.Namespace())
}

// filler gives the members of a Go type their defaults. Each type has one filler, which is made
// once.
type filler struct {
	members []memberDefault
	below   []memberFiller
}

// memberDefault is the default of the field at an index. A scalar default is decoded once.
// Other defaults are decoded each time, because the code that reads a record may change the
// value.
type memberDefault struct {
	index  []int
	text   json.RawMessage
	scalar reflect.Value
}

// set gives the field its default.
func (m *memberDefault) set(at reflect.Value, namespace string) error {
	switch {
	case !m.scalar.IsValid():
		return json.Unmarshal(model.In(m.text, namespace), at.Addr().Interface())
	case at.Kind() == reflect.Pointer:
		at.Set(reflect.New(at.Type().Elem()))
		at = at.Elem()
	}
	at.Set(m.scalar)
	return nil
}

// newDefault makes the default of a field. It returns false if the default is the zero value of
// the Go type, or if the Go type cannot express the default.
func newDefault(field reflect.StructField, text json.RawMessage) (memberDefault, bool) {
	m, t := memberDefault{index: field.Index, text: text}, field.Type
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch t.Kind() {
	case reflect.Map:
		return m, false
	case reflect.Bool, reflect.String, reflect.Int, reflect.Int64, reflect.Float64:
		value := reflect.New(t)
		if json.Unmarshal(text, value.Interface()) != nil {
			return m, true // the filler reports the error when it fills a value
		}
		m.scalar = value.Elem()
		return m, field.Type.Kind() == reflect.Pointer || !m.scalar.IsZero()
	}
	return m, true
}

// memberFiller fills the records in the field at an index.
type memberFiller struct {
	index []int
	*filler
}

type fillerKey struct {
	registry *model.Registry
	aspect   string
	record   reflect.Type
}

// fillers are the fillers that were made, by fillerKey.
var fillers sync.Map

func fillerOf(r *model.Registry, aspect string, record reflect.Type) *filler {
	key := fillerKey{r, aspect, record}
	if f, ok := fillers.Load(key); ok {
		return f.(*filler)
	}
	f := newFiller(r.Defaults(aspect), record, map[pair]*filler{})
	fillers.Store(key, f)
	return f
}

// pair is a record of the model with the Go type for it.
type pair struct {
	defaults *model.Defaults
	record   reflect.Type
}

func newFiller(d *model.Defaults, t reflect.Type, seen map[pair]*filler) *filler {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice || t.Kind() == reflect.Map {
		t = t.Elem()
	}
	if d == nil || t.Kind() != reflect.Struct {
		return nil
	}
	key := pair{d, t}
	if f, ok := seen[key]; ok {
		return f
	}
	f := &filler{}
	seen[key] = f
	for _, field := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if name == "" || name == "-" || !field.IsExported() {
			continue
		}
		if text, ok := d.Members[name]; ok {
			if m, ok := newDefault(field, text); ok {
				f.members = append(f.members, m)
			}
		}
		if below := newFiller(d.Below[name], field.Type, seen); below != nil {
			f.below = append(f.below, memberFiller{field.Index, below})
		}
	}
	return f
}

// fill gives a record, or every record of a list or map, its defaults.
func (f *filler) fill(v reflect.Value, namespace string) error {
	if f == nil || len(f.members) == 0 && len(f.below) == 0 {
		return nil
	}
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return nil
		}
		return f.fill(v.Elem(), namespace)
	case reflect.Slice:
		for i := range v.Len() {
			if err := f.fill(v.Index(i), namespace); err != nil {
				return err
			}
		}
		return nil
	case reflect.Map:
		for _, key := range v.MapKeys() {
			if item := v.MapIndex(key); item.Kind() == reflect.Pointer {
				if err := f.fill(item, namespace); err != nil {
					return err
				}
			}
		}
		return nil
	}
	for i := range f.members {
		m := &f.members[i]
		at := v.FieldByIndex(m.index)
		if !at.IsZero() {
			continue
		}
		if err := m.set(at, namespace); err != nil {
			return fmt.Errorf("the default %s: %w", m.text, err)
		}
	}
	for _, b := range f.below {
		if err := b.fill(v.FieldByIndex(b.index), namespace); err != nil {
			return err
		}
	}
	return nil
}
