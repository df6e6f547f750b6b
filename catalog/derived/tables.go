package derived

import (
	"context"
	"slices"
	"strings"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/sqllineage"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
	"github.com/headwater-io/headwater/sql/lineage"
	"github.com/headwater-io/headwater/sql/parser"
)

// tables are the tables that a text names. The name of a table, for the lineage of the text, is its URN.
type tables struct {
	*Service
	place *place
	// text is the text as plainNames returns it.
	text string
	// found are the answers so far, by the name that was asked for; nil for a table that the catalog lacks.
	found map[string]*lineage.Table
	// missing has the URNs of the tables that the SQL names and the catalog lacks.
	missing map[string]bool
	failure error
}

// find finds a table in the catalog. A dataset that was not soft-deleted is preferred.
func (t *tables) find(ctx context.Context, parts []string) (*lineage.Table, error) {
	name := strings.Join(parts, ".")
	if known, asked := t.found[name]; asked || len(t.found) >= limits.MaxSQLTables {
		return known, nil
	}
	t.found[name] = nil
	candidates := t.candidates(parts)
	first := len(candidates)
	if elsewhere := t.elsewhere(parts); elsewhere != nil {
		for _, urn := range t.candidates(elsewhere) {
			if !slices.Contains(candidates, urn) {
				candidates = append(candidates, urn)
			}
		}
	}
	if len(candidates) == 0 {
		return nil, nil
	}
	nodes, err := t.Store.Entities(ctx, candidates)
	if err != nil {
		t.failure = catalog.StoreFailure(err)
		return nil, t.failure
	}
	exists, removed := map[string]bool{}, map[string]bool{}
	for i := range nodes {
		exists[nodes[i].URN], removed[nodes[i].URN] = nodes[i].Exists, nodes[i].Removed
	}
	at := slices.IndexFunc(candidates, func(urn string) bool { return exists[urn] && !removed[urn] })
	if at < 0 {
		at = slices.IndexFunc(candidates, func(urn string) bool { return exists[urn] })
	}
	if at < 0 || at >= first { // a preferred dataset may be written later
		for _, urn := range candidates[:first] {
			t.missing[urn] = true
		}
	}
	if at < 0 {
		for _, urn := range candidates[first:] {
			t.missing[urn] = true
		}
		return nil, nil
	}
	table := &lineage.Table{Name: candidates[at]}
	if table.Columns, err = t.columnsOf(ctx, table.Name); err != nil {
		t.failure = err
		return nil, err
	}
	t.found[name] = table
	return table, nil
}

// candidates returns the datasets that a name may mean, the first choice first.
func (t *tables) candidates(parts []string) []string {
	var urns []string
	add := func(text string) {
		if u, err := t.Registry.ReadURN(text); err == nil && !slices.Contains(urns, u.String()) {
			urns = append(urns, u.String())
		}
	}
	for _, urn := range t.place.near {
		if own := partsOf(urn); endsAlike(own, parts) {
			add(urn)
		}
	}
	for _, place := range t.place.in {
		for _, c := range place.Candidates(parts) {
			add(c.URN)
		}
	}
	return urns
}

// usualSchemas are the schemas, by dialect, in which a database looks for a table after that of the view. Definitions that
// databases give do not name them: PostgreSQL leaves out the schema of tables that it finds by its search path.
var usualSchemas = map[string]string{"postgresql": "public", "cockroachdb": "public", "redshift": "public", "tsql": "dbo", "duckdb": "main"}

// elsewhere returns the name that a table has in the usual schema, if the text names no schema of the table; nil if there is
// none.
func (t *tables) elsewhere(parts []string) []string {
	dialect, _ := parser.DialectOf(t.place.dialect)
	usual := usualSchemas[dialect]
	n := len(parts)
	if usual == "" || n < 2 || !strings.EqualFold(parts[n-2], t.place.schema) || strings.EqualFold(parts[n-2], usual) || strings.Contains(t.text, strings.ToLower(parts[n-2]+"."+parts[n-1])) {
		return nil
	}
	other := slices.Clone(parts)
	other[n-2] = usual
	return other
}

// plainNames returns a text in lower case, without the quotes around the names in it.
func plainNames(text string) string {
	return strings.NewReplacer(`"`, "", "`", "", "[", "", "]", "", " ", "").Replace(strings.ToLower(text))
}

// endsAlike compares two names of a table from the last part on, as far as both have parts.
func endsAlike(a, b []string) bool {
	n := min(len(a), len(b))
	return n > 0 && slices.EqualFunc(a[len(a)-n:], b[len(b)-n:], strings.EqualFold)
}

// columnsOf returns the columns of a dataset, and the fields inside of them; nil if the catalog has no schema.
func (s *Service) columnsOf(ctx context.Context, urn string) ([]string, error) {
	stored, err := s.Store.LatestAspects(ctx, []string{urn}, []string{model.AspectSchemaMetadata})
	if err != nil || len(stored[urn]) == 0 {
		return nil, catalog.StoreFailure(err)
	}
	columns, err := sqllineage.ColumnsIn(stored[urn][0].Value)
	if err != nil {
		return nil, catalog.Errorf(catalog.Internal, "the columns of %s: %w", urn, err)
	}
	return columns, nil
}
