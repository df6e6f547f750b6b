package object

import (
	"context"
	"strings"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/edits"
	"github.com/headwater-io/headwater/internal/optional"
	"github.com/headwater-io/headwater/model"
)

// DataHubView is a saved view: entity types and a filter that restrict searches.
type DataHubView struct{ *Node }

// viewInfo is the stored form of a view.
type viewInfo struct {
	Name        string           `json:"name"`
	Description *string          `json:"description"`
	Type        *DataHubViewType `json:"type"`
	Definition  struct {
		EntityTypes []string `json:"entityTypes"`
		Filter      struct {
			Or []struct {
				And []*storedCriterion `json:"and"`
			} `json:"or"`
			Criteria []*storedCriterion `json:"criteria"`
		} `json:"filter"`
	} `json:"definition"`
}

// storedCriterion is a criterion of a stored filter. The member Values replaces the older
// member Value.
type storedCriterion struct {
	Field     string          `json:"field"`
	Value     string          `json:"value"`
	Values    []string        `json:"values"`
	Condition *FilterOperator `json:"condition"`
	Negated   *bool           `json:"negated"`
}

func (c *storedCriterion) filter() *FacetFilter {
	f := &FacetFilter{Field: strings.TrimSuffix(c.Field, ".keyword"), Values: c.Values, Condition: c.Condition, Negated: c.Negated}
	if len(f.Values) == 0 {
		f.Values = []string{}
		if c.Value != "" {
			f.Values = []string{c.Value}
		}
	}
	return f
}

func (v *DataHubView) info(ctx context.Context) (*viewInfo, error) {
	return stated[viewInfo](ctx, v.Node, model.AspectDataHubViewInfo)
}

// Name is the name of the view.
func (v *DataHubView) Name(ctx context.Context) (string, error) {
	info, err := v.info(ctx)
	return info.Name, err
}

// Description is the purpose of the view.
func (v *DataHubView) Description(ctx context.Context) (*string, error) {
	info, err := v.info(ctx)
	return info.Description, err
}

// ViewType says whether the view is for one user or for everybody.
func (v *DataHubView) ViewType(ctx context.Context) (DataHubViewType, error) {
	info, err := v.info(ctx)
	return optional.Or(info.Type, DataHubViewTypePersonal), err
}

// Definition has the entity types and the filter of the view. If the filter is a disjunction,
// Definition has only the first criterion of each alternative.
func (v *DataHubView) Definition(ctx context.Context) (*DataHubViewDefinition, error) {
	info, err := v.info(ctx)
	if err != nil {
		return nil, err
	}
	filter := &DataHubViewFilter{Operator: LogicalOperatorAnd, Filters: []*FacetFilter{}}
	add := func(criteria []*storedCriterion) {
		for _, c := range criteria {
			filter.Filters = append(filter.Filters, c.filter())
		}
	}
	switch or := info.Definition.Filter.Or; len(or) {
	case 0:
		add(info.Definition.Filter.Criteria)
	case 1:
		add(or[0].And)
	default:
		filter.Operator = LogicalOperatorOr
		for _, alternative := range or {
			add(alternative.And[:min(1, len(alternative.And))])
		}
	}
	types := []EntityType{}
	for _, name := range info.Definition.EntityTypes {
		if t, ok := TypeOf(name); ok {
			types = append(types, t)
		}
	}
	return &DataHubViewDefinition{EntityTypes: types, Filter: filter}, nil
}

// ViewOf converts the definition of a view, nil if no definition is given.
func ViewOf(input *DataHubViewDefinitionInput) *edits.ViewDefinition {
	if input == nil {
		return nil
	}
	d := &edits.ViewDefinition{}
	for _, t := range input.EntityTypes {
		d.EntityTypes = append(d.EntityTypes, NameOf(t))
	}
	criteria := criteriaOf(input.Filter.Filters)
	if input.Filter.Operator == LogicalOperatorAnd {
		d.Filter.Or = []catalog.Conjunction{{And: criteria}}
		return d
	}
	for _, c := range criteria {
		d.Filter.Or = append(d.Filter.Or, catalog.Conjunction{And: []catalog.Criterion{c}})
	}
	return d
}
