package relational

import (
	"context"
	"regexp"
	"slices"
	"strings"

	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/python"
	"github.com/headwater-io/headwater/model"
	"github.com/headwater-io/headwater/sql/lineage"
)

// procedures proposes the stored procedures of a schema: a flow for all, and a job for each. Their lineage follows
// when all tables of the schema are known.
func (r *Reading) procedures(ctx context.Context, db Database, schema string) error {
	list, err := db.Procedures(ctx, schema)
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		r.Report.Warn("the procedures of %s.%s: %v", db.Container(), schema, err)
		return nil
	}
	list = slices.DeleteFunc(list, func(p Procedure) bool {
		name := db.Dataset(schema, p.Name)
		r.Report.Scan("procedure")
		if r.Procedures.Allows(name) {
			return false
		}
		r.Report.Filter(name)
		return true
	})
	if len(list) == 0 {
		return nil
	}
	name := db.Container() + "." + schema + ".stored_procedures"
	if r.TwoLevels {
		name = db.Container() + ".stored_procedures"
	}
	id := name
	if r.Instance != "" {
		id = r.Instance + "." + name
	}
	flow := "urn:li:dataFlow:(" + r.Platform + "," + partEncoder.Replace(id) + "," + r.Env + ")"
	if err := r.flow(flow, name, db.Container()); err != nil {
		return err
	}
	for i := range list {
		if err := r.procedure(ctx, db, schema, flow, &list[i]); err != nil {
			return err
		}
	}
	return nil
}

func (r *Reading) flow(urn, name, database string) error {
	var instance values
	if r.Instance != "" {
		instance = r.instance()
	}
	return r.proposeAll(urn,
		aspect{model.AspectDataFlowInfo, values{"name": name, "customProperties": values{}}},
		aspect{model.AspectSubTypes, values{"typeNames": []string{"Procedures Container"}}},
		aspect{model.AspectDataPlatformInstance, instance},
		aspect{model.AspectContainer, values{"container": containerURN(r.key(database, ""))}},
		aspect{model.AspectBrowsePathsV2, r.path(database, "", true)},
		aspect{model.AspectStatus, values{"removed": false}},
	)
}

func (r *Reading) procedure(ctx context.Context, db Database, schema, flow string, p *Procedure) error {
	id := p.Name
	if p.Arguments != "" {
		id += "_" + python.GUID(map[string]string{"argument_signature": p.Arguments})
	}
	urn := "urn:li:dataJob:(" + flow + "," + partEncoder.Replace(id) + ")"
	container, path := r.place(db.Container(), schema)
	var instance, code values
	if r.Instance != "" {
		instance = r.instance()
	}
	info := values{"name": p.Name, "type": values{"string": "Stored Procedure"}, "customProperties": values{}}
	if p.Comment != nil {
		info["description"] = *p.Comment
	}
	if p.Definition != "" {
		code = values{"transforms": []values{{"queryStatement": values{"value": p.Definition, "language": "SQL"}}}}
	}
	moved, err := r.moved(ctx, db, schema, p)
	if err != nil {
		return err
	}
	return r.proposeAll(urn,
		aspect{model.AspectDataJobInfo, info},
		aspect{model.AspectSubTypes, values{"typeNames": []string{"Stored Procedure"}}},
		aspect{model.AspectDataPlatformInstance, instance},
		aspect{model.AspectContainer, values{"container": container}},
		aspect{model.AspectDataTransformLogic, code},
		aspect{model.AspectDataJobInputOutput, moved},
		aspect{model.AspectBrowsePathsV2, path},
		aspect{model.AspectStatus, values{"removed": false}},
	)
}

var block = regexp.MustCompile(`(?is)^\s*BEGIN\s(?:\s*ATOMIC\s)?(.*?);?\s*END\s*;?\s*$`)

// body returns the statements of a procedure without the words around them.
func body(code string) string {
	if found := block.FindStringSubmatch(code); found != nil {
		return found[1]
	}
	return code
}

// moved is the value of dataJobInputOutput of a procedure, nil if its code tells nothing.
func (r *Reading) moved(ctx context.Context, db Database, schema string, p *Procedure) (values, error) {
	if p.Definition == "" || len(p.Definition) > limits.MaxConnectorSQLBytes || !strings.EqualFold(p.Language, "SQL") {
		return nil, nil
	}
	v := &view{name: "\x00", dialect: db.Dialect(), schema: schema, path: db.Path(), dataset: db.Dataset}
	statements, err := r.SQL.Read(ctx, body(p.Definition), lineage.Settings{Dialect: v.dialect, Tables: r.tables.lookup(v)})
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		r.Report.Warn("the SQL of the procedure %s: %v", db.Dataset(schema, p.Name), err)
		return nil, nil
	}
	inputs, outputs, entries := []string{}, []string{}, []values{}
	for i := range statements {
		s := r.resolve(v, &statements[i])
		if len(s.writes) != 1 {
			continue
		}
		into := r.datasetURN(s.writes[0])
		outputs = append(outputs, into)
		for _, name := range s.reads {
			inputs = append(inputs, r.datasetURN(name))
		}
		for _, o := range s.outputs {
			if entry := r.entry(into, o); entry != nil {
				entries = append(entries, entry)
			}
		}
	}
	if len(outputs) == 0 {
		return nil, nil
	}
	slices.Sort(inputs)
	slices.Sort(outputs)
	return values{"inputDatasets": slices.Compact(inputs), "outputDatasets": slices.Compact(outputs), "fineGrainedLineages": entries}, nil
}
