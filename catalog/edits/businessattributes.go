package edits

import (
	"context"
	"maps"
	"slices"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/search"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/internal/jsontree"
	"github.com/headwater-io/headwater/internal/optional"
	"github.com/headwater-io/headwater/model"
)

// The members that name the business attribute of a column.
const (
	attributeMember    = "businessAttribute"
	attributeURNMember = "businessAttributeUrn"
)

// columnTypes are the records of the kinds of values that columns hold.
var columnTypes = map[string]string{
	"ARRAY": "ArrayType", "BOOLEAN": "BooleanType", "BYTES": "BytesType", "DATE": "DateType", "ENUM": "EnumType", "FIXED": "FixedType",
	"MAP": "MapType", "NULL": "NullType", "NUMBER": "NumberType", "STRING": "StringType", "STRUCT": "RecordType", "TIME": "TimeType", "UNION": "UnionType",
}

// BusinessAttribute contains the parts of a business attribute. An edit does not change a part
// that is nil.
type BusinessAttribute struct {
	Name, Description *string
	// Type is the kind of the values in the attribute's columns, such as NUMBER.
	Type *string
}

// CreateBusinessAttribute creates a business attribute and returns its URN. For the id "", an
// id is generated. No other business attribute may have the name. The actor becomes the owner.
func (s *Service) CreateBusinessAttribute(ctx context.Context, id string, a BusinessAttribute, o catalog.WriteOptions) (model.URN, error) {
	name := optional.Or(a.Name, "")
	if err := requireName(&name); err != nil {
		return model.URN{}, err
	}
	u, by, err := s.newURN(model.EntityBusinessAttribute, id, o)
	if err != nil {
		return model.URN{}, err
	}
	if err := s.requireUnusedName(ctx, u, name); err != nil {
		return model.URN{}, err
	}
	info := catalog.Tree{"created": by.Tree()}
	if err := s.setBusinessAttribute(info, u, &a, by); err != nil {
		return model.URN{}, err
	}
	return u, s.writer.Create(ctx, u, map[string]catalog.Tree{model.AspectBusinessAttributeInfo: info, model.AspectOwnership: ownedBy(u, by)}, o)
}

// UpdateBusinessAttribute sets the given parts of a business attribute.
func (s *Service) UpdateBusinessAttribute(ctx context.Context, urn model.URN, a BusinessAttribute, o catalog.WriteOptions) error {
	if err := s.requireFound(ctx, urn, model.EntityBusinessAttribute); err != nil {
		return err
	}
	if a.Name != nil {
		if err := requireName(a.Name); err != nil {
			return err
		}
		if err := s.requireUnusedName(ctx, urn, *a.Name); err != nil {
			return err
		}
	}
	return s.editLive(ctx, urn, model.EntityBusinessAttribute, []write.Edit{{URN: urn, Aspect: model.AspectBusinessAttributeInfo, Change: func(info catalog.Tree, by catalog.AuditStamp) error {
		if len(info) == 0 {
			return catalog.Errorf(catalog.Invalid, "Failed to update %s. It has no %s.", urn, model.AspectBusinessAttributeInfo)
		}
		return s.setBusinessAttribute(info, urn, &a, by)
	}}}, o)
}

// setBusinessAttribute puts the given parts into the aspect.
func (s *Service) setBusinessAttribute(info catalog.Tree, u model.URN, a *BusinessAttribute, by catalog.AuditStamp) error {
	setTexts(info, map[string]*string{"name": a.Name, "fieldPath": a.Name, "description": a.Description})
	if a.Type != nil {
		record, ok := columnTypes[*a.Type]
		if !ok {
			return catalog.Errorf(catalog.Invalid, "%q is not a type of columns; these are: %v", *a.Type, slices.Sorted(maps.Keys(columnTypes)))
		}
		d, _ := s.names.Registry().DialectOf(u) // the URN was checked before
		info["type"] = catalog.Tree{"type": catalog.Tree{d.Prefix + ".schema." + record: catalog.Tree{}}}
	}
	info["lastModified"] = by.Tree()
	return nil
}

// requireUnusedName fails when another business attribute has the name.
func (s *Service) requireUnusedName(ctx context.Context, u model.URN, name string) error {
	found, err := s.search.Search(ctx, search.Request{
		Types: []string{model.EntityBusinessAttribute}, Input: "*", Count: 2, Facets: []string{},
		Filter: &catalog.Filter{Or: []catalog.Conjunction{{And: []catalog.Criterion{{Field: "name", Values: []string{name}, Condition: catalog.CondEqual}}}}},
	})
	if err != nil {
		return err
	}
	for _, hit := range found.Hits {
		if hit.URN != u.String() {
			return catalog.Errorf(catalog.Conflict, "the business attribute %q already exists: %s", name, hit.URN)
		}
	}
	return nil
}

// SetBusinessAttribute gives columns a business attribute, all of them or none. It replaces the
// former business attribute of each column.
func (s *Service) SetBusinessAttribute(ctx context.Context, attribute model.URN, columns []Resource, o catalog.WriteOptions) error {
	if _, err := s.requireLiveOf(ctx, "business attributes", []model.URN{attribute}, model.EntityBusinessAttribute); err != nil {
		return err
	}
	urns, err := s.columns(ctx, columns)
	if err != nil {
		return err
	}
	proposals := make([]write.Proposal, len(urns))
	for i, urn := range urns { // a column may not be stored as an entity yet
		proposals[i], err = proposalOf(urn, model.AspectBusinessAttributes, catalog.Tree{attributeMember: catalog.Tree{attributeURNMember: attribute.String()}})
		if err != nil {
			return err
		}
		proposals[i].System = &catalog.SystemMetadata{Properties: write.UserInterface}
	}
	return s.writer.IngestTogether(ctx, proposals, o)
}

// RemoveBusinessAttribute removes a business attribute from columns, all of them
// or none. The business attribute need not exist.
func (s *Service) RemoveBusinessAttribute(ctx context.Context, attribute model.URN, columns []Resource, o catalog.WriteOptions) error {
	if err := catalog.RequireType(attribute, model.EntityBusinessAttribute); err != nil {
		return err
	}
	urns, err := s.columns(ctx, columns)
	if err != nil {
		return err
	}
	existing, err := s.writer.Existing(ctx, urns)
	if err != nil {
		return err
	}
	var edits []write.Edit
	for _, urn := range urns {
		if !existing[urn] { // a column that does not exist has no business attribute
			continue
		}
		edits = append(edits, write.Edit{URN: urn, Aspect: model.AspectBusinessAttributes, Change: func(value catalog.Tree, _ catalog.AuditStamp) error {
			if s.names.SameURN(jsontree.Text(jsontree.Member(value, attributeMember), attributeURNMember), attribute) {
				delete(value, attributeMember)
			}
			return nil
		}})
	}
	return s.writer.Edit(ctx, edits, o)
}

// columns returns the URNs of columns. Each column must be in a schema, or exist as an entity.
func (s *Service) columns(ctx context.Context, resources []Resource) ([]model.URN, error) {
	urns := make([]model.URN, len(resources))
	for i, r := range resources {
		var err error
		if urns[i], err = columnOf(r); err != nil {
			return nil, err
		}
	}
	return s.requireLiveOrColumns(ctx, "columns", urns)
}
