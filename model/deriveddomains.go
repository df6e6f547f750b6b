package model

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/headwater-io/headwater/internal/jsontree"
)

// The aspect domains names the domains of an entity in two lists: plainly, and with where
// each comes from (domainAssociations). Both lists are views of one set. A writer
// changes one of them, and the other follows.

// domainsAssociated returns the value of the aspect domains with its domains in both
// lists. The value may be empty.
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

// patchBase is the value that a patch is applied to: that of the aspect domains has both
// lists if the patch is about the associations.
func patchBase(aspect string, current json.RawMessage, patch *Operations) json.RawMessage {
	if aspect == AspectDomains && len(current) > 0 && patch.touches(associationsMember) {
		return domainsAssociated(current)
	}
	return current
}

// requireDomains adds the required list to a value that has only the other one.
func requireDomains(value map[string]any) *Fault {
	if value[domainsMember] == nil && value[associationsMember] != nil {
		value[domainsMember] = []any{}
	}
	return nil
}

// wellFormed reports whether both lists of a value can be compared. Validation tells what
// is wrong with others.
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
	case how.Whole && len(plain) == 0: // it is only there because it is required
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

// propagatedRank puts associations that a program propagated after those made by hand.
func propagatedRank(association jsontree.Object) int {
	detail := jsontree.Member(jsontree.Member(association, "attribution"), "sourceDetail")
	if strings.EqualFold(jsontree.Text(detail, "propagated"), "true") {
		return 1
	}
	return 0
}

// domainsIn lists the domains in both lists of a value, each once.
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

func anyList(texts []string) []any {
	list := make([]any, len(texts))
	for i, text := range texts {
		list[i] = text
	}
	return list
}
