package mcp

import (
	"context"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/edits"
	"github.com/headwater-io/headwater/catalog/search"
	"github.com/headwater-io/headwater/model"
)

// addWrites adds the tools that change the catalog.
func (h *Handler) addWrites() {
	writeTool(h, "set_tags", "Tag", "Add tags to an entity or column, and remove others.", h.labels(model.EntityTag, func(m *edits.Marks, tags []model.URN) { m.Tags = tags }))
	writeTool(h, "set_terms", "Link glossary terms", "Add glossary terms to an entity or column, and remove others.", h.labels(model.EntityGlossaryTerm, func(m *edits.Marks, terms []model.URN) { m.Terms = terms }))
	writeTool(h, "set_owners", "Change owners", "Add owners to an entity, and remove others.", h.setOwners)
	writeTool(h, "set_description", "Describe", "Set the description that people wrote of an entity or column. What its source states stays.", h.setDescription)
	writeTool(h, "set_properties", "Set structured properties", "Set the values of structured properties of an entity. Their definitions must allow the values.", h.setProperties)
}

// Written is the answer of a tool that writes. It names the changed entity or column.
type Written struct {
	URN string `json:"urn"`
}

// LabelArguments are the arguments of set_tags and set_terms.
type LabelArguments struct {
	Of     string   `json:"of" jsonschema:"an entity, or a column as <entity>.<path>; name or URN"`
	Add    []string `json:"add,omitempty" jsonschema:"names or URNs; they must exist"`
	Remove []string `json:"remove,omitempty" jsonschema:"names or URNs"`
}

func (h *Handler) labels(entityType string, set func(*edits.Marks, []model.URN)) func(context.Context, *LabelArguments) (*Written, error) {
	return func(ctx context.Context, in *LabelArguments) (*Written, error) {
		named, err := h.resource(ctx, in.Of)
		if err != nil {
			return nil, err
		}
		added, err := h.urns(ctx, in.Add, entityType)
		if err != nil {
			return nil, err
		}
		removed, err := h.urns(ctx, in.Remove, entityType)
		if err != nil {
			return nil, err
		}
		r := edits.Revision{}
		set(&r.Add, added)
		set(&r.Remove, removed)
		return h.revise(ctx, named, r)
	}
}

// revise applies a revision to a resource.
func (h *Handler) revise(ctx context.Context, named *search.Named, r edits.Revision) (*Written, error) {
	r.Resource = edits.Resource{URN: named.URN, Field: named.Column}
	if _, err := h.catalog.Edits.Revise(ctx, r, options(ctx)); err != nil {
		return nil, err
	}
	return written(named)
}

// resource resolves the name of the entity or column that a tool edits.
func (h *Handler) resource(ctx context.Context, name string) (*search.Named, error) {
	return h.catalog.Search.Resolve(ctx, search.NameRequest{Name: name, Part: search.EitherPart})
}

// written returns the answer of a tool that has changed a resource.
func written(named *search.Named) (*Written, error) {
	subject, err := named.Subject()
	return &Written{URN: subject.String()}, err
}

// OwnerArguments are the arguments of set_owners.
type OwnerArguments struct {
	Of     string   `json:"of" jsonschema:"an entity; name or URN"`
	Add    []string `json:"add,omitempty" jsonschema:"users or groups; names or URNs"`
	Remove []string `json:"remove,omitempty" jsonschema:"users or groups; names or URNs"`
	Kind   string   `json:"kind,omitempty" jsonschema:"the kind of ownership of those added, such as TECHNICAL_OWNER"`
}

func (h *Handler) setOwners(ctx context.Context, in *OwnerArguments) (*Written, error) {
	u, err := h.entity(ctx, in.Of)
	if err != nil {
		return nil, err
	}
	added, err := h.urns(ctx, in.Add, model.EntityCorpuser, model.EntityCorpGroup)
	if err != nil {
		return nil, err
	}
	removed, err := h.urns(ctx, in.Remove, model.EntityCorpuser, model.EntityCorpGroup)
	if err != nil {
		return nil, err
	}
	r := edits.Revision{}
	for _, owner := range added {
		r.Add.Owners = append(r.Add.Owners, edits.NewOwner{URN: owner, Type: in.Kind})
	}
	for _, owner := range removed {
		r.Remove.Owners = append(r.Remove.Owners, edits.NewOwner{URN: owner})
	}
	return h.revise(ctx, &search.Named{URN: u}, r)
}

// DescriptionArguments are the arguments of set_description.
type DescriptionArguments struct {
	Of          string `json:"of" jsonschema:"an entity, or a column as <entity>.<path>; name or URN"`
	Description string `json:"description" jsonschema:"Markdown"`
}

func (h *Handler) setDescription(ctx context.Context, in *DescriptionArguments) (*Written, error) {
	named, err := h.resource(ctx, in.Of)
	if err != nil {
		return nil, err
	}
	return h.revise(ctx, named, edits.Revision{Description: &in.Description})
}

// PropertiesArguments are the arguments of set_properties.
type PropertiesArguments struct {
	Of         string     `json:"of" jsonschema:"an entity; name or URN"`
	Properties []Property `json:"properties"`
}

// Property are the values of a structured property.
type Property struct {
	Property string    `json:"property" jsonschema:"its name or URN"`
	Texts    []string  `json:"texts,omitempty" jsonschema:"the values, if they are texts"`
	Numbers  []float64 `json:"numbers,omitempty" jsonschema:"the values, if they are numbers"`
}

func (h *Handler) setProperties(ctx context.Context, in *PropertiesArguments) (*Written, error) {
	u, err := h.entity(ctx, in.Of)
	if err != nil {
		return nil, err
	}
	if len(in.Properties) == 0 {
		return nil, catalog.Errorf(catalog.Invalid, "nothing to change: properties are empty")
	}
	given := make([]edits.PropertyValues, len(in.Properties))
	for i, p := range in.Properties {
		if given[i].Property, err = h.entity(ctx, p.Property, model.EntityStructuredProperty); err != nil {
			return nil, err
		}
		for _, t := range p.Texts {
			given[i].Values = append(given[i].Values, edits.PropertyValue{Text: t})
		}
		for _, n := range p.Numbers {
			given[i].Values = append(given[i].Values, edits.PropertyValue{Number: &n})
		}
	}
	if err := h.catalog.Edits.SetProperties(ctx, u, given, options(ctx)); err != nil {
		return nil, err
	}
	return written(&search.Named{URN: u})
}
