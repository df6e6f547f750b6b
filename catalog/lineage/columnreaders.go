package lineage

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/read"
	"github.com/headwater-io/headwater/catalog/statements"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/model"
	"github.com/headwater-io/headwater/sql"
	"github.com/headwater-io/headwater/sql/reads"
)

// lostColumns are columns of an entity that are dropped, renamed or given another type, or
// columns that derive from such a column.
type lostColumns struct {
	asset string
	// urns and paths name the columns. The paths do not have the types of nested fields.
	urns, paths []string
	// table has the names by which SQL may refer to the entity.
	table sql.Table
}

// lost describes columns of an entity as lost. The columns are given as URNs.
func (s *Service) lost(ctx context.Context, from *aspectReader, asset string, columns []string) (*lostColumns, error) {
	l := &lostColumns{asset: asset, urns: columns, paths: plainPaths(columns), table: sql.Table{Name: tableName(asset)}}
	known, err := from.columnsOf(ctx, []string{asset})
	l.table.Columns = known[asset]
	return l, err
}

// columnsOf returns the columns of tables at the moment of the reader, in their order. A table without a
// known schema has no entry.
func (r *aspectReader) columnsOf(ctx context.Context, tables []string) (map[string][]string, error) {
	columns := make(map[string][]string, len(tables))
	for some := range slices.Chunk(tables, aspectsAtOnce) {
		stored, _, err := r.read(ctx, some, []string{model.AspectSchemaMetadata})
		if err != nil {
			return nil, err
		}
		for urn, aspects := range stored {
			for _, a := range aspects {
				paths, err := statements.FieldPathsOf(a.Value)
				if err != nil {
					return nil, catalog.Errorf(catalog.Internal, "%s of %s: %w", a.Name, urn, err)
				}
				columns[urn] = plainNames(paths)
			}
		}
	}
	return columns, nil
}

// plainPaths returns the paths of columns without the types of nested fields.
func plainPaths(columns []string) []string {
	paths := make([]string, len(columns))
	for i, column := range columns {
		paths[i] = model.PlainPath(columnPath(column))
	}
	return paths
}

// tableName returns the parts of a dataset's name. Other entities have no parts.
func tableName(urn string) []string {
	u := model.StoredURN(urn)
	if u.EntityType() != model.EntityDataset || len(u.Parts()) < 2 {
		return nil
	}
	return strings.Split(u.Parts()[1], ".")
}

// readerAspects are the aspects that tell which columns an entity reads.
var readerAspects = []string{
	model.AspectUpstreamLineage, model.AspectDataJobInputOutput, model.AspectDerivedLineage, model.AspectInputFields,
	model.AspectViewProperties, model.AspectDataTransformLogic, model.AspectChartQuery,
	model.AspectAssertionInfo, model.AspectQueryProperties, model.AspectQuerySubjects, model.AspectDerivedSubjects,
}

// judge decides which of the visited entities read lost columns, for certain or possibly. The
// function lost returns the columns that are lost one hop upstream of an entity. An entity that
// reads none of them has no entry in the result.
func (s *Service) judge(ctx context.Context, from *aspectReader, texts *reads.Reader, visits []graphstore.Visit, lost func(urn string) []*lostColumns) (map[string]*columnEffect, error) {
	effects := map[string]*columnEffect{}
	for some := range slices.Chunk(visits, aspectsAtOnce) {
		stored, unknown, err := from.read(ctx, urnsOf(some), readerAspects)
		if err != nil {
			return nil, err
		}
		var judged []*judgement
		for _, v := range some {
			for _, l := range lost(v.URN) {
				j, err := newJudgement(l, v, stored[v.URN])
				if err != nil {
					return nil, err
				}
				judged = append(judged, j)
			}
		}
		if err := s.findSQL(ctx, from, texts, judged); err != nil {
			return nil, err
		}
		for _, j := range judged {
			if j.found, err = texts.Read(ctx, j.lost.paths, j.tables, j.statements); err != nil {
				return nil, err
			}
			effect := j.effect()
			if reason := unknown[j.urn]; reason != "" && (effect == nil || effect.effect == EffectPossible) {
				effect = mayRead(reason)
				effect.whole = j.query == nil
			}
			if known := effects[j.urn]; effect != nil && (known == nil || known.effect == EffectPossible) {
				effects[j.urn] = effect
			}
		}
	}
	return effects, nil
}

