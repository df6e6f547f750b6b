package mcp

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/internal/jsontree"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

// Card describes an entity in a list.
type Card struct {
	URN         string `json:"urn"`
	Type        string `json:"type"`
	Name        string `json:"name"`
	Platform    string `json:"platform,omitempty"`
	Description string `json:"description,omitempty"`
	// Owners are the ids of users and groups.
	Owners []string `json:"owners,omitempty"`
	Tags   []string `json:"tags,omitempty"`
	// Terms are glossary terms.
	Terms  []string `json:"terms,omitempty"`
	Domain string   `json:"domain,omitempty"`
	// Deprecated says why the entity should no longer be used. It is empty if the entity may be
	// used.
	Deprecated string `json:"deprecated,omitempty"`
	// Removed says whether the entity is soft-deleted.
	Removed bool `json:"removed,omitempty"`
}

// sheet is an entity with its aspects.
type sheet struct {
	urn     model.URN
	stored  bool
	aspects map[string]catalog.Tree
}

// labelled are the aspects that cards of all entity types show.
var labelled = []string{
	model.AspectOwnership, model.AspectGlobalTags, model.AspectGlossaryTerms, model.AspectDomains, model.AspectDeprecation,
	model.AspectStatus, model.AspectDataPlatformInstance, model.AspectSubTypes,
}

// sheets reads the aspects that cards show, and more aspects, for entities. The sheets have the
// order of the entities.
func (h *Handler) sheets(ctx context.Context, urns []model.URN, more ...string) ([]sheet, error) {
	return h.sheetsAt(ctx, urns, 0, more...)
}

// sheetsAt is sheets at a moment; a moment of 0 is now.
func (h *Handler) sheetsAt(ctx context.Context, urns []model.URN, at int64, more ...string) ([]sheet, error) {
	names := map[string]bool{}
	for _, name := range append(more, labelled...) {
		names[name] = true
	}
	for _, u := range urns {
		if entity, ok := h.catalog.Registry().Entity(u.EntityType()); ok {
			for _, name := range entity.Aspects {
				if strings.HasSuffix(name, "Properties") || strings.HasSuffix(name, "Info") {
					names[name] = true
				}
			}
		}
	}
	if at != 0 {
		return h.pastSheets(ctx, urns, at, slices.Sorted(maps.Keys(names)))
	}
	found, err := h.catalog.Entities(ctx, urns, slices.Sorted(maps.Keys(names)))
	if err != nil {
		return nil, err
	}
	sheets := make([]sheet, len(urns))
	for i, u := range urns {
		sheets[i] = sheet{urn: u, aspects: map[string]catalog.Tree{}}
		for name, aspect := range found[u.String()].Aspects {
			sheets[i].stored = sheets[i].stored || aspect.System != nil
			if tree, err := jsontree.DecodeObject(aspect.Value); err == nil {
				sheets[i].aspects[name] = tree
			}
		}
	}
	return sheets, nil
}

// pastSheets reads the sheets of a past moment.
func (h *Handler) pastSheets(ctx context.Context, urns []model.URN, at int64, names []string) ([]sheet, error) {
	found, err := h.catalog.History.AspectsAt(ctx, catalog.Texts(urns), at, names)
	if err != nil {
		return nil, err
	}
	sheets := make([]sheet, len(urns))
	for i, u := range urns {
		sheets[i] = sheet{urn: u, aspects: map[string]catalog.Tree{}}
		for _, aspect := range found[u.String()].Values {
			sheets[i].stored = true
			if tree, err := jsontree.DecodeObject(aspect.Value); err == nil {
				sheets[i].aspects[aspect.Name] = tree
			}
		}
	}
	return sheets, nil
}

// first returns the first text that a member of the aspects has. Texts that people edited come
// before texts that sources state.
func (s *sheet) first(members ...string) string {
	names := slices.Sorted(maps.Keys(s.aspects))
	slices.SortStableFunc(names, func(a, b string) int { return edited(b) - edited(a) })
	for _, member := range members {
		for _, name := range names {
			if text := jsontree.Text(s.aspects[name], member); text != "" {
				return text
			}
		}
	}
	return ""
}

