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
	// Later: Current is not known yet. If members follow from Current, only the members that
	// validation requires are added now, and [Value.DeriveAgain] computes the others.
	Later bool
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

// ParseDeriving does the same as [Registry.ParseKeeping], and computes the derived members of
// the value before the validation: the owners by type of ownership, and the domains in both of
// their lists.
func (r *Registry) ParseDeriving(d Dialect, aspect string, text []byte, keep func(UnknownMember) bool, how Derivation) (*Value, error) {
	return r.parse(d, aspect, text, keep, derivation(aspect, text, how))
}

// DeriveAgain computes the derived members of a value once the replaced value is known.
// DeriveAgain returns the same value if no member changes.
func (v *Value) DeriveAgain(r *Registry, d Dialect, how Derivation) (*Value, error) {
	derive := derivation(v.Aspect.Name, v.JSON, how)
	if derive == nil {
		return v, nil
	}
	derived, err := r.parse(d, v.Aspect.Name, v.JSON, KeepThose(v.Unknown), derive)
	if err == nil && bytes.Equal(derived.JSON, v.JSON) {
		return v, nil
	}
	return derived, err
}

// derivation returns the function that adds the derived members to a decoded value, or nil if
// the value has no derived members.
func derivation(aspect string, text []byte, how Derivation) func(value map[string]any) *Fault {
	states := func(member string) bool { return bytes.Contains(text, []byte(member)) }
	switch {
	case aspect == AspectOwnership && states(ownerTypesMember):
		return deriveOwnerTypes
	case aspect != AspectDomains:
		return nil
	case how.Later:
		if !states(associationsMember) {
			return nil
		}
		return requireDomains
	case how.Add || states(associationsMember) || bytes.Contains(how.Current, []byte(associationsMember)):
		return func(value map[string]any) *Fault {
			current, _ := jsontree.DecodeObject(how.Current)
			return deriveDomains(current, value, how)
		}
	}
	return nil
}

func deriveOwnerTypes(value map[string]any) *Fault {
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
