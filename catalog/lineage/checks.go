package lineage

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/model"
	"github.com/headwater-io/headwater/sql/reads"
)

// check has the members of an assertion that tell which columns it is about.
type check struct {
	Scope       string   `json:"scope"`
	Aggregation string   `json:"aggregation"`
	Fields      []string `json:"fields"`
	Field       string   `json:"field"`
	FieldPath   string   `json:"fieldPath"`
	Logic       string   `json:"logic"`
	Statement   string   `json:"statement"`
	Values      struct {
		Field fieldSpec `json:"field"`
	} `json:"fieldValuesAssertion"`
	Metric struct {
		Field fieldSpec `json:"field"`
	} `json:"fieldMetricAssertion"`
	Schema struct {
		Fields []struct {
			Path string `json:"fieldPath"`
		} `json:"fields"`
	} `json:"schema"`
	Filter struct {
		SQL string `json:"sql"`
	} `json:"filter"`
	// narrow tells that the check is about no columns except the columns that it names.
	narrow bool
}

type fieldSpec struct {
	Path string `json:"path"`
}

// checksOf has the check of an assertion. Only the member for the assertion's kind is set.
type checksOf struct {
	Dataset, Custom, Field, SQL, Schema, Volume, Freshness *check
}

func (c *checksOf) UnmarshalJSON(text []byte) error {
	var members struct {
		Dataset   *check `json:"datasetAssertion"`
		Custom    *check `json:"customAssertion"`
		Field     *check `json:"fieldAssertion"`
		SQL       *check `json:"sqlAssertion"`
		Schema    *check `json:"schemaAssertion"`
		Volume    *check `json:"volumeAssertion"`
		Freshness *check `json:"freshnessAssertion"`
	}
	err := json.Unmarshal(text, &members)
	*c = checksOf{members.Dataset, members.Custom, members.Field, members.SQL, members.Schema, members.Volume, members.Freshness}
	return err
}

// paths returns the paths of the columns that a check is about.
func (c *check) paths() []string {
	var paths []string
	for _, column := range append(slices.Clone(c.Fields), c.Field) {
		if column != "" {
			paths = append(paths, columnPath(column))
		}
	}
	for _, path := range []string{c.FieldPath, c.Values.Field.Path, c.Metric.Field.Path} {
		if path != "" {
			paths = append(paths, path)
		}
	}
	for i := range c.Schema.Fields {
		paths = append(paths, c.Schema.Fields[i].Path)
	}
	for i := range paths {
		paths[i] = model.PlainPath(paths[i])
	}
	return paths
}

// newCheck returns the check of an assertion, or nil if the assertion is of no known kind.
func newCheck(urn string, aspects []graphstore.Aspect) (*check, error) {
	for i := range aspects {
		if aspects[i].Name != model.AspectAssertionInfo {
			continue
		}
		var all checksOf
		if err := json.Unmarshal(aspects[i].Value, &all); err != nil {
			return nil, catalog.Errorf(catalog.Internal, "%s of %s: %w", aspects[i].Name, urn, err)
		}
		for _, narrow := range []*check{all.Volume, all.Freshness, all.Field} {
			if narrow != nil {
				narrow.narrow = true
				return narrow, nil
			}
		}
		return cmp.Or(all.Dataset, all.Custom, all.SQL, all.Schema), nil
	}
	return nil, nil
}

// isAbout reports whether a check is about a lost column.
func (c *check) isAbout(l *lostColumns) bool {
	return slices.ContainsFunc(c.paths(), func(path string) bool { return slices.Contains(l.paths, path) })
}

// sql returns the SQL of a check, or nothing if the check is about a lost column in any case.
func (c *check) sql(l *lostColumns) []reads.Statement {
	if c == nil || c.isAbout(l) {
		return nil
	}
	var statements []reads.Statement
	for _, text := range []string{c.Logic, c.Statement, c.Filter.SQL} {
		if text != "" {
			statements = append(statements, reads.Statement{Text: text, Language: "", Platform: platformOf(l.asset)})
		}
	}
	return statements
}

