package edits

import (
	"context"
	"slices"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/internal/jsontree"
	"github.com/headwater-io/headwater/model"
)

// allowedTypes is the member of a type qualifier that lists the types of entities whose URNs
// may be values.
const allowedTypes = "allowedTypes"

// AllowedValue is a value that a property may have. Description may be nil.
type AllowedValue struct {
	Value       PropertyValue
	Description *string
}

// holds reports whether a stored value is this allowed value.
func (a *AllowedValue) holds(stored catalog.Tree) bool {
	if a.Value.Number != nil {
		n, ok := jsontree.Number(stored["double"])
		return ok && n == *a.Value.Number
	}
	text, ok := stored["string"].(string)
	return ok && text == a.Value.Text
}

// PropertySettings say where pages show a property. An edit does not change a setting that is
// nil.
type PropertySettings struct {
	Hidden, InSearchFilters, InAssetSummary, HiddenWhenEmpty, AsAssetBadge, InColumnsTable *bool
}

// PropertyDefinition is a structured property to define.
type PropertyDefinition struct {
	// ID is the last part of the URN. If ID is "", it is the qualified name, or else an id is
	// generated.
	ID, QualifiedName string
	DisplayName       *string
	Description       *string
	// ValueType is the type of the property's values. EntityTypes are the types of the entities
	// that may have values.
	ValueType   model.URN
	EntityTypes []model.URN
	// AllowedTypes are the types of entities whose URNs may be values. An empty list allows all
	// types.
	AllowedTypes []model.URN
	// AllowedValues are the values that the property may have. An empty list allows all values.
	AllowedValues []AllowedValue
	// AllowedPlatforms are the platforms of the entities that may have values. An empty list
	// allows all platforms.
	AllowedPlatforms []model.URN
	// Multiple: an entity may have several values.
	Multiple, Immutable bool
	// Settings may be nil.
	Settings *PropertySettings
}

// CreateProperty defines a structured property and returns its URN.
func (s *Service) CreateProperty(ctx context.Context, d *PropertyDefinition, o catalog.WriteOptions) (model.URN, error) {
	id := d.ID
	if id == "" {
		id = d.QualifiedName
	}
	u, by, err := s.newURN(model.EntityStructuredProperty, id, o)
	if err != nil {
		return model.URN{}, err
	}
	if err := catalog.RequireType(d.ValueType, model.EntityDataType); err != nil {
		return model.URN{}, err
	}
	name := d.QualifiedName
	if name == "" {
		name = u.Key()
	}
	definition := catalog.Tree{
		"qualifiedName": name, "valueType": d.ValueType.String(), "cardinality": "SINGLE", "immutable": d.Immutable,
		"entityTypes": []any{}, "created": by.Tree(),
	}
	parts := PropertyUpdate{
		DisplayName: d.DisplayName, Description: d.Description, Multiple: d.Multiple, EntityTypes: d.EntityTypes, AllowedTypes: d.AllowedTypes,
		AllowedValues: d.AllowedValues, AllowedPlatforms: d.AllowedPlatforms,
	}
	if err := parts.check(); err != nil {
		return model.URN{}, err
	}
	s.extendDefinition(definition, &parts, by)
	aspects := map[string]catalog.Tree{model.AspectPropertyDefinition: definition}
	if d.Settings != nil {
		settings := catalog.Tree{}
		if err := d.Settings.set(settings, by); err != nil {
			return model.URN{}, err
		}
		aspects[model.AspectStructuredPropertySettings] = settings
	}
	return u, s.writer.Create(ctx, u, aspects, o)
}

// PropertyUpdate contains the changes of a property's definition. An update only adds values
// and types, so the values that entities have stay allowed.
type PropertyUpdate struct {
	DisplayName, Description *string
	Immutable                *bool
	// Multiple: from the update on, an entity may have several values.
	Multiple         bool
	EntityTypes      []model.URN
	AllowedTypes     []model.URN
	AllowedValues    []AllowedValue
	AllowedPlatforms []model.URN
	Settings         *PropertySettings
}