func edited(aspect string) int {
	if strings.HasPrefix(aspect, "editable") {
		return 1
	}
	return 0
}

// members lists the values of a member of the items of a list in an aspect.
func (s *sheet) members(aspect, list, member string) []string {
	var texts []string
	for _, item := range jsontree.Items(s.aspects[aspect], list) {
		texts = append(texts, jsontree.Text(item, member))
	}
	return texts
}

// card returns the card of the entity. description is the largest number of bytes of its
// description.
func (s *sheet) card(description int) Card {
	c := Card{
		URN: s.urn.String(), Type: s.urn.EntityType(), Name: s.first(s.names()...),
		Platform: leaf(jsontree.Text(s.aspects[model.AspectDataPlatformInstance], "platform")), Description: clip(s.first("description", "definition"), description),
		Owners: leaves(s.members(model.AspectOwnership, "owners", "owner")), Tags: leaves(s.members(model.AspectGlobalTags, "tags", "tag")),
		Terms: leaves(s.members(model.AspectGlossaryTerms, "terms", "urn")), Removed: s.aspects[model.AspectStatus]["removed"] == true,
	}
	if s.urn.EntityType() == model.EntityDataset {
		c.Name = leaf(c.URN) // the card has the whole name in the source of the entity, which tools also accept as an argument
		c.Platform = leaf(s.urn.Parts()[0])
	}
	if c.Name == "" {
		c.Name = s.first("name")
	}
	if c.Name == "" {
		c.Name = leaf(c.URN)
	}
	if domains := jsontree.Texts(s.aspects[model.AspectDomains], "domains"); len(domains) > 0 {
		c.Domain = leaf(domains[0])
	}
	if d := s.aspects[model.AspectDeprecation]; d["deprecated"] == true {
		c.Deprecated = clip(jsontree.Text(d, "note"), limits.MaxAgentListedText)
		if c.Deprecated == "" {
			c.Deprecated = "yes"
		}
	}
	return c
}

// Owner is an owner of an entity.
type Owner struct {
	URN  string `json:"urn"`
	Name string `json:"name"`
	// Title is the title of the owner. Email is the address of the owner.
	Title string `json:"title,omitempty"`
	Email string `json:"email,omitempty"`
	// Kind is the kind of ownership, such as TECHNICAL_OWNER.
	Kind string `json:"kind,omitempty"`
	Said
}

// Detail describes an entity that an agent asks for.
type Detail struct {
	Card
	// Kind is the kind of the entity in its source, such as Table.
	Kind    string  `json:"kind,omitempty"`
	OwnedBy []Owner `json:"owned_by,omitempty"`
	// Labels are the tags and terms, each with the statement that gave it.
	Labels Labels `json:"labels,omitempty"`
	// Columns is the number of the entity's columns.
	Columns int `json:"columns,omitempty"`
	// Properties are custom properties from the source of the entity.
	Properties map[string]string `json:"properties,omitempty"`
	Structured map[string]any    `json:"structured_properties,omitempty"`
	Quality    *Quality          `json:"quality,omitempty" jsonschema:"whether its data is fresh and its checks pass"`
	Links      []string          `json:"links,omitempty"`
	Contact
	// Siblings are the entities for the same thing in other systems.
	Siblings []string `json:"siblings,omitempty"`
	// Part has the containers, flows or parents around the entity.
	Part []string `json:"part_of,omitempty"`
}

func (d *Detail) says() []*Said {
	all := d.Labels.says()
	for i := range d.OwnedBy {
		all = append(all, &d.OwnedBy[i].Said)
	}
	return all
}

// Contact has the addresses at which people and groups are reached, and the titles of people.
type Contact struct {
	Title      string `json:"title,omitempty"`
	Department string `json:"department,omitempty"`
	Email      string `json:"email,omitempty"`
	Slack      string `json:"slack,omitempty"`
	Phone      string `json:"phone,omitempty"`
	Manager    string `json:"manager,omitempty"`
}

// contact returns the contact of a person or group. For other entities, the contact is empty.
func (s *sheet) contact() Contact {
	switch s.urn.EntityType() {
	case model.EntityCorpuser:
		return Contact{
			Title: s.first("title"), Department: s.first("departmentName"), Email: s.first("email"), Slack: s.first("slack"), Phone: s.first("phone"),
			Manager: leaf(s.first("managerUrn")),
		}
	case model.EntityCorpGroup:
		return Contact{Email: s.first("email"), Slack: s.first("slack")}
	}
	return Contact{}
}