// effectOnCheck decides how the loss of columns affects an assertion. effectOnCheck returns nil
// if the assertion is not affected. An affected assertion is affected as a whole, because
// contracts stand behind it.
func effectOnCheck(l *lostColumns, c *check, statements []reads.Statement, found *reads.Reading) *columnEffect {
	switch {
	case c == nil:
		return &columnEffect{effect: EffectPossible, because: BecauseNotStated, whole: true}
	case c.isAbout(l):
		return &columnEffect{effect: EffectCertain, because: BecauseAssertion, whole: true}
	case found.Names:
		return readBySQL(found, true)
	case len(statements) > 0:
		return doubtOf(found)
	case len(c.paths()) > 0 || c.narrow || c.Scope == "DATASET_ROWS" && c.Aggregation == "ROW_COUNT":
		return nil
	}
	return &columnEffect{effect: EffectPossible, because: BecauseNotStated, whole: true}
}

// savedQuery has the members of a query that name the entities and columns which the query
// reads.
type savedQuery struct {
	Source    string         `json:"source"`
	Statement queryStatement `json:"statement"`
	Subjects  []struct {
		Entity string `json:"entity"`
	} `json:"subjects"`
}

// systemQuery is the source of a query that nobody saved: an ingestion source saw it run, or it
// defines a view.
const systemQuery = "SYSTEM"

// unsavedAmong returns the queries among reached that nobody saved.
func (s *Service) unsavedAmong(ctx context.Context, reached []Reached) (map[string]bool, error) {
	var queries []string
	for _, r := range reached {
		if r.Type == model.EntityQuery {
			queries = append(queries, r.URN)
		}
	}
	unsaved := map[string]bool{}
	err := s.eachAspects(ctx, queries, []string{model.AspectQueryProperties}, func(urn string, aspects []graphstore.Aspect) error {
		q, err := newSavedQuery(urn, aspects)
		if err == nil {
			unsaved[urn] = q.Source == systemQuery
		}
		return err
	})
	return unsaved, err
}

func newSavedQuery(urn string, aspects []graphstore.Aspect) (*savedQuery, error) {
	q := &savedQuery{}
	for i := range aspects {
		subjects := q.Subjects
		q.Subjects = nil
		if err := json.Unmarshal(aspects[i].Value, q); err != nil {
			return nil, catalog.Errorf(catalog.Internal, "%s of %s: %w", aspects[i].Name, urn, err)
		}
		q.Subjects = append(subjects, q.Subjects...) // two aspects may have some
	}
	return q, nil
}

// lists reports whether a query names a lost column as its subject.
func (q *savedQuery) lists(l *lostColumns) bool {
	for _, subject := range q.Subjects {
		if slices.Contains(l.urns, subject.Entity) {
			return true
		}
	}
	return false
}

// sql returns the SQL of a query that somebody saved, and the URNs of the other tables that it is about.
func (q *savedQuery) sql(l *lostColumns) (statements []reads.Statement, others []string) {
	if q.Source == systemQuery || q.Statement.Value == "" {
		return nil, nil
	}
	for _, subject := range q.Subjects {
		if asset := assetOf(subject.Entity); asset != l.asset {
			others = append(others, asset)
		}
	}
	return []reads.Statement{{Text: q.Statement.Value, Language: q.Statement.Language, Platform: platformOf(l.asset)}}, distinct(others)
}

// effectOnQuery decides how the loss of columns affects a saved query. effectOnQuery returns
// nil if the query is not affected.
func effectOnQuery(l *lostColumns, q *savedQuery, statements []reads.Statement, found *reads.Reading) *columnEffect {
	switch {
	case q.Source == systemQuery:
		return nil
	case found.Names:
		return readBySQL(found, false)
	case q.lists(l):
		return &columnEffect{effect: EffectCertain, because: BecauseSubject}
	case len(statements) == 0:
		return terminal(mayRead("its SQL is not known"))
	}
	return terminal(doubtOf(found))
}

// terminal marks an effect as one that spreads no further: nothing stands behind a query.
func terminal(e *columnEffect) *columnEffect {
	if e != nil {
		e.whole = false
	}
	return e
}
