package model

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/headwater-io/headwater/internal/jsontree"
)

// Some members of aspects follow from others. They are computed when a writer sends
// them, when the stored value has them, or when the writer's client knows them.

const (
	ownerTypesMember   = "ownerTypes"
	domainsMember      = "domains"
	associationsMember = "domainAssociations"
)

// Derivation says how the members of a new value that follow from others are computed.
type Derivation struct {
	// Current is the value that is replaced, empty if there is none.
	Current json.RawMessage
	// Whole: the writer states the whole value. Otherwise it is the current value with
	// changes.
	Whole bool
	// Add: the writer's client knows such members, so that they are added to a value that
	// does not have them.
	Add bool
}

// FollowsStored reports whether members of an aspect follow from the value that is
// replaced too, so that they can only be computed when that is known.
func FollowsStored(aspect string) bool { return aspect == AspectDomains }

// Derive computes the members of an aspect's value that follow from others: the owners
// by type of ownership, and the domains in both of their lists. The error is a
// *ValidationError.
func (r *Registry) Derive(d Dialect, aspect string, text json.RawMessage, how Derivation) (json.RawMessage, error) {
	var derive func(current, value map[string]any, how Derivation) *Fault
	has := func(member string) bool { return bytes.Contains(text, []byte(member)) }
	switch {
	case aspect == AspectOwnership && has(ownerTypesMember):
		derive = deriveOwnerTypes
	case aspect == AspectDomains && (how.Add || has(associationsMember) || bytes.Contains(how.Current, []byte(associationsMember))):
		derive = deriveDomains
	default:
		return text, nil
	}
	value, err := jsontree.DecodeObject(text)
	if err != nil {
		return text, nil //nolint:nilerr // parsing the text reports that
	}
	before, _ := jsontree.DecodeObject(how.Current)
	if fault := derive(before, value, how); fault != nil {
		return nil, &ValidationError{Record: d.RecordName(r.AnyAspect(aspect).Record), Faults: []Fault{*fault}}
	}
	return jsontree.Encode(value)
}

func deriveOwnerTypes(_, value map[string]any, _ Derivation) *Fault {
	if value[ownerTypesMember] != nil {
		value[ownerTypesMember] = ownersByType(value)
	}
	return nil
}

// systemOwnershipType begins the ids of the built-in types of ownership.
const systemOwnershipType = "__system__"

// ownersByType lists the owners that an ownership states by the URN of the type of
// their ownership.
func ownersByType(ownership map[string]any) map[string]any {
	byType := map[string]any{}
	for _, entry := range jsontree.Items(ownership, "owners") {
		owner, _ := entry["owner"].(string)
		typeURN, _ := entry["typeUrn"].(string)
		if typeURN == "" {
			name, _ := entry["type"].(string)
			if name == "" {
				name = "none"
			}
			typeURN = "urn:" + namespaceIn(owner) + ":" + EntityOwnershipType + ":" + systemOwnershipType + strings.ToLower(name)
		}
		list, _ := byType[typeURN].([]any)
		if !slices.Contains(list, any(owner)) {
			byType[typeURN] = append(list, any(owner))
		}
	}
	return byType
}

// namespaceIn is the namespace of a URN's text.
func namespaceIn(text string) string {
	_, rest, _ := strings.Cut(text, ":")
	namespace, _, _ := strings.Cut(rest, ":")
	return namespace
}

func sameTexts(a, b []string) bool {
	a, b = slices.Clone(a), slices.Clone(b)
	slices.Sort(a)
	slices.Sort(b)
	return slices.Equal(a, b)
}

// searchTree is the tree that search fields are read from: it has the owners by type
// although the value may not.
func (v *Value) searchTree() map[string]any {
	if v.Aspect.Name != AspectOwnership {
		return v.Tree
	}
	tree := make(map[string]any, len(v.Tree)+1)
	for name, member := range v.Tree {
		tree[name] = member
	}
	tree[ownerTypesMember] = ownersByType(v.Tree)
	return tree
}
