package model

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/headwater-io/headwater/internal/jsontree"
)

// Some members of aspects follow from other members. They are computed if the writer sends
// them, if the stored value has them, or if the writer's client knows them.

const (
	ownerTypesMember   = "ownerTypes"
	domainsMember      = "domains"
	associationsMember = "domainAssociations"
)

// Derivation says how to compute the members of a new value that follow from others.
type Derivation struct {
	// Current is the value that the new one replaces, empty if there is none.
	Current json.RawMessage
	// Whole: the writer has sent the whole value. Otherwise the new value is the current one
	// with changes.
	Whole bool
	// Add: the writer's client knows the derived members, so they are added to a value
	// without them.
	Add bool
}

// FollowsStored reports whether derived members of an aspect also depend on the replaced
// value, so that they can be computed only when that value is known.
func FollowsStored(aspect string) bool { return aspect == AspectDomains }

// Derive computes the derived members of an aspect's value: the owners by type of
// ownership, and the domains in both of their lists. The error is a *ValidationError.
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

// systemOwnershipType is the beginning of the ids of built-in ownership types.
const systemOwnershipType = "__system__"

// ownersByType returns the owners in a value of the aspect ownership, by the URN of their
// ownership type.
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

// namespaceIn returns the namespace in the text of a URN.
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

// searchTree returns the tree from which search fields are read. It has the owners by type
// even if the value lacks them.
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
