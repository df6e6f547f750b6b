package relational

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
	"github.com/headwater-io/headwater/sql/lineage"
)

// ingestion is the actor of a reading's statements.
const ingestion = "urn:li:corpuser:_ingestion"

// The confidence in lineage that is read from SQL, as the client gives it, and in a source that may be another column.
const (
	parsedConfidence   = 0.9
	possibleConfidence = 0.5
)

// view is code whose lineage is read when all tables are known.
type view struct {
	name, dialect string
	schema        string
	// code is the SQL that is parsed, definition the SQL that people see.
	code, definition string
	columns          []string
	sources          []string
	// path are the schemas of names without one. dataset returns the name of a dataset.
	path    []string
	dataset func(schema, table string) string
}

func viewOf(db Database, t *Table, name string) view {
	v := view{name: name, dialect: db.Dialect(), schema: t.Schema, code: cmp.Or(t.Query, t.Definition), definition: t.Definition, path: db.Path(), dataset: db.Dataset}
	for i := range t.Columns {
		v.columns = append(v.columns, t.Columns[i].Name)
	}
	for _, s := range t.Sources {
		v.sources = append(v.sources, db.Dataset(s.Schema, s.Table))
	}
	return v
}

// candidates are the names of datasets that a name in the view's SQL may mean, the likeliest first.
func (v *view) candidates(parts []string) []string {
	switch len(parts) {
	case 1:
		var names []string
		for _, schema := range v.path {
			names = append(names, v.dataset(schema, parts[0]))
		}
		return append(names, v.dataset(v.schema, parts[0]))
	case 2:
		return []string{v.dataset(parts[0], parts[1])}
	}
	return []string{strings.Join(parts, ".")}
}

// resolved returns the name of the dataset that a statement calls so. A table that is not known has the name that SQL
// gives it.
func (v *view) resolved(t *tables, called string) string {
	if t.exact[called] != nil {
		return called
	}
	names := v.candidates(strings.Split(called, "."))
	return names[len(names)-1]
}

// viewLineage states the lineage of the views that were read.
func (r *Reading) viewLineage(ctx context.Context) error {
	for i := range r.views {
		v := &r.views[i]
		found, err := r.sources(ctx, v)
		if err != nil {
			return err
		}
		if err := r.stateView(v, found); err != nil {
			return err
		}
	}
	return nil
}

// sources is the result of reading SQL: the names of datasets, and the outputs.
type sources struct {
	reads, writes []string
	outputs       []output
}

type output struct {
	column string
	from   []lineage.Source
	how    lineage.How
}

// sources reads the SQL of a view. If the SQL is not understood, the sources are the tables that the database
// itself names.
func (r *Reading) sources(ctx context.Context, v *view) (*sources, error) {
	if v.code == "" || len(v.code) > limits.MaxConnectorSQLBytes {
		return &sources{reads: v.sources}, nil
	}
	statements, err := r.SQL.Read(ctx, v.code, lineage.Settings{Dialect: v.dialect, Tables: r.tables.lookup(v)})
	var size *lineage.SizeError
	switch {
	case errors.As(err, &size), err == nil && len(statements) == 0:
		return &sources{reads: v.sources}, nil
	case err != nil:
		return nil, fmt.Errorf("the SQL of %s: %w", v.name, err)
	}
	s := &statements[len(statements)-1]
	for _, problem := range s.NotUnderstood {
		if !problem.Name {
			r.Report.Warn("the SQL of %s, line %d, is not understood: %s (%s)", v.name, problem.Line, problem.Text, problem.Why)
			if len(s.Reads) == 0 {
				return &sources{reads: v.sources}, nil
			}
			break
		}
	}
	return r.resolve(v, s), nil
}