// names are the members that may have the name of an entity, the best first. The member title
// is not a name for a person, because it is the title of the person.
func (s *sheet) names() []string {
	if s.urn.EntityType() == model.EntityCorpuser {
		return []string{"displayName", "fullName"}
	}
	return []string{"displayName", "title", "fullName", "qualifiedName"}
}

// detailed are the aspects that details show in addition to the aspects of cards.
var detailed = []string{
	model.AspectSchemaMetadata, model.AspectStructuredProperties, model.AspectInstitutionalMemory, model.AspectSiblings, model.AspectContainer,
}

// detail returns the details of the entity. The names of the owners are filled in later.
func (s *sheet) detail() Detail {
	d := Detail{Card: s.card(limits.MaxAgentText), Columns: len(jsontree.Items(s.aspects[model.AspectSchemaMetadata], "fields"))}
	if kinds := jsontree.Texts(s.aspects[model.AspectSubTypes], "typeNames"); len(kinds) > 0 {
		d.Kind = kinds[0]
	}
	for _, o := range jsontree.Items(s.aspects[model.AspectOwnership], "owners") {
		d.OwnedBy = append(d.OwnedBy, Owner{URN: jsontree.Text(o, "owner"), Name: leaf(jsontree.Text(o, "owner")), Kind: jsontree.Text(o, "type")})
	}
	d.Properties, d.Contact = s.customProperties(), s.contact()
	for _, p := range jsontree.Items(s.aspects[model.AspectStructuredProperties], "properties") {
		if d.Structured == nil {
			d.Structured = map[string]any{}
		}
		d.Structured[leaf(jsontree.Text(p, "propertyUrn"))] = scalars(p["values"])
	}
	for _, l := range jsontree.Items(s.aspects[model.AspectInstitutionalMemory], "elements") {
		d.Links = append(d.Links, clip(jsontree.Text(l, "description")+": "+jsontree.Text(l, "url"), limits.MaxAgentListedText))
	}
	d.Siblings = jsontree.Texts(s.aspects[model.AspectSiblings], "siblings")
	for _, member := range []string{"container", "flowUrn", "parentNode", "parentDomain"} {
		if parent := s.first(member); parent != "" {
			d.Part = append(d.Part, parent)
		}
	}
	return d
}

func (s *sheet) customProperties() map[string]string {
	properties := map[string]string{}
	for _, aspect := range s.aspects {
		for name, value := range jsontree.Member(aspect, "customProperties") {
			if text, ok := value.(string); ok && len(properties) < limits.DefaultAgentItems {
				properties[name] = clip(text, limits.MaxAgentListedText)
			}
		}
	}
	return properties
}

// scalars are the values of a structured property without their type.
func scalars(values any) []any {
	plain := []any{}
	list, _ := values.([]any)
	for _, value := range list {
		for _, v := range asTree(value) {
			if n, ok := v.(json.Number); ok {
				v = n.String()
			}
			plain = append(plain, v)
		}
	}
	return plain
}

func asTree(value any) catalog.Tree {
	tree, _ := value.(catalog.Tree)
	return tree
}

// nameOwners fills in the names and addresses of owners.
func (h *Handler) nameOwners(ctx context.Context, details []Detail) error {
	var urns []model.URN
	for i := range details {
		for _, o := range details[i].OwnedBy {
			if u := model.StoredURN(o.URN); !u.IsZero() {
				urns = append(urns, u)
			}
		}
	}
	sheets, err := h.sheets(ctx, catalog.Distinct(urns))
	if err != nil {
		return err
	}
	for i := range details {
		for k := range details[i].OwnedBy {
			o := &details[i].OwnedBy[k]
			if at := slices.IndexFunc(sheets, func(s sheet) bool { return s.urn.String() == o.URN }); at >= 0 {
				c := sheets[at].contact()
				o.Name, o.Title, o.Email = sheets[at].card(0).Name, c.Title, c.Email
			}
		}
	}
	return nil
}
