package write

import (
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/internal/jsontree"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

// The types of the values of structured properties.
const (
	stringValues   = "string"
	richTextValues = "rich_text"
	numberValues   = "number"
	dateValues     = "date"
	urnValues      = "urn"
)

// dateLayout is the form of dates that are values of structured properties.
const dateLayout = time.DateOnly

// allowedTypes is the member of a type qualifier with the types of the entities
// whose URNs may be values.
const allowedTypes = "allowedTypes"

// propertyVersion is the form of the version of a definition: digits, so that the
// greater text is the later version.
var propertyVersion = regexp.MustCompile(`^[0-9]{14}$`)

// propertyDefinition says which values a structured property may have.
type propertyDefinition struct {
	urn, qualifiedName string
	// valueType is one of the types above, or the stated text if it is none of them.
	valueType string
	multiple  bool
	immutable bool
	version   string
	// allowed has the keys of the allowed values; it is empty if all values are allowed. stated has
	// these values as they are stored.
	allowed map[string]bool
	stated  []catalog.Tree
	// text is the stored definition.
	text []byte
	// urnTypes lists the entity types that a URN among the values may name. entityTypes and
	// platforms list which entities may have values. An empty list restricts nothing.
	urnTypes, entityTypes, platforms []string
}

// readDefinition reads a stored definition. Earlier releases have stored definitions that this
// release refuses.
func (w *Writer) readDefinition(urn string, value *model.Value) *propertyDefinition {
	tree := value.Tree
	d := &propertyDefinition{
		text: value.JSON, urn: urn, qualifiedName: jsontree.Text(tree, "qualifiedName"),
		valueType: jsontree.Text(tree, "valueType"), multiple: jsontree.Text(tree, "cardinality") == "MULTIPLE",
		immutable: tree["immutable"] == true, version: jsontree.Text(tree, "version"),
	}
	if id, ok := qualifiedID(d.valueType, model.EntityDataType); ok && slices.Contains(valueTypes(), id) {
		d.valueType = id
	}
	items := jsontree.Items(tree, "allowedValues")
	d.allowed = make(map[string]bool, len(items))
	for _, item := range items {
		allowed := jsontree.Member(item, "value")
		d.stated = append(d.stated, allowed)
		d.allowed[d.key(allowed)] = true
	}
	d.urnTypes = w.typeNames(jsontree.Texts(jsontree.Member(tree, "typeQualifier"), allowedTypes))
	d.entityTypes = w.typeNames(jsontree.Texts(tree, "entityTypes"))
	for _, platform := range jsontree.Texts(tree, "allowedPlatforms") {
		d.platforms = append(d.platforms, w.Spelled(platform))
	}
	return d
}

// valueTypes lists the data types that values may have.
func valueTypes() []string {
	ids := make([]string, len(dataTypes))
	for i := range dataTypes {
		ids[i] = dataTypes[i].id
	}
	return ids
}

// qualifiedID returns the id in the URN of a data type or an entity type, without the
// prefix that such ids have.
func qualifiedID(urn, entityType string) (string, bool) {
	u, err := model.ParseURN(urn)
	if err != nil || !strings.EqualFold(u.EntityType(), entityType) {
		return "", false
	}
	return strings.TrimPrefix(u.Parts()[0], qualifiedPrefix), true
}

// typeNames returns the names of the entity types that URNs stand for. A URN that stands for none
// is returned unchanged.
func (w *Writer) typeNames(urns []string) []string {
	names := make([]string, len(urns))
	for i, urn := range urns {
		names[i] = urn
		if id, ok := qualifiedID(urn, model.EntityEntityType); ok {
			if e, ok := w.Registry().Entity(id); ok {
				names[i] = e.Name
			}
		}
	}
	return names
}

// checkDefinition fails if a definition cannot be used, or if it forbids values that the former
// definition allows. The former definition may be nil.
func (w *Writer) checkDefinition(u model.URN, former, value *model.Value) error {
	d := w.readDefinition(u.String(), value)
	if err := w.checkAlone(u, d); err != nil {
		return err
	}
	if len(d.stated) > limits.MaxAllowedValues {
		return catalog.Errorf(catalog.Validation, "the property %s has %d allowed values, at most %d are possible", u, len(d.stated), limits.MaxAllowedValues)
	}
	for _, allowed := range d.stated {
		if err := w.checkType(d, allowed); err != nil {
			return catalog.Errorf(catalog.Validation, "an allowed value: %w", err)
		}
	}
	if former == nil {
		return nil
	}
	return d.checkAgainst(w.readDefinition(u.String(), former))
}

// checkAlone checks the members of a definition.
func (w *Writer) checkAlone(u model.URN, d *propertyDefinition) error {
	switch {
	case strings.ContainsFunc(u.Key(), unicode.IsSpace):
		return catalog.Errorf(catalog.Validation, "the property %s: its id has a blank", u)
	case d.qualifiedName == "" || strings.ContainsFunc(d.qualifiedName, unicode.IsSpace):
		return catalog.Errorf(catalog.Validation, "the property %s: qualifiedName is %q, it must be a name without blanks", u, d.qualifiedName)
	case !slices.Contains(valueTypes(), d.valueType):
		return catalog.Errorf(catalog.Validation, "the property %s: valueType is %q, which does not exist; it is one of urn:%s:%s:%s{%s}",
			u, d.valueType, u.Namespace(), model.EntityDataType, qualifiedPrefix, strings.Join(valueTypes(), ", "))
	case d.version != "" && !propertyVersion.MatchString(d.version):
		return catalog.Errorf(catalog.Validation, "the property %s: version is %q, it must have 14 digits, such as 20261122093000", u, d.version)
	}
	for _, name := range slices.Concat(d.entityTypes, d.urnTypes) {
		if _, ok := w.Registry().Entity(name); !ok {
			return catalog.Errorf(catalog.Validation, "the property %s: %q is not an entity type that exists, such as urn:%s:%s:%sdataset",
				u, name, u.Namespace(), model.EntityEntityType, qualifiedPrefix)
		}
	}
	for _, platform := range d.platforms {
		if p, err := model.ParseURN(platform); err != nil || p.EntityType() != model.EntityDataPlatform {
			return catalog.Errorf(catalog.Validation, "the property %s: allowedPlatforms has %q, which is not a data platform", u, platform)
		}
	}
	return nil
}

// checkAgainst fails if a definition is narrower than the former one and does not
// have a later version.
func (d *propertyDefinition) checkAgainst(former *propertyDefinition) error {
	const hint = "; a definition with a later version (14 digits) may"
	if d.qualifiedName != former.qualifiedName {
		return catalog.Errorf(catalog.Validation, "the property %s: qualifiedName is %q and cannot become %q", d.urn, former.qualifiedName, d.qualifiedName)
	}
	if d.version > former.version {
		return nil
	}
	switch {
	case d.valueType != former.valueType:
		return catalog.Errorf(catalog.Validation, "the property %s: valueType is %s and cannot become %s"+hint, d.urn, former.valueType, d.valueType)
	case former.multiple && !d.multiple:
		return catalog.Errorf(catalog.Validation, "the property %s: cardinality is MULTIPLE and cannot become SINGLE"+hint, d.urn)
	case len(d.allowed) > 0 && len(former.allowed) == 0:
		return catalog.Errorf(catalog.Validation, "the property %s: allowedValues cannot restrict a property that allowed all values"+hint, d.urn)
	case len(d.allowed) == 0:
		return nil
	}
	for _, allowed := range former.stated {
		if !d.allows(allowed) {
			return catalog.Errorf(catalog.Validation, "the property %s: allowedValues cannot lose the value %q"+hint, d.urn, catalog.Beginning(valueText(allowed)))
		}
	}
	return nil
}

// allows reports whether a value is among the allowed ones.
func (d *propertyDefinition) allows(value catalog.Tree) bool {
	return len(d.allowed) == 0 || d.allowed[d.key(value)]
}

// key returns equal texts for values that are equal to the property. Numbers are compared as numbers, also if
// they are stored as texts.
func (d *propertyDefinition) key(value catalog.Tree) string {
	scalar := scalarOf(value)
	if _, isText := scalar.(string); isText && d.valueType != numberValues {
		return "=" + valueText(value)
	}
	if number, ok := numberOf(scalar); ok {
		return number
	}
	return "=" + valueText(value)
}

// scalarOf returns the text or the number in a value, which is stored as a union.
func scalarOf(value catalog.Tree) any {
	for _, scalar := range value {
		return scalar
	}
	return nil
}

// numberOf reads a number, or a text that is one, in its normal form.
func numberOf(scalar any) (string, bool) {
	text, ok := model.StructuredText(scalar)
	if !ok {
		return "", false
	}
	return model.NumberText(text)
}

// valueText is a value as a message shows it.
func valueText(value catalog.Tree) string {
	if text, ok := model.StructuredText(scalarOf(value)); ok {
		return text
	}
	return "null"
}

// checkType fails if a value is not of the type of the property.
func (w *Writer) checkType(d *propertyDefinition, value catalog.Tree) error {
	scalar := scalarOf(value)
	text, isText := scalar.(string)
	switch d.valueType {
	case numberValues:
		if _, ok := numberOf(scalar); !ok {
			return d.refusal(value, "is not a number")
		}
		return nil
	case dateValues:
		if _, err := time.Parse(dateLayout, text); err != nil {
			return d.refusal(value, "is not a date of the form YYYY-MM-DD")
		}
		return nil
	case urnValues:
		u, err := w.Registry().ReadURN(text)
		if err != nil {
			return d.refusal(value, "is not the URN of an entity")
		}
		if len(d.urnTypes) > 0 && !slices.Contains(d.urnTypes, u.EntityType()) {
			return d.refusal(value, "is not the URN of a "+strings.Join(d.urnTypes, " or "))
		}
		return nil
	case stringValues, richTextValues:
		if !isText {
			return d.refusal(value, "is a number, and the values are texts")
		}
		return nil
	}
	return d.refusal(value, "cannot be checked, because the type "+d.valueType+" is not known")
}

// shownAllowed bounds the allowed values that a refusal names.
const shownAllowed = 10

// notAllowed is the error of a value that is not among the allowed ones. Clients look for the
// reference's wording, so the message has it.
func (d *propertyDefinition) notAllowed(value catalog.Tree) error {
	allowed := make([]string, 0, shownAllowed+1)
	for _, one := range d.stated {
		if len(allowed) == shownAllowed {
			allowed = append(allowed, "…")
			break
		}
		allowed = append(allowed, unionText(one))
	}
	return catalog.Errorf(catalog.Validation, "the property %s: value: %s should be one of [%s]", d.urn, unionText(value), strings.Join(allowed, ", "))
}

// unionText is a value with its type: {string=red}.
func unionText(value catalog.Tree) string {
	for member := range value {
		return "{" + member + "=" + catalog.Beginning(valueText(value)) + "}"
	}
	return "null"
}

// refusal is the error of a value that a property cannot have.
func (d *propertyDefinition) refusal(value catalog.Tree, why string) error {
	return catalog.Errorf(catalog.Validation, "the property %s: the value %q %s", d.urn, catalog.Beginning(valueText(value)), why)
}