func (r *Reading) resolve(v *view, s *lineage.Statement) *sources {
	found := &sources{}
	for _, called := range s.Reads {
		if name := v.resolved(r.tables, called); name != v.name && !slices.Contains(found.reads, name) {
			found.reads = append(found.reads, name)
		}
	}
	for _, called := range s.Writes {
		found.writes = append(found.writes, v.resolved(r.tables, called))
	}
	slices.Sort(found.reads)
	for i, c := range s.Columns {
		if c.Output == "*" {
			continue
		}
		o := output{column: c.Output, how: c.How}
		if len(s.Columns) == len(v.columns) {
			o.column = v.columns[i] // a view may call its columns otherwise
		}
		for _, from := range c.Sources {
			from.Table = v.resolved(r.tables, from.Table)
			if from.Column != "*" && from.Table != v.name {
				o.from = append(o.from, from)
			}
		}
		found.outputs = append(found.outputs, o)
	}
	return found
}

// stateView proposes the lineage of a view, and the query that defines it.
func (r *Reading) stateView(v *view, s *sources) error {
	if len(s.reads) == 0 {
		return nil
	}
	urn := r.datasetURN(v.name)
	query := viewQueryURN(urn)
	if v.code == "" {
		query = ""
	}
	now := values{"time": r.Now.UnixMilli(), "actor": ingestion}
	subjects, fields := []string{}, []string{}
	upstreams := make([]values, len(s.reads))
	for i, name := range s.reads {
		from := r.datasetURN(name)
		subjects = append(subjects, from)
		upstreams[i] = withQuery(values{"dataset": from, "type": "VIEW", "auditStamp": now, "created": values{"time": 0, "actor": ingestion}}, query)
	}
	lineage := values{"upstreams": upstreams}
	entries := []values{}
	for _, o := range s.outputs {
		entry := r.entry(urn, o)
		if entry == nil {
			continue
		}
		entries = append(entries, withQuery(entry, query))
		fields = append(fields, entry["upstreams"].([]string)...)
	}
	if len(entries) > 0 && r.ViewColumnLineage {
		lineage["fineGrainedLineages"] = entries
	}
	if err := r.propose(urn, model.AspectUpstreamLineage, lineage); err != nil || query == "" {
		return err
	}
	slices.Sort(fields)
	subjects = append(append(subjects, urn), slices.Compact(fields)...)
	for _, o := range s.outputs {
		subjects = append(subjects, fieldURN(urn, o.column))
	}
	return r.query(query, v.definition, subjects)
}

func withQuery(v values, query string) values {
	if query != "" {
		v["query"] = query
	}
	return v
}

// ways are the words of OpenLineage for how a value flows.
var ways = map[lineage.How]string{lineage.Identity: "DIRECT:IDENTITY", lineage.Aggregation: "DIRECT:AGGREGATION", lineage.Transformation: "DIRECT:TRANSFORMATION"}

// entry is an entry of fineGrainedLineages, nil if the output has no sources.
func (r *Reading) entry(urn string, o output) values {
	confidence := parsedConfidence
	var upstreams []string
	for _, from := range o.from {
		upstreams = append(upstreams, fieldURN(r.datasetURN(from.Table), from.Column))
		if from.Possible {
			confidence = possibleConfidence
		}
	}
	if len(upstreams) == 0 {
		return nil
	}
	slices.Sort(upstreams)
	v := values{
		"upstreamType": "FIELD_SET", "upstreams": slices.Compact(upstreams), "downstreamType": "FIELD", "downstreams": []string{fieldURN(urn, o.column)},
		"confidenceScore": confidence,
	}
	if way := ways[o.how]; way != "" {
		v["transformOperation"] = way
	}
	return v
}

// query proposes a query of the system.
func (r *Reading) query(urn, statement string, subjects []string) error {
	list := make([]values, len(subjects))
	for i, subject := range subjects {
		list[i] = values{"entity": subject}
	}
	return r.proposeAll(urn,
		aspect{model.AspectQueryProperties, values{
			"statement": values{"value": strings.TrimSuffix(strings.TrimSpace(statement), ";"), "language": "SQL"}, "source": "SYSTEM", "customProperties": values{},
			"created": values{"time": 0, "actor": ingestion}, "lastModified": values{"time": r.Now.UnixMilli(), "actor": ingestion},
		}},
		aspect{model.AspectQuerySubjects, values{"subjects": list}},
		aspect{model.AspectDataPlatformInstance, values{"platform": r.platformURN()}},
		aspect{model.AspectStatus, values{"removed": false}},
	)
}
