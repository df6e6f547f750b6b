package policyfile

import (
	"fmt"
	"slices"
	"strings"

	"github.com/headwater-io/headwater/access/policies"
	"github.com/headwater-io/headwater/model"
)

// Names of entities are written short: the key of the URN, if one type of entity is meant.
var (
	ofUsers   = prefixOf(model.EntityCorpuser)
	ofGroups  = prefixOf(model.EntityCorpGroup)
	ofRoles   = prefixOf(model.EntityDataHubRole)
	ofOwnings = prefixOf(model.EntityOwnershipType)
)

func prefixOf(entityType string) string { return "urn:li:" + entityType + ":" }

// word is a member of on and only: its field, and the prefix that its short names leave out.
type word struct {
	name   string
	field  policies.Field
	prefix string
	// plain: the values are no URNs.
	plain bool
}

var words = []word{
	{"types", policies.FieldType, "", true},
	{"urns", policies.FieldURN, "", false},
	{"owners", policies.FieldOwner, "", false},
	{"domains", policies.FieldDomain, prefixOf(model.EntityDomain), false},
	{"containers", policies.FieldContainer, prefixOf(model.EntityContainer), false},
	{"tags", policies.FieldTag, prefixOf(model.EntityTag), false},
	{"terms", policies.FieldTerm, prefixOf(model.EntityGlossaryTerm), false},
	{"instances", policies.FieldInstance, "", false},
	{"groups", policies.FieldGroup, ofGroups, false},
}

// beginning is the end of the members whose values are beginnings.
const beginning = "Beginning"

// memberOf returns the member that a condition is written as: tags, notTags, tagsBeginning.
func (w word) memberOf(c policies.Condition) string {
	switch c {
	case policies.NotEquals:
		return "not" + strings.ToUpper(w.name[:1]) + w.name[1:]
	case policies.StartsWith:
		return w.name + beginning
	}
	return w.name
}

var wordConditions = []policies.Condition{policies.Equals, policies.NotEquals, policies.StartsWith}

// wordMembers are the names of all members of on.
var wordMembers = func() []string {
	var all []string
	for _, c := range wordConditions {
		for _, w := range words {
			all = append(all, w.memberOf(c))
		}
	}
	return all
}()

// meant returns the word and condition of a member, and false for an unknown one.
func meant(member string) (word, policies.Condition, bool) {
	for _, c := range wordConditions {
		for _, w := range words {
			if w.memberOf(c) == member {
				return w, c, true
			}
		}
	}
	return word{}, "", false
}

// long returns the URN of a short name.
func long(prefix, name string) string {
	if strings.HasPrefix(name, "urn:") || prefix == "" {
		return name
	}
	return prefix + name
}

// short is the inverse of long: it returns the short name of a URN, or an error if there is none.
func short(prefix, urn string) (string, error) {
	if key, ok := strings.CutPrefix(urn, prefix); ok && key != "" && !strings.HasPrefix(key, "urn:") {
		return key, nil
	}
	if !strings.HasPrefix(urn, "urn:") && prefix != "" {
		return "", fmt.Errorf("%q is no URN", urn)
	}
	return urn, nil
}

// operations are the operations by their names.
func operation(name string) (policies.Operation, bool) {
	found := policies.Operation(name)
	return found, slices.Contains(policies.Operations(), found)
}

// suffice returns the privileges each of which alone permits an operation. name is the operation or a privilege.
func suffice(name string) ([]string, bool) {
	if o, ok := operation(name); ok {
		return policies.Group(o, ""), true
	}
	return []string{name}, slices.Contains(policies.Names(), name)
}
