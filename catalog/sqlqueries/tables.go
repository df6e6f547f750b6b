package sqlqueries

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/headwater-io/headwater/catalog"
	inlineage "github.com/headwater-io/headwater/catalog/sqllineage"
	"github.com/headwater-io/headwater/catalog/statements"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
	sqllineage "github.com/headwater-io/headwater/sql/lineage"
)

// aspects are the aspects of a dataset from which an answer is made.
var aspects = []string{
	model.AspectDatasetKey, model.AspectSchemaMetadata, model.AspectEditableSchemaMetadata, model.AspectStatus, model.AspectDeprecation,
	model.AspectOwnership, model.AspectGlobalTags, model.AspectGlossaryTerms,
}

// stored has the facts of a dataset that the catalog has.
type stored struct {
	urn     model.URN
	removed bool
	values  map[string]json.RawMessage
	// columns are the columns of the schema; nil if the catalog has no schema.
	columns []statements.Column
	// byName has the places of columns by their names, and by their names in lower case.
	byName map[string]int
}

// tables are the tables that the text of a question names.
type tables struct {
	service  *Service
	question *Question
	// found are the answers so far, by the name that was asked for; nil for a table that the catalog lacks.
	found map[string]*sqllineage.Table
	// stored are the datasets of the tables that were found, by their names in the catalog.
	stored map[string]*stored
}

func newTables(s *Service, q *Question) *tables {
	return &tables{service: s, question: q, found: map[string]*sqllineage.Table{}, stored: map[string]*stored{}}
}

// find finds a table in the catalog. A dataset that was not soft-deleted is preferred.
func (t *tables) find(ctx context.Context, parts []string) (*sqllineage.Table, error) {
	name := strings.Join(parts, ".")
	if known, asked := t.found[name]; asked {
		return known, nil
	}
	if len(t.found) >= limits.MaxSQLTables {
		return nil, catalog.Errorf(catalog.Invalid, "the SQL names more than %d tables", limits.MaxSQLTables)
	}
	t.found[name] = nil
	var candidates []inlineage.Candidate
	var urns []model.URN
	var texts []string
	for _, c := range t.question.place.Candidates(parts) {
		if u, err := t.service.Registry.ReadURN(c.URN); err == nil { // otherwise no dataset can have this name
			candidates, urns, texts = append(candidates, c), append(urns, u), append(texts, u.String())
		}
	}
	if len(urns) == 0 {
		return nil, nil
	}
	values, err := t.service.valuesOf(ctx, texts, t.question.AsOf)
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(texts, func(urn string) bool { return values[urn] != nil && !values[urn].removed })
	if at < 0 {
		at = slices.IndexFunc(texts, func(urn string) bool { return values[urn] != nil })
	}
	if at < 0 {
		return nil, nil
	}
	dataset := values[texts[at]]
	dataset.urn = urns[at]
	table := &sqllineage.Table{Name: candidates[at].Name}
	if table.Columns, err = dataset.readColumns(); err != nil {
		return nil, catalog.Errorf(catalog.Internal, "the columns of %s: %w", texts[at], err)
	}
	t.found[name], t.stored[table.Name] = table, dataset
	return table, nil
}

// readColumns sets the columns. It returns the names of the columns and of the fields inside them; nil if the
// catalog has no schema.
func (d *stored) readColumns() ([]string, error) {
	schema := d.values[model.AspectSchemaMetadata]
	if schema == nil {
		return nil, nil
	}
	var err error
	if d.columns, err = statements.ColumnsOf(schema, d.values[model.AspectEditableSchemaMetadata]); err != nil {
		return nil, err
	}
	d.byName = make(map[string]int, 2*len(d.columns))
	for i := range slices.Backward(d.columns) { // the first column of a name counts
		d.byName[strings.ToLower(model.PlainPath(d.columns[i].Path))] = i
	}
	for i := range slices.Backward(d.columns) {
		d.byName[model.PlainPath(d.columns[i].Path)] = i
	}
	return inlineage.ColumnsIn(schema)
}

// valuesOf returns the values that aspects of datasets have now, or had at a moment. Datasets that do not
// exist are absent.
func (s *Service) valuesOf(ctx context.Context, urns []string, at int64) (map[string]*stored, error) {
	found := map[string]*stored{}
	var values map[string][]graphstore.Aspect
	if at == 0 {
		nodes, err := s.Store.Entities(ctx, urns)
		if err != nil {
			return nil, catalog.StoreFailure(err)
		}
		for i := range nodes {
			if nodes[i].Exists {
				found[nodes[i].URN] = &stored{removed: nodes[i].Removed, values: map[string]json.RawMessage{}}
			}
		}
		if len(found) == 0 {
			return found, nil
		}
		if values, err = s.Store.LatestAspects(ctx, urns, aspects); err != nil {
			return nil, catalog.StoreFailure(err)
		}
	} else {
		past, err := s.Past.AspectsAt(ctx, urns, at, aspects)
		if err != nil {
			return nil, err
		}
		values = map[string][]graphstore.Aspect{}
		for urn, p := range past {
			if values[urn] = p.Values; len(p.Values) > 0 {
				found[urn] = &stored{values: map[string]json.RawMessage{}}
			}
		}
	}
	for urn, d := range found {
		for i := range values[urn] {
			d.values[values[urn][i].Name] = values[urn][i].Value
		}
		if status := d.values[model.AspectStatus]; status != nil {
			tree, err := catalog.TreeOf(status)
			if err != nil {
				return nil, err
			}
			d.removed = tree["removed"] == true
		}
	}
	return found, nil
}