// judgement is the question whether one entity reads the lost columns of one entity upstream of
// it.
type judgement struct {
	lost   *lostColumns
	urn    string
	of     string // the type of urn
	reader *reader
	check  *check
	query  *savedQuery
	// statements is the SQL by which the entity may read the columns, tables are the tables that the
	// SQL is known to read, and found is how the SQL reads the columns.
	statements []reads.Statement
	tables     *reads.Tables
	found      *reads.Reading
}

func newJudgement(l *lostColumns, v graphstore.Visit, aspects []graphstore.Aspect) (*judgement, error) {
	j := &judgement{lost: l, urn: v.URN, of: v.Type, reader: &reader{}}
	var err error
	switch v.Type {
	case model.EntityAssertion:
		j.check, err = newCheck(v.URN, aspects)
	case model.EntityQuery:
		j.query, err = newSavedQuery(v.URN, aspects)
	default:
		j.reader, err = newReader(l, v.URN, aspects)
	}
	return j, err
}

// findSQL gives judgements their SQL, and the columns of the tables that the SQL is known to read.
func (s *Service) findSQL(ctx context.Context, from *aspectReader, texts *reads.Reader, judged []*judgement) error {
	var queries []string
	for _, j := range judged {
		queries = append(queries, j.reader.queries...)
	}
	stated, err := s.statementsOf(ctx, from, distinct(queries))
	if err != nil {
		return err
	}
	var tables []string
	others := make([][]string, len(judged))
	for i, j := range judged {
		j.statements, others[i] = j.sql(stated)
		j.tables = &reads.Tables{Table: j.lost.table}
		for _, urn := range others[i] {
			j.tables.Others = append(j.tables.Others, tableName(urn))
		}
		if len(others[i]) > 0 && texts.Parses() && texts.MayRead(j.lost.paths, &j.tables.Table, j.statements) {
			tables = append(tables, others[i]...)
		}
	}
	columns, err := from.ofTables().columnsOf(ctx, distinct(tables))
	if err != nil {
		return err
	}
	for i, j := range judged {
		for _, urn := range others[i] {
			j.tables.OfOthers = append(j.tables.OfOthers, columns[urn])
		}
	}
	return nil
}

// sql returns the SQL by which the entity may read the lost columns, and the URNs of the other tables
// that the SQL is known to read. It returns no SQL if the SQL does not matter.
func (j *judgement) sql(stated map[string]queryStatement) ([]reads.Statement, []string) {
	switch j.of {
	case model.EntityAssertion:
		return j.check.sql(j.lost), nil
	case model.EntityQuery:
		return j.query.sql(j.lost)
	case model.EntityDataContract:
		return nil, nil // the assertions of the contract are judged instead
	}
	if j.reader.names {
		return nil, nil
	}
	statements := j.reader.statements
	for _, query := range distinct(j.reader.queries) {
		if text, known := stated[query]; known {
			statements = append(statements, reads.Statement{Text: text.Value, Language: text.Language, Platform: platformOf(j.lost.asset)})
		}
	}
	return statements, j.reader.others
}

func (j *judgement) effect() *columnEffect {
	switch j.of {
	case model.EntityAssertion:
		return effectOnCheck(j.lost, j.check, j.statements, j.found)
	case model.EntityQuery:
		return effectOnQuery(j.lost, j.query, j.statements, j.found)
	case model.EntityDataContract:
		return nil // the assertions of the contract are judged instead
	}
	return effectOnReader(j.reader, j.statements, j.found)
}

