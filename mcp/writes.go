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
	write(h, "set_tags", "Tag", "Add tags to an entity or column, and remove others.", h.labels(edits.TagLabel, model.EntityTag))
	write(h, "set_terms", "Link glossary terms", "Add glossary terms to an entity or column, and remove others.", h.labels(edits.TermLabel, model.EntityGlossaryTerm))
	write(h, "set_owners", "Change owners", "Add owners to an entity, and remove others.", h.setOwners)
	write(h, "set_description", "Describe", "Set the description that people wrote of an entity or column. What its source states stays.", h.setDescription)
	write(h, "set_properties", "Set structured properties", "Set the values of structured properties of an entity. Their definitions must allow the values.", h.setProperties)
}

// Written is the answer of a tool that writes: what was changed.
type Written struct {
	URN string `json:"urn"`
}

// LabelArguments are the arguments of set_tags and set_terms.
type LabelArguments struct {
	Of     string   `json:"of" jsonschema:"an entity, or a column as <entity>.<path>; name or URN"`
	Add    []string `json:"add,omitempty" jsonschema:"names or URNs; they must exist"`
	Remove []string `json:"remove,omitempty" jsonschema:"names or URNs"`
}

func (h *Handler) labels(kind edits.Label, entityType string) func(context.Context, *LabelArguments) (*Written, error) {
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
		on := []edits.Resource{{URN: named.URN, Field: named.Column}}
		if len(added) > 0 {
			if err := h.catalog.Edits.AddLabels(ctx, kind, added, on, options(ctx)); err != nil {
				return nil, err
			}
		}
		if len(removed) > 0 {
			if err := h.catalog.Edits.RemoveLabels(ctx, kind, removed, on, options(ctx)); err != nil {
				return nil, err
			}
		}
		return written(named, len(added)+len(removed))
	}
}

// resource resolves what is edited, which must exist.
func (h *Handler) resource(ctx context.Context, name string) (*search.Named, error) {
	named, err := h.catalog.Search.Resolve(ctx, search.NameRequest{Name: name, Part: search.EitherPart})
	if err != nil {
		return nil, err
	}
	return named, h.catalog.RequireExisting(ctx, named.URN)
}

// written is the answer after a number of changes.
func written(named *search.Named, changes int) (*Written, error) {
	if changes == 0 {
		return nil, catalog.Errorf(catalog.Invalid, "nothing to change: add and remove are empty")
	}
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
	if len(added) > 0 {
		owners := make([]edits.NewOwner, len(added))
		for i := range added {
			owners[i] = edits.NewOwner{URN: added[i], Type: in.Kind}
		}
		if err := h.catalog.Edits.AddOwners(ctx, owners, []model.URN{u}, options(ctx)); err != nil {
			return nil, err
		}
	}
	if len(removed) > 0 {
		if err := h.catalog.Edits.RemoveOwners(ctx, removed, model.URN{}, []model.URN{u}, options(ctx)); err != nil {
			return nil, err
		}
	}
	return written(&search.Named{URN: u}, len(added)+len(removed))
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
	if err := h.catalog.Edits.Describe(ctx, edits.Resource{URN: named.URN, Field: named.Column}, in.Description, options(ctx)); err != nil {
		return nil, err
	}
	return written(named, 1)
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
	return written(&search.Named{URN: u}, len(given))
}
