package dbt

import (
	"encoding/json"
	"slices"
	"strings"
)

// ownProperty is the form of the property datahub of meta.
type ownProperty struct {
	Tags       []string          `json:"tags"`
	Terms      []string          `json:"terms"`
	Owners     []json.RawMessage `json:"owners"`
	Domain     *string           `json:"domain"`
	Properties object            `json:"structured_properties"`
}

// ownOwner is an owner in the property datahub.
type ownOwner struct {
	Owner *string `json:"owner"`
	Type  *string `json:"owner_type"`
}

// stated adds the owners, tags and terms of the property datahub of meta. A property of another form adds nothing.
func (m *mapped) stated(property json.RawMessage) {
	var own ownProperty
	if !isTrue(property) || json.Unmarshal(property, &own) != nil {
		return
	}
	owners := make([]ownOwner, len(own.Owners))
	for i, text := range own.Owners {
		if kindOf(text) == kindText {
			if json.Unmarshal(text, &owners[i].Owner) != nil {
				return
			}
		} else if json.Unmarshal(text, &owners[i]) != nil || owners[i].Owner == nil {
			return
		}
	}
	m.tags = append(m.tags, own.Tags...)
	for _, term := range own.Terms {
		m.terms = append(m.terms, prefixed("urn:li:glossaryTerm:", term))
	}
	var named []owner
	for _, one := range owners {
		kind, urn := "DATAOWNER", ""
		if one.Type != nil {
			if kind, urn = ownershipType(*one.Type); urn == "" && !slices.Contains(OwnershipTypes(), kind) {
				return // the client ends here
			}
		}
		named = append(named, owner{user(*one.Owner), kind, urn, true})
	}
	m.owners = append(m.owners, named...)
	if own.Domain != nil && *own.Domain != "" {
		m.domains = append(m.domains, prefixed("urn:li:domain:", *own.Domain))
	}
	for _, name := range own.Properties.names {
		urn, is := PropertyURN(name)
		if !is {
			continue
		}
		for _, value := range primitives(own.Properties.values[name]) {
			m.properties = append(m.properties, assigned{urn, value})
		}
	}
}

// PropertyURN returns the URN of a structured property by its id or URN. is reports whether it is one.
func PropertyURN(text string) (urn string, is bool) {
	const prefix = "urn:li:structuredProperty:"
	if strings.HasPrefix(text, "urn:li:") {
		return text, strings.HasPrefix(text, prefix) && len(text) > len(prefix)
	}
	return prefix + reserved.Replace(text), text != ""
}