// reader has an entity's statements about the columns that it reads.
type reader struct {
	urn string
	// overruled are stated edges that do not hold, because the server's reading of the SQL is preferred.
	overruled map[model.EdgeEnds]bool
	// names: the entity states that it reads one of the lost columns. states: the entity states
	// columns at all. statesOurs: some of the stated columns belong to the entity that loses
	// columns.
	names, states, statesOurs bool
	statements                []reads.Statement
	// queries are the URNs of the queries by which the reader derives from the entity that loses
	// columns.
	queries []string
	// others are the URNs of the other entities from which the reader derives.
	others []string
}

type queryStatement struct {
	Value    string `json:"value"`
	Language string `json:"language"`
}

// readerFields has the members of readerAspects that tell which columns an entity reads.
type readerFields struct {
	Upstreams []struct {
		Dataset string `json:"dataset"`
		Query   string `json:"query"`
	} `json:"upstreams"`
	InputDatasets []string `json:"inputDatasets"`
	InputColumns  []string `json:"inputDatasetFields"`
	FineGrained   []struct {
		Upstreams   []string `json:"upstreams"`
		Downstreams []string `json:"downstreams"`
		Query       string   `json:"query"`
	} `json:"fineGrainedLineages"`
	Fields []struct {
		Column string `json:"schemaFieldUrn"`
	} `json:"fields"`
	ViewLogic      string `json:"viewLogic"`
	FormattedLogic string `json:"formattedViewLogic"`
	ViewLanguage   string `json:"viewLanguage"`
	Transforms     []struct {
		Query queryStatement `json:"queryStatement"`
	} `json:"transforms"`
	RawQuery string `json:"rawQuery"`
	Type     string `json:"type"`
}

func newReader(l *lostColumns, urn string, aspects []graphstore.Aspect) (*reader, error) {
	overruled, err := overruledBy(urn, aspects)
	if err != nil {
		return nil, err
	}
	r := &reader{urn: urn, overruled: overruled}
	platform := platformOf(urn)
	for i := range aspects {
		var f readerFields
		if err := json.Unmarshal(aspects[i].Value, &f); err != nil {
			return nil, catalog.Errorf(catalog.Internal, "%s of %s: %w", aspects[i].Name, urn, err)
		}
		r.readUpstreams(l, &f)
		for _, column := range f.InputColumns {
			r.readColumn(l, column)
		}
		for k := range f.Fields {
			r.readColumn(l, f.Fields[k].Column)
		}
		switch {
		case f.FormattedLogic != "": // the compiled form of the statement
			r.statements = append(r.statements, reads.Statement{Text: f.FormattedLogic, Language: f.ViewLanguage, Platform: platform})
		case f.ViewLogic != "":
			r.statements = append(r.statements, reads.Statement{Text: f.ViewLogic, Language: f.ViewLanguage, Platform: platform})
		}
		for k := range f.Transforms {
			r.statements = append(r.statements, reads.Statement{Text: f.Transforms[k].Query.Value, Language: f.Transforms[k].Query.Language, Platform: platform})
		}
		if f.RawQuery != "" {
			r.statements = append(r.statements, reads.Statement{Text: f.RawQuery, Language: f.Type, Platform: platform})
		}
	}
	return r, nil
}

func (r *reader) readUpstreams(l *lostColumns, f *readerFields) {
	for i := range f.Upstreams {
		up := &f.Upstreams[i]
		if r.overruled[model.EdgeEnds{Source: r.urn, Destination: up.Dataset}] {
			continue
		}
		if up.Dataset != l.asset {
			r.others = append(r.others, up.Dataset)
		} else if up.Query != "" {
			r.queries = append(r.queries, up.Query)
		}
	}
	for _, input := range f.InputDatasets {
		if input != l.asset {
			r.others = append(r.others, input)
		}
	}
	for i := range f.FineGrained {
		ours := false
		for _, column := range f.FineGrained[i].Upstreams {
			if r.overrules(f.FineGrained[i].Downstreams, column) {
				r.states = true
				continue
			}
			ours = r.readColumn(l, column) || ours
		}
		if query := f.FineGrained[i].Query; ours && query != "" {
			r.queries = append(r.queries, query)
		}
	}
}

