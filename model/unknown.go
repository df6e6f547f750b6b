package model

import (
	"encoding/json"
	"iter"
	"slices"
	"strings"

	"github.com/headwater-io/headwater/internal/nearest"
)

// UnknownMember is a member of a value that the value's record lacks.
type UnknownMember struct {
	// Record is the name of the record without its package, such as Owner.
	Record, Member string
}

// KeepAll keeps every unknown member, for [Registry.ParseKeeping].
func KeepAll(UnknownMember) bool { return true }

// KeepThose returns a function that keeps the given members, for [Registry.ParseKeeping].
func KeepThose(members []UnknownMember) func(UnknownMember) bool {
	return func(m UnknownMember) bool { return slices.Contains(members, m) }
}

// ParseKeeping is like [Registry.Parse], but keeps unknown members for which keep returns
// true, with everything inside them, unchanged. Value.Unknown lists them.
func (r *Registry) ParseKeeping(d Dialect, aspect string, text []byte, keep func(UnknownMember) bool) (*Value, error) {
	return r.parse(d, aspect, text, keep, nil)
}

// UnknownMembers returns the members of an aspect's value that their records lack, each
// once. The value may be empty.
func (r *Registry) UnknownMembers(d Dialect, aspect string, text json.RawMessage) []UnknownMember {
	if len(text) == 0 {
		return nil
	}
	var found []UnknownMember
	// The value may have other faults, which do not matter here.
	_, _ = r.parse(d, aspect, text, func(m UnknownMember) bool {
		if !slices.Contains(found, m) {
			found = append(found, m)
		}
		return true
	}, nil)
	return found
}

// AnyAspect returns an aspect by name. For an aspect that the model lacks, it returns one
// whose record may have any member.
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

// IsAspectName reports whether a text can be the name of an aspect in a newer model: it
// consists of letters, digits and underscores, and begins with a letter.
func IsAspectName(name string) bool {
	return len(name) <= maxAspectName && isEntityType(name) && (name[0] < '0' || name[0] > '9')
}

// maxAspectName is the largest length of an aspect's name.
const maxAspectName = 100

// NearestAspects returns a sentence that suggests aspects of an entity type with similar
// names, "" if there are none.
func (e *Entity) NearestAspects(name string) string {
	return nearest.Question(nearest.Names(name, slices.Values(append([]string{e.KeyAspect}, e.Aspects...))))
}

// unknown keeps a member that its record lacks, or records a fault.
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

// memberNames yields the names of the members of a record.
func (t *Type) memberNames() iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, f := range t.fields {
			if !yield(f.Name) {
				return
			}
		}
	}
}
