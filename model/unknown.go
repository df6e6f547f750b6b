package model

import (
	"encoding/json"
	"iter"
	"slices"
	"strings"

	"github.com/headwater-io/headwater/internal/nearest"
)

// UnknownMember is a member of a value that its record does not have.
type UnknownMember struct {
	// Record is the name of the record without its package, such as Owner.
	Record, Member string
}

// KeepAll keeps every unknown member, for [Registry.ParseKeeping].
func KeepAll(UnknownMember) bool { return true }

// KeepThose returns a function that keeps the members of a list, for
// [Registry.ParseKeeping].
func KeepThose(members []UnknownMember) func(UnknownMember) bool {
	return func(m UnknownMember) bool { return slices.Contains(members, m) }
}

// ParseKeeping is like [Registry.Parse], but members that keep accepts, with
// everything below them, are kept as they were sent. Value.Unknown lists them.
func (r *Registry) ParseKeeping(d Dialect, aspect string, text []byte, keep func(UnknownMember) bool) (*Value, error) {
	return r.parse(d, aspect, text, keep, nil)
}

// UnknownMembers returns the members of a value of an aspect that their records do
// not have, each once. The value may be empty.
func (r *Registry) UnknownMembers(d Dialect, aspect string, text json.RawMessage) []UnknownMember {
	if len(text) == 0 {
		return nil
	}
	var found []UnknownMember
	// The value may have other faults; only its members matter here.
	_, _ = r.parse(d, aspect, text, func(m UnknownMember) bool {
		if !slices.Contains(found, m) {
			found = append(found, m)
		}
		return true
	}, nil)
	return found
}

// AnyAspect returns the aspect of a name. One that the model does not have is a
// record that may have any member.
func (r *Registry) AnyAspect(name string) *Aspect {
	if a, ok := r.aspects[name]; ok {
		return a
	}
	record := "unknown." + strings.ToUpper(name[:min(len(name), 1)]) + name[min(len(name), 1):]
	return &Aspect{
		Name: name, Record: neutralPrefix + record, Kind: "versioned", Unknown: true,
		typ: &Type{kind: kindRecord, name: record, open: true, byName: map[string]*Field{}},
	}
}

// IsAspectName reports whether a name could be that of an aspect in a newer model:
// it consists of letters, digits and underscores, and begins with a letter.
func IsAspectName(name string) bool {
	return len(name) <= maxAspectName && isEntityType(name) && (name[0] < '0' || name[0] > '9')
}

// maxAspectName is the length of the longest name that an aspect may have.
const maxAspectName = 100

// NearestAspects is a sentence that suggests aspects of an entity type with similar
// names, "" if there are none.
func (e *Entity) NearestAspects(name string) string {
	return nearest.Question(nearest.Names(name, slices.Values(append([]string{e.KeyAspect}, e.Aspects...))))
}

// unknown keeps a member that a record does not have, or records a fault.
func (v *validator) unknown(t *Type, name string) {
	member := UnknownMember{Record: t.String(), Member: name}
	if v.keep == nil || !v.keep(member) {
		v.fault("%s%s", unknownField, nearest.Question(nearest.Names(name, t.memberNames())))
		return
	}
	if !slices.Contains(v.kept, member) {
		v.kept = append(v.kept, member)
	}
}

// memberNames are the names of the members that a record has.
func (t *Type) memberNames() iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, f := range t.fields {
			if !yield(f.Name) {
				return
			}
		}
	}
}