// overruledBy returns the stated edges of an entity that its derivedLineage overrules.
func overruledBy(urn string, aspects []graphstore.Aspect) (map[model.EdgeEnds]bool, error) {
	for i := range aspects {
		if aspects[i].Name != model.AspectDerivedLineage {
			continue
		}
		tree, err := catalog.TreeOf(aspects[i].Value)
		if err != nil {
			return nil, err
		}
		return model.Overruled(urn, tree), nil
	}
	return nil, nil
}

// overrules reports whether all edges from downstream columns to an upstream column are overruled.
func (r *reader) overrules(downstreams []string, column string) bool {
	return len(r.overruled) > 0 && !slices.ContainsFunc(downstreams, func(down string) bool {
		return !r.overruled[model.EdgeEnds{Source: down, Destination: column}]
	})
}

// readColumn records a column that the reader states to read. readColumn reports whether the
// column belongs to the entity that loses columns.
func (r *reader) readColumn(l *lostColumns, column string) (ours bool) {
	u := model.StoredURN(column)
	if u.EntityType() != model.EntitySchemaField {
		return false // the input is the whole entity
	}
	r.states = true
	if assetOfURN(u) != l.asset {
		return false
	}
	r.statesOurs = true
	r.names = r.names || slices.Contains(l.urns, column)
	return true
}

// effectOnReader decides how an entity is affected that derives from the entity that loses
// columns. effectOnReader returns nil if the reader is not affected.
func effectOnReader(r *reader, statements []reads.Statement, found *reads.Reading) *columnEffect {
	switch {
	case r.names:
		return &columnEffect{effect: EffectCertain, because: BecauseColumns}
	case found.Names:
		return readBySQL(found, true)
	case !r.states:
		return &columnEffect{effect: EffectPossible, because: BecauseNotStated, whole: true}
	case len(statements) == 0:
		return mayRead("its SQL is not known")
	}
	return doubtOf(found)
}

// readBySQL returns the effect on an entity whose SQL reads a lost column.
func readBySQL(found *reads.Reading, whole bool) *columnEffect {
	return &columnEffect{effect: EffectCertain, because: BecauseSQL, whole: whole, reads: found.Places, detail: found.Unread}
}

// doubtOf returns the effect on an entity whose SQL does not name a lost column but may read
// it, or nil if the SQL leaves no doubt.
func doubtOf(found *reads.Reading) *columnEffect {
	switch {
	case found.Unread != "":
		return mayRead("its SQL could not be read as a whole: " + found.Unread)
	case found.Star:
		return mayRead("its SQL reads all columns")
	case found.Doubt != "":
		return mayRead(found.Doubt)
	}
	return nil
}

func mayRead(detail string) *columnEffect {
	return &columnEffect{effect: EffectPossible, because: BecauseMayRead, whole: true, detail: detail}
}

// statementsOf reads the SQL of queries.
func (s *Service) statementsOf(ctx context.Context, from *aspectReader, queries []string) (map[string]queryStatement, error) {
	texts := make(map[string]queryStatement, len(queries))
	for some := range slices.Chunk(queries, aspectsAtOnce) {
		stored, _, err := from.read(ctx, some, []string{model.AspectQueryProperties})
		if err != nil {
			return nil, err
		}
		for urn, aspects := range stored {
			if len(aspects) == 0 {
				continue
			}
			var f struct {
				Statement queryStatement `json:"statement"`
			}
			if err := json.Unmarshal(aspects[0].Value, &f); err != nil {
				return nil, catalog.Errorf(catalog.Internal, "%s of %s: %w", aspects[0].Name, urn, err)
			}
			if f.Statement.Value != "" {
				texts[urn] = f.Statement
			}
		}
	}
	return texts, nil
}

// platformOf returns the last part of the platform's URN, if the URN of the entity names a
// platform.
func platformOf(urn string) string {
	return model.StoredURN(read.PlatformOf(urn, &graphstore.Entity{})).Key()
}
