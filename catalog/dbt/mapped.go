package dbt

import (
	"regexp"
	"slices"
	"strings"

	"github.com/headwater-io/headwater/model"
)

// Mappings are the rules of a project, and how owners and tags are named.
type Mappings struct {
	// Meta are the rules for properties of nodes, Columns those for properties of columns, and QueryTag those for the
	// property query_tag of nodes, of which only the tags count.
	Meta, Columns, QueryTag []Rule
	// Off leaves out the rules, and the property datahub of nodes. QueryTagOff leaves out the rules for query_tag.
	Off, QueryTagOff bool
	// StripEmails cuts the names of owners at the @.
	StripEmails bool
	// NoOwners leaves out owners.
	NoOwners bool
	// OwnerPattern finds the owner in the property owner, as its group owner; nil takes the whole property.
	OwnerPattern *regexp.Regexp
	// TagPrefix begins the tags of dbt; nil is "dbt:".
	TagPrefix *string
}

// Prefix returns the prefix of the tags of dbt.
func (m *Mappings) Prefix() string {
	if m.TagPrefix == nil {
		return tagPrefix
	}
	return *m.TagPrefix
}

func (m *Mappings) by(rules []Rule, nested bool) *mapping {
	return &mapping{rules: rules, prefix: m.Prefix(), strip: m.StripEmails, nested: nested}
}

// ofNode returns the additions of the rules to a node.
func (m *Mappings) ofNode(n *Node) *mapped {
	if m.Off {
		return &mapped{}
	}
	to := &mapped{}
	if len(n.meta.names) > 0 {
		to = m.by(m.Meta, true).apply(n.meta)
	}
	if !m.QueryTagOff && len(n.queryTag.names) > 0 {
		to.tags = append(to.tags, m.by(m.QueryTag, false).apply(n.queryTag).tags...)
	}
	return to
}

// ofColumn returns the additions of the rules to a column.
func (m *Mappings) ofColumn(c *Column) *mapped {
	if m.Off || len(m.Columns) == 0 || len(c.meta.names) == 0 {
		return &mapped{}
	}
	return m.by(m.Columns, true).apply(c.meta)
}

// people returns the owners of a node: the owners by the rules, or else by the property owner.
func (m *Mappings) people(n *Node, added *mapped) []owner {
	switch {
	case m.NoOwners:
		return nil
	case len(added.owners) > 0:
		return added.owners
	}
	var people []owner
	for _, name := range n.namedOwners() {
		people = append(people, owner{name: user(m.stripped(extracted(m.OwnerPattern, name))), kind: "DATAOWNER"})
	}
	slices.SortStableFunc(people, func(a, b owner) int { return strings.Compare(a.name, b.name) })
	return people
}

func (m *Mappings) stripped(name string) string {
	if m.StripEmails {
		name, _, _ = strings.Cut(name, "@")
	}
	return name
}

func tagURN(name string) string {
	if strings.HasPrefix(name, "urn:li:tag:") {
		return name
	}
	return "urn:li:tag:" + reserved.Replace(name)
}

// globalTags is the value of the aspect globalTags. The tags are proposed too.
func (t *translation) globalTags(names []string) values {
	tags := make([]values, len(names))
	for i, name := range names {
		urn := tagURN(name)
		tags[i], t.tags[urn] = values{"tag": urn}, true
	}
	return values{"tags": tags}
}

// ofDBT returns the names of tags of dbt with their prefix.
func (t *translation) ofDBT(names []string) []string {
	full := make([]string, len(names))
	for i, name := range names {
		full[i] = t.Mappings.Prefix() + name
	}
	return full
}

// nodeTags returns the names of the tags of a node, sorted.
func (t *translation) nodeTags(n *Node, added *mapped) []string {
	names := t.ofDBT(n.Tags)
	for _, tag := range added.tags {
		names = append(names, strings.TrimPrefix(tagURN(tag), "urn:li:tag:"))
	}
	slices.Sort(names)
	return names
}

// ownership is the value of the aspect ownership.
func ownership(people []owner) values {
	owners := make([]values, len(people))
	for i, person := range people {
		owners[i] = values{"owner": person.name, "type": person.kind}
		if person.urn != "" {
			owners[i]["typeUrn"] = person.urn
		}
		if person.byRule {
			owners[i]["source"] = values{"type": "SOURCE_CONTROL"}
		}
	}
	return values{"owners": owners, "ownerTypes": values{}, "lastModified": stamp(0, unknownActor)}
}

// glossaryTerms is the value of the aspect glossaryTerms. The terms are proposed too.
func (t *translation) glossaryTerms(urns []string) values {
	terms := make([]values, len(urns))
	for i, urn := range urns {
		terms[i], t.terms[urn] = values{"urn": urn}, true
	}
	return values{"terms": terms, "auditStamp": stamp(t.Now.UnixMilli(), instanceActor)}
}

// added proposes the additions of rules to a dataset besides owners and tags.
func (t *translation) added(urn string, m *mapped) {
	if len(m.terms) > 0 {
		t.propose(urn, model.AspectGlossaryTerms, t.glossaryTerms(m.terms))
	}
	if len(m.domains) > 0 {
		t.propose(urn, model.AspectDomains, values{"domains": m.domains})
	}
	if len(m.links) == 1 { // the client takes one link, and none of several
		link := m.links[0]
		link["createStamp"] = stamp(t.Now.UnixMilli(), "urn:li:corpuser:ingestion")
		t.propose(urn, model.AspectInstitutionalMemory, values{"elements": []values{link}})
	}
	t.assign(urn, m)
}

// assign proposes the structured properties of a dataset or a column.
func (t *translation) assign(urn string, m *mapped) {
	if len(m.properties) == 0 {
		return
	}
	byURN := map[string][]any{}
	for _, one := range m.properties {
		if !slices.Contains(byURN[one.property], one.value) {
			byURN[one.property] = append(byURN[one.property], one.value)
		}
	}
	var assignments []values
	for _, property := range sortedKeys(byURN) {
		all := make([]values, len(byURN[property]))
		for i, value := range byURN[property] {
			if text, is := value.(string); is {
				all[i] = values{"string": text}
			} else {
				all[i] = values{"double": value}
			}
		}
		assignments = append(assignments, values{"propertyUrn": property, "values": all})
	}
	t.propose(urn, model.AspectStructuredProperties, values{"properties": assignments})
}
