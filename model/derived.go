package model

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/headwater-io/headwater/internal/jsontree"
)

// Some members of aspects follow from others. They are computed when a writer sends
// them, and only then: older clients do not read values with members that they do not
// know.

const (
	ownerTypesMember   = "ownerTypes"
	associationsMember = "domainAssociations"
)

// Derive computes the members of an aspect's value that follow from others: the owners
// by type of ownership, and the domains in both of their lists. Current is the value
// that is replaced, nil if that is not known. The error is a *ValidationError.
func (r *Registry) Derive(d Dialect, aspect string, current, text json.RawMessage) (json.RawMessage, error) {
	var derive func(current, value map[string]any) *Fault
	switch {
	case aspect == AspectOwnership && bytes.Contains(text, []byte(ownerTypesMember)):
		derive = deriveOwnerTypes
	case aspect == AspectDomains && bytes.Contains(text, []byte(associationsMember)):
		derive = deriveDomains
	default:
		return text, nil
	}
	value, err := jsontree.DecodeObject(text)
	if err != nil {
		return text, nil //nolint:nilerr // parsing the text reports that
	}
	before, _ := jsontree.DecodeObject(current)
	if fault := derive(before, value); fault != nil {
		return nil, &ValidationError{Record: d.RecordName(r.AnyAspect(aspect).Record), Faults: []Fault{*fault}}
	}
	return jsontree.Encode(value)
}

func deriveOwnerTypes(_, value map[string]any) *Fault {
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

func deriveDomains(current, value map[string]any) *Fault {
	if value[associationsMember] == nil {
		return nil
	}
	plain, associated := domainsIn(value)
	if sameTexts(plain, associated) {
		return nil
	}
	plainBefore, associatedBefore := domainsIn(current)
	plainChanged, associatedChanged := !sameTexts(plain, plainBefore), !sameTexts(associated, associatedBefore)
	switch {
	case !plainChanged || len(plain) == 0 && current == nil:
		value["domains"] = anyList(associated)
	case !associatedChanged || len(associated) == 0 && current == nil:
		value[associationsMember] = associationsOf(plain, jsontree.Items(value, associationsMember))
	default:
		return &Fault{"/" + associationsMember, "domains and domainAssociations name different domains; a write may change only one of them"}
	}
	return nil
}

// domainsIn lists the domains in both lists of a value, each once.
func domainsIn(value map[string]any) (plain, associated []string) {
	list, _ := value["domains"].([]any)
	for _, item := range list {
		if text, ok := item.(string); ok && !slices.Contains(plain, text) {
			plain = append(plain, text)
		}
	}
	for _, entry := range jsontree.Items(value, associationsMember) {
		if text, ok := entry["domain"].(string); ok && !slices.Contains(associated, text) {
			associated = append(associated, text)
		}
	}
	return plain, associated
}

// associationsOf returns the associations with domains: those that there are, and new
// ones.
func associationsOf(domains []string, former []map[string]any) []any {
	associations := []any{}
	for _, domain := range domains {
		found := false
		for _, entry := range former {
			if entry["domain"] == domain {
				associations, found = append(associations, entry), true
			}
		}
		if !found {
			associations = append(associations, map[string]any{"domain": domain})
		}
	}
	return associations
}

func sameTexts(a, b []string) bool {
	a, b = slices.Clone(a), slices.Clone(b)
	slices.Sort(a)
	slices.Sort(b)
	return slices.Equal(a, b)
}

func anyList(texts []string) []any {
	list := make([]any, len(texts))
	for i, text := range texts {
		list[i] = text
	}
	return list
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