// UpdateProperty changes the definition of a structured property.
func (s *Service) UpdateProperty(ctx context.Context, urn model.URN, u *PropertyUpdate, o catalog.WriteOptions) error {
	if err := u.check(); err != nil {
		return err
	}
	edits := []write.Edit{editStated(urn, model.AspectPropertyDefinition, func(definition catalog.Tree, by catalog.AuditStamp) {
		if u.Immutable != nil {
			definition["immutable"] = *u.Immutable
		}
		s.extendDefinition(definition, u, by)
	})}
	if u.Settings != nil {
		edits = append(edits, write.Edit{URN: urn, Aspect: model.AspectStructuredPropertySettings, Change: u.Settings.set})
	}
	return s.editLive(ctx, urn, model.EntityStructuredProperty, edits, o)
}

// check fails if the update adds too much, or names an entity of another type.
func (u *PropertyUpdate) check() error {
	for what, n := range map[string]int{
		"entity types": len(u.EntityTypes), "types of values": len(u.AllowedTypes), "allowed values": len(u.AllowedValues), "platforms": len(u.AllowedPlatforms),
	} {
		if err := catalog.TooMany(what, n, write.MaxEdits); err != nil {
			return err
		}
	}
	for _, list := range [][]model.URN{u.EntityTypes, u.AllowedTypes} {
		if _, err := catalog.AllOfType(list, model.EntityEntityType); err != nil {
			return err
		}
	}
	_, err := catalog.AllOfType(u.AllowedPlatforms, model.EntityDataPlatform)
	return err
}

// extendDefinition sets the given parts of a definition, and adds the given items to its lists.
func (s *Service) extendDefinition(definition catalog.Tree, u *PropertyUpdate, by catalog.AuditStamp) {
	setTexts(definition, map[string]*string{"displayName": u.DisplayName, "description": u.Description})
	if u.Multiple {
		definition["cardinality"] = "MULTIPLE"
	}
	s.editURNs(definition, "entityTypes", u.EntityTypes, true)
	s.editURNs(definition, "allowedPlatforms", u.AllowedPlatforms, true)
	if len(u.AllowedTypes) > 0 {
		qualifier := jsontree.Member(definition, "typeQualifier")
		if qualifier == nil {
			qualifier = catalog.Tree{}
		}
		s.editURNs(qualifier, allowedTypes, u.AllowedTypes, true)
		definition["typeQualifier"] = qualifier
	}
	if len(u.AllowedValues) > 0 {
		values := jsontree.Items(definition, "allowedValues")
		for _, v := range u.AllowedValues {
			values = slices.DeleteFunc(values, func(stored catalog.Tree) bool { return v.holds(jsontree.Member(stored, "value")) })
			value := catalog.Tree{"value": v.Value.tree()}
			setTexts(value, map[string]*string{"description": v.Description})
			values = append(values, value)
		}
		jsontree.SetItems(definition, "allowedValues", values)
	}
	definition["lastModified"] = by.Tree()
}

// set puts the given settings into the aspect.
func (p *PropertySettings) set(value catalog.Tree, by catalog.AuditStamp) error {
	for name, setting := range map[string]*bool{
		"isHidden": p.Hidden, "showInSearchFilters": p.InSearchFilters, "showInAssetSummary": p.InAssetSummary,
		"hideInAssetSummaryWhenEmpty": p.HiddenWhenEmpty, "showAsAssetBadge": p.AsAssetBadge, "showInColumnsTable": p.InColumnsTable,
	} {
		if setting != nil {
			value[name] = *setting
		}
	}
	if shown, _ := value["showInAssetSummary"].(bool); !shown && p.InAssetSummary != nil {
		value["hideInAssetSummaryWhenEmpty"] = false // this setting concerns only properties that the summary shows
	}
	if hidden, _ := value["isHidden"].(bool); hidden {
		for _, name := range []string{"showInSearchFilters", "showInAssetSummary", "showAsAssetBadge", "showInColumnsTable"} {
			if shown, _ := value[name].(bool); shown {
				return catalog.Errorf(catalog.Invalid, "a hidden property cannot have the setting %s", name)
			}
		}
	}
	value["lastModified"] = by.Tree()
	return nil
}
