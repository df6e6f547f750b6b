package model

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/headwater-io/headwater/internal/jsontree"
)

// The aspect domains names the domains of an entity in two lists: a list of URNs, and a
// list that also has the origin of each (domainAssociations). Both lists have the same
// domains. When a writer changes one list, the other is computed.

// domainsAssociated returns a value of the aspect domains with all domains in both lists.
// The value may be empty.
func domainsAssociated(current json.RawMessage) json.RawMessage {
	value, err := jsontree.DecodeObject(current)
	if err != nil || value[associationsMember] != nil {
		return current
	}
	plain, _ := domainsIn(value)
	value[associationsMember] = associationsOf(plain, nil)
	text, err := jsontree.Encode(value)
	if err != nil {
		return current
	}
	return text
}

// patchBase returns the value to which a patch is applied. For a patch of the associations
// in the aspect domains, it has both lists.
func patchBase(aspect string, current json.RawMessage, patch *Operations) json.RawMessage {
	if aspect == AspectDomains && len(current) > 0 && patch.Touches(associationsMember) {
		return domainsAssociated(current)
	}
	return current
}

// requireDomains adds the required list domains to a value that has only domainAssociations.
func requireDomains(value map[string]any) *Fault {
	if value[domainsMember] == nil && value[associationsMember] != nil {
		value[domainsMember] = []any{}
	}
	return nil
}

// wellFormed reports whether both lists of a value have the right form to be compared.
// Validation reports the faults of other values.
func wellFormed(value map[string]any) bool {
	lists := true
	for member, is := range map[string]func(any) bool{
		domainsMember:      func(item any) bool { _, ok := item.(string); return ok },
		associationsMember: func(item any) bool { o, ok := item.(jsontree.Object); return ok && jsontree.Text(o, "domain") != "" },
	} {
		list, isList := value[member].([]any)
		lists = lists && (isList || value[member] == nil) && !slices.ContainsFunc(list, func(item any) bool { return !is(item) })
	}
	return lists
}

func deriveDomains(current, value map[string]any, how Derivation) *Fault {
	if !wellFormed(value) {
		return nil
	}
	_, stored := current[associationsMember].([]any)
	plain, associated := domainsIn(value)
	plainBefore, associatedBefore := domainsIn(current)
	if !stored {
		associatedBefore = plainBefore
	}
	switch {
	case value[associationsMember] == nil && !how.Add && !stored:
		return nil
	case value[associationsMember] == nil:
		value[associationsMember] = associationsOf(plain, jsontree.Items(current, associationsMember))
	case sameTexts(plain, associated), sameTexts(plain, plainBefore):
	case how.Whole && len(plain) == 0: // the writer sent the empty list only because it is required
	case sameTexts(associated, associatedBefore):
		value[associationsMember] = associationsOf(plain, jsontree.Items(value, associationsMember))
	default:
		return &Fault{"/" + associationsMember, "Cannot update both domains and domainAssociations: they name different domains; a write may change only one of them"}
	}
	associations := jsontree.Items(value, associationsMember)
	slices.SortStableFunc(associations, func(a, b jsontree.Object) int { return propagatedRank(a) - propagatedRank(b) })
	jsontree.SetItems(value, associationsMember, associations)
	_, associated = domainsIn(value)
	value[domainsMember] = anyList(associated)
	return nil
}

// propagatedRank orders associations: associations that people made come before associations that a
// program propagated.
func propagatedRank(association jsontree.Object) int {
	detail := jsontree.Member(jsontree.Member(association, "attribution"), "sourceDetail")
	if strings.EqualFold(jsontree.Text(detail, "propagated"), "true") {
		return 1
	}
	return 0
}

// domainsIn returns the domains in each of the two lists of a value, without duplicates.
func domainsIn(value map[string]any) (plain, associated []string) {
	for _, text := range jsontree.Texts(value, domainsMember) {
		if !slices.Contains(plain, text) {
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

// associationsOf returns associations for domains: the former associations that fit, and new
// associations for the other domains.
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

func anyList(texts []string) []any {
	list := make([]any, len(texts))
	for i, text := range texts {
		list[i] = text
	}
	return list
}
