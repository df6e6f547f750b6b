package write

import (
	"bytes"
	"slices"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/jsontree"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

// Values of structured properties are checked inside the transaction of their write, against the
// definitions of that moment. Only values that the write changes are checked: a stored value stays
// valid, even if its definition changes.

// checkProperties fails if a new value of an aspect breaks the rules of structured
// properties. Either value may be nil.
func (s *session) checkProperties(ch *change, former, value *model.Value) error {
	switch {
	case ch.aspect.Name == model.AspectStructuredProperties:
		return s.checkValues(ch, former, value)
	case ch.aspect.Name == model.AspectPropertyDefinition && value != nil:
		return s.w.checkDefinition(ch.urn, former, value)
	}
	return nil
}

// checkLiving fails if a change writes the definition of a soft-deleted property, even if the
// definition stays equal.
func (s *session) checkLiving(ch *change) error {
	if ch.aspect.Name != model.AspectPropertyDefinition {
		return nil
	}
	if err := s.readSettled(statusKey(ch.urn.String())); err != nil {
		return err
	}
	if s.isRemoved(ch.urn.String()) {
		return catalog.Errorf(catalog.Validation, "Cannot mutate a soft deleted Structured Property Definition: %s (its status is removed)", ch.urn)
	}
	return nil
}

// assigned has the values of the structured properties of an entity, by the URN of the property. A
// property has one list of values, or several if it is named more than once.
type assigned map[string][]any

func (w *Writer) assignedIn(value *model.Value) assigned {
	if value == nil {
		return nil
	}
	entries := jsontree.Items(value.Tree, "properties")
	lists := make(assigned, len(entries))
	for _, entry := range entries {
		urn := w.Spelled(jsontree.Text(entry, "propertyUrn"))
		lists[urn] = append(lists[urn], jsontree.Array(entry, "values"))
	}
	return lists
}

// checkPropertyLimits bounds how many properties and values the transaction has to check.
func checkPropertyLimits(value *model.Value) error {
	if value.Aspect.Name != model.AspectStructuredProperties {
		return nil
	}
	entries := jsontree.Array(value.Tree, "properties")
	values := 0
	for _, entry := range entries {
		object, _ := entry.(catalog.Tree)
		values += len(jsontree.Array(object, "values"))
	}
	if len(entries) > limits.MaxProperties || values > limits.MaxPropertyValues {
		return catalog.Errorf(catalog.Validation, "an entity has %d structured properties with %d values, at most %d with %d are possible",
			len(entries), values, limits.MaxProperties, limits.MaxPropertyValues)
	}
	return nil
}

// checkValues checks the properties whose values change.
func (s *session) checkValues(ch *change, former, value *model.Value) error {
	before, after := s.w.assignedIn(former), s.w.assignedIn(value)
	var changed []string
	for urn, lists := range after {
		if !jsontree.Equal(lists, before[urn]) {
			changed = append(changed, urn)
		}
	}
	for urn := range before {
		if _, stated := after[urn]; !stated {
			changed = append(changed, urn)
		}
	}
	slices.Sort(changed)
	definitions, err := s.definitions(changed)
	if err != nil {
		return err
	}
	for _, urn := range changed {
		d := definitions[urn]
		if before[urn] != nil && d != nil && d.immutable {
			return catalog.Errorf(catalog.Validation, "the property %s is immutable, its values on %s cannot be changed", urn, ch.urn)
		}
		if after[urn] == nil {
			continue
		}
		if err := s.checkProperty(ch, urn, d, after[urn]); err != nil {
			return err
		}
	}
	return nil
}

// checkProperty checks the values of one property; d is nil if it is not defined.
func (s *session) checkProperty(ch *change, urn string, d *propertyDefinition, lists []any) error {
	if u, err := model.ParseURN(urn); err != nil || u.EntityType() != model.EntityStructuredProperty {
		return catalog.Errorf(catalog.Validation, "%q is not a structured property", urn)
	}
	values, _ := lists[0].([]any)
	switch {
	case len(lists) > 1:
		return catalog.Errorf(catalog.Validation, "the property %s is named more than once", urn)
	case d == nil:
		return catalog.Errorf(catalog.Validation, "the property %s is not defined", urn)
	case s.isRemoved(urn):
		return catalog.Errorf(catalog.Validation, "Cannot apply a soft deleted Structured Property value: %s (its status is removed)", urn)
	case len(d.entityTypes) > 0 && !slices.Contains(d.entityTypes, ch.entity.Name):
		return catalog.Errorf(catalog.Validation, "the property %s is for %v, %s is a %s", urn, d.entityTypes, ch.urn, ch.entity.Name)
	case !d.multiple && len(values) > 1:
		return catalog.Errorf(catalog.Validation, "the property %s has one value, not %d: its cardinality is SINGLE", urn, len(values))
	}
	for _, item := range values {
		value, _ := item.(catalog.Tree)
		if err := s.w.checkType(d, value); err != nil {
			return err
		}
		if !d.allows(value) {
			return d.notAllowed(value)
		}
	}
	return s.checkPlatform(ch, d)
}

// checkPlatform fails if the property is not for the platform of the entity.
func (s *session) checkPlatform(ch *change, d *propertyDefinition) error {
	if len(d.platforms) == 0 {
		return nil
	}
	of := ch.urn
	if of.EntityType() == model.EntitySchemaField {
		of = model.StoredURN(of.Parts()[0])
	}
	platform := model.PlatformInKey(of)
	if platform == "" {
		key := graphstore.AspectKey{URN: of.String(), Name: model.AspectDataPlatformInstance}
		if err := s.readSettled(key); err != nil {
			return err
		}
		if latest := s.states[key].Latest; latest != nil {
			tree, err := catalog.TreeOf(latest.Value)
			if err != nil {
				return err
			}
			platform = jsontree.Text(tree, "platform")
		}
	}
	if !slices.Contains(d.platforms, s.w.Spelled(platform)) {
		return catalog.Errorf(catalog.Validation, "the property %s is for the platforms %v, that of %s is %q", d.urn, d.platforms, ch.urn, platform)
	}
	return nil
}

// readSettled reads states. It first writes the pending deletions of entities, because the store
// would still return the deleted states.
func (s *session) readSettled(keys ...graphstore.AspectKey) error {
	known := func(key graphstore.AspectKey) bool { _, ok := s.states[key]; return ok }
	if slices.ContainsFunc(keys, func(key graphstore.AspectKey) bool { return !known(key) }) && len(s.pending.DeleteEntities) > 0 {
		if err := s.flush(); err != nil {
			return err
		}
	}
	return s.read(keys)
}

func statusKey(urn string) graphstore.AspectKey {
	return graphstore.AspectKey{URN: urn, Name: model.AspectStatus}
}

func definitionKey(urn string) graphstore.AspectKey {
	return graphstore.AspectKey{URN: urn, Name: model.AspectPropertyDefinition}
}

// isRemoved reports whether an entity, whose status was read, is soft-deleted.
func (s *session) isRemoved(urn string) bool {
	status := s.states[statusKey(urn)]
	if status == nil || status.Latest == nil {
		return false
	}
	tree, err := catalog.TreeOf(status.Latest.Value)
	return err == nil && tree["removed"] == true
}

// definitions returns the definitions of those properties that have one. If they are too large,
// they are lacking.
func (s *session) definitions(properties []string) (map[string]*propertyDefinition, error) {
	keys := make([]graphstore.AspectKey, 0, 2*len(properties))
	for _, urn := range properties {
		keys = append(keys, definitionKey(urn), statusKey(urn))
	}
	if err := s.readSettled(keys...); err != nil {
		return nil, err
	}
	found := make(map[string]*propertyDefinition, len(properties))
	var missing []graphstore.Aspect
	size := 0
	for _, urn := range properties {
		latest := s.states[definitionKey(urn)].Latest
		if latest == nil {
			continue
		}
		if d := s.attempt.definitions[urn]; d != nil && bytes.Equal(d.text, latest.Value) {
			found[urn] = d
			continue
		}
		missing = append(missing, *latest)
		size += len(latest.Value)
	}
	if len(missing) == 0 {
		return found, nil
	}
	if err := s.spend(size); err != nil {
		s.lacks.definitions = append(s.lacks.definitions, missing...)
		return nil, err
	}
	if err := s.w.readDefinitions(s.attempt, missing); err != nil {
		return nil, err
	}
	for i := range missing {
		found[missing[i].URN] = s.attempt.definitions[missing[i].URN]
	}
	return found, nil
}

// readDefinitions reads stored definitions and puts them into an attempt.
func (w *Writer) readDefinitions(a *attempt, stored []graphstore.Aspect) error {
	for i := range stored {
		value, err := w.Registry().ParseStored(stored[i].Name, stored[i].Value)
		if err != nil {
			return err
		}
		a.definitions[stored[i].URN] = w.readDefinition(stored[i].URN, value)
	}
	return nil
}

// definitionKeys names the aspects that are read to check the property values of a change.
func (w *Writer) definitionKeys(ch *change) []graphstore.AspectKey {
	switch {
	case ch.aspect.Name == model.AspectPropertyDefinition:
		return []graphstore.AspectKey{statusKey(ch.urn.String())}
	case ch.aspect.Name != model.AspectStructuredProperties:
		return nil
	}
	value := ch.value
	if ch.draft != nil {
		value = ch.draft.value
	}
	var keys []graphstore.AspectKey
	for urn := range w.assignedIn(value) {
		keys = append(keys, definitionKey(urn), statusKey(urn))
	}
	return keys
}
