package relational

import (
	"context"
	"strings"

	"github.com/headwater-io/headwater/model"
	"github.com/headwater-io/headwater/sql/lineage"
)

// table proposes a table or a view, and keeps its columns for the lineage of views.
func (r *Reading) table(ctx context.Context, db Database, t *Table) error {
	name := db.Dataset(t.Schema, t.Name)
	kind, pattern := "table", r.Tables
	if t.View {
		kind, pattern = "view", r.Views
	}
	r.Report.Scan(kind)
	if !pattern.Allows(name) {
		r.Report.Filter(name)
		return nil
	}
	if t.Fault != nil {
		r.Report.Warn("%s cannot be read: %v", name, t.Fault)
		return nil //nolint:nilerr // the report says it, and the other tables are read
	}
	if len(t.Columns) == 0 {
		r.Report.Warn("%s has no columns", name)
	}
	urn := r.datasetURN(name)
	container, path := r.place(db.Container(), t.Schema)
	var instance values
	if r.Instance != "" {
		instance = r.instance()
	}
	aspects := []aspect{
		{model.AspectContainer, values{"container": container}},
		{model.AspectStatus, values{"removed": false}},
		{model.AspectDatasetProperties, t.properties()},
		{model.AspectSchemaMetadata, r.schemaMetadata(db, t, name, urn)},
		{model.AspectDataPlatformInstance, instance},
		{model.AspectSubTypes, values{"typeNames": []string{t.subType()}}},
		{model.AspectViewProperties, t.viewProperties()},
		{model.AspectBrowsePathsV2, path},
		{model.AspectOperation, r.changed(ctx, db, t, name)},
	}
	if r.ViewLineage || r.Usage.Enabled {
		r.tables.add(name, t)
		if t.View && r.ViewLineage {
			r.views = append(r.views, viewOf(db, t, name))
		}
	}
	return r.proposeAll(urn, aspects...)
}

func (t *Table) subType() string {
	if t.View {
		return "View"
	}
	return "Table"
}

func (t *Table) properties() values {
	custom := map[string]string{}
	for name, value := range t.Properties {
		custom[name] = value
	}
	if t.View {
		custom["is_view"], custom["view_definition"] = "True", t.Definition
	}
	v := values{"name": t.Name, "customProperties": custom, "tags": []string{}}
	if t.Comment != nil {
		v["description"] = *t.Comment
	}
	return v
}

func (t *Table) viewProperties() values {
	if !t.View {
		return nil
	}
	return values{"materialized": t.Materialized, "viewLogic": t.Definition, "viewLanguage": "SQL"}
}

func (r *Reading) schemaMetadata(db Database, t *Table, name, urn string) values {
	nobody := values{"time": 0, "actor": "urn:li:corpuser:unknown"}
	fields := make([]values, len(t.Columns))
	for i := range t.Columns {
		c := &t.Columns[i]
		fields[i] = values{
			"fieldPath": c.Name, "nullable": c.Nullable, "nativeDataType": c.Native, "recursive": false, "isPartOfKey": c.Key,
			"type": values{"type": values{"com.linkedin.schema." + c.Kind + "Type": values{}}},
		}
		if c.Comment != nil {
			fields[i]["description"] = *c.Comment
		}
	}
	v := values{
		"schemaName": name, "platform": r.platformURN(), "version": 0, "hash": "", "created": nobody, "lastModified": nobody,
		"platformSchema": values{"com.linkedin.schema.MySqlDDL": values{"tableSchema": ""}}, "fields": fields,
	}
	if keys := r.foreignKeys(db, t, urn); len(keys) > 0 {
		v["foreignKeys"] = keys
	}
	return v
}

func (r *Reading) foreignKeys(db Database, t *Table, urn string) []values {
	var keys []values
	for _, f := range t.Foreign {
		foreign := r.datasetURN(db.Dataset(f.Table.Schema, f.Table.Table))
		keys = append(keys, values{
			"name": f.Name, "foreignDataset": foreign, "sourceFields": fieldURNs(urn, f.Columns), "foreignFields": fieldURNs(foreign, f.Referred),
		})
	}
	return keys
}

func fieldURNs(dataset string, columns []string) []string {
	urns := make([]string, len(columns))
	for i, column := range columns {
		urns[i] = fieldURN(dataset, column)
	}
	return urns
}

// tables are the columns of the tables that were read, for the lineage of views.
type tables struct {
	exact, lower map[string]*lineage.Table
	// names has each name of a column once: tables have many columns of the same name.
	names map[string]string
}

func newTables() *tables {
	return &tables{exact: map[string]*lineage.Table{}, lower: map[string]*lineage.Table{}, names: map[string]string{}}
}

func (t *tables) add(name string, table *Table) {
	known := &lineage.Table{Name: name, Columns: make([]string, len(table.Columns))}
	for i := range table.Columns {
		column := table.Columns[i].Name
		if once, has := t.names[column]; has {
			column = once
		} else {
			t.names[column] = column
		}
		known.Columns[i] = column
	}
	t.exact[name], t.lower[strings.ToLower(name)] = known, known
}

// find returns the table with a name. If there is none, find ignores the case of letters.
func (t *tables) find(name string) *lineage.Table {
	if known := t.exact[name]; known != nil {
		return known
	}
	return t.lower[strings.ToLower(name)]
}

// lookup finds tables by their names in SQL: the name as written, then in the schemas of the path, then in the schema of the view.
func (t *tables) lookup(v *view) lineage.Tables {
	return func(_ context.Context, parts []string) (*lineage.Table, error) {
		for _, name := range v.candidates(parts) {
			if known := t.find(name); known != nil {
				return known, nil
			}
		}
		return nil, nil
	}
}
