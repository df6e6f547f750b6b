package lineage

import (
	"bytes"
	"context"
	"maps"
	"slices"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

// basisStatement is an aspect of an entity, with the run, pipeline or actor that wrote it.
type basisStatement struct {
	asset, aspect string
	// run and pipeline are empty if the write named none.
	run, pipeline, actor string
	// seen is the time of the last write of the aspect, equal writes included, epoch milliseconds.
	seen int64
}

// basisStatements reads the aspects that state the lineage of a walk.
type basisStatements struct {
	s    *Service
	asOf int64
	// aspects lists the names of the aspects to read, by entity type.
	aspects map[string][]string
	// versions is the number of former versions that may still be read.
	versions int
	all      []basisStatement
	// inputs has the entities that state which entities they derive from. columns has the entities
	// that state which columns they derive from.
	inputs, columns map[string]bool
}

func newStatements(s *Service, q *basisQuestion) *basisStatements {
	r := &basisStatements{s: s, asOf: q.walk.AsOf, aspects: s.statingAspects(), versions: limits.BasisVersions, inputs: map[string]bool{}, columns: map[string]bool{}}
	if q.sql {
		r.aspects[model.EntityDataset] = append(r.aspects[model.EntityDataset], model.AspectViewProperties)
		r.aspects[model.EntityDataJob] = append(r.aspects[model.EntityDataJob], model.AspectDataTransformLogic)
		r.aspects[model.EntityChart] = append(r.aspects[model.EntityChart], model.AspectChartQuery)
	}
	return r
}

// statingAspects returns the names of the aspects that state lineage or the subject of an
// entity, by entity type.
func (s *Service) statingAspects() map[string][]string {
	aspects := map[string][]string{
		model.EntityChart: {model.AspectInputFields}, model.EntityDashboard: {model.AspectInputFields},
	}
	for _, rel := range s.registry.Relationships() {
		for _, source := range rel.SourceEntities {
			about := slices.ContainsFunc(referenceKinds, func(kind graphstore.EdgeKind) bool { return kind.Type == rel.Name && kind.SourceType == source })
			if (rel.IsLineage || about) && !slices.Contains(aspects[source], rel.Aspect) {
				aspects[source] = append(aspects[source], rel.Aspect)
			}
		}
	}
	return aspects
}

func (r *basisStatements) read(ctx context.Context, assets []string) error {
	byType := map[string][]string{}
	for _, asset := range assets {
		byType[typeOf(asset)] = append(byType[typeOf(asset)], asset)
	}
	for _, of := range slices.Sorted(maps.Keys(byType)) {
		if len(r.aspects[of]) == 0 {
			continue
		}
		if err := r.readAspects(ctx, byType[of], r.aspects[of]); err != nil {
			return err
		}
	}
	return nil
}

// readStart adds the statements of the start, from all of its aspects. If a run or a pipeline
// made any of them, statements without a run are left out.
func (r *basisStatements) readStart(ctx context.Context, start string) error {
	before := len(r.all)
	if err := r.readAspects(ctx, []string{start}, nil); err != nil {
		return err
	}
	ofNoRun := func(st basisStatement) bool { return st.run == "" && st.pipeline == "" }
	if of := r.all[before:]; slices.ContainsFunc(of, func(st basisStatement) bool { return !ofNoRun(st) }) {
		r.all = r.all[:before+len(slices.DeleteFunc(of, ofNoRun))]
	}
	return nil
}

func (r *basisStatements) readAspects(ctx context.Context, assets, names []string) error {
	return r.s.eachAspects(ctx, assets, names, func(asset string, aspects []graphstore.Aspect) (err error) {
		for i := range aspects {
			a := &aspects[i]
			if r.asOf != 0 && a.CreatedOn > r.asOf {
				if a, err = r.former(ctx, a); err != nil {
					return err
				}
			}
			if a != nil {
				r.add(asset, a)
			}
		}
		return nil
	})
}

// former returns the version of an aspect that was the latest at the moment asOf. former
// returns nil if no version was the latest then, or if the budget of former versions is used
// up.
func (r *basisStatements) former(ctx context.Context, a *graphstore.Aspect) (*graphstore.Aspect, error) {
	if r.versions--; r.versions < 0 {
		return nil, nil
	}
	versions, err := r.s.store.AspectVersions(ctx, graphstore.AspectKey{URN: a.URN, Name: a.Name}, graphstore.Page{Count: schemaVersionsRead})
	if err != nil {
		return nil, catalog.StoreFailure(err)
	}
	for i := range versions {
		if versions[i].CreatedOn <= r.asOf {
			return &versions[i], nil
		}
	}
	return nil, nil
}

func (r *basisStatements) add(asset string, a *graphstore.Aspect) {
	statement := basisStatement{asset: asset, aspect: a.Name, run: a.System.RunID, pipeline: a.System.PipelineName, actor: a.CreatedBy, seen: a.System.LastObserved}
	if statement.run == catalog.NoRunID {
		statement.run = ""
	}
	if statement.seen == 0 || r.asOf != 0 && statement.seen > r.asOf {
		statement.seen = a.CreatedOn // the statement was certainly seen when it was written
	}
	r.all = append(r.all, statement)
	r.inputs[asset] = r.inputs[asset] || slices.ContainsFunc(inputMembers[a.Name], func(member string) bool { return hasItems(a.Value, member) })
	r.columns[asset] = r.columns[asset] || columnMembers[a.Name] != "" && hasItems(a.Value, columnMembers[a.Name])
}

func (r *basisStatements) withoutColumns() int {
	n := 0
	for asset, states := range r.inputs {
		if states && !r.columns[asset] {
			n++
		}
	}
	return n
}

// inputMembers names the members that list the inputs of an entity, by aspect; columnMembers
// names the members that list the inputs of its columns.
var (
	inputMembers = map[string][]string{
		model.AspectUpstreamLineage:    {"upstreams"},
		model.AspectDerivedLineage:     {"upstreams"},
		model.AspectDataJobInputOutput: {"inputDatasets", "inputDatasetEdges"},
		model.AspectChartInfo:          {"inputs", "inputEdges"},
		model.AspectDashboardInfo:      {"datasets", "datasetEdges"},
	}
	columnMembers = map[string]string{
		model.AspectUpstreamLineage:    "fineGrainedLineages",
		model.AspectDerivedLineage:     "fineGrainedLineages",
		model.AspectDataJobInputOutput: "fineGrainedLineages",
		model.AspectInputFields:        "fields",
	}
)

// hasItems reports whether a JSON value has a list of this name that is not empty. hasItems
// does not decode the value: the value may state the lineage of many columns, and decoding it
// would cost more than the rest of the request.
func hasItems(value []byte, member string) bool {
	name := []byte(`"` + member + `"`)
	for {
		at := bytes.Index(value, name)
		if at < 0 {
			return false
		}
		value = value[at+len(name):]
		rest := bytes.TrimLeft(value, " \t\r\n")
		if len(rest) == 0 || rest[0] != ':' { // the name is a text, not a member
			continue
		}
		rest = bytes.TrimLeft(rest[1:], " \t\r\n")
		if len(rest) > 0 && rest[0] == '[' {
			rest = bytes.TrimLeft(rest[1:], " \t\r\n")
			if len(rest) > 0 && rest[0] != ']' {
				return true
			}
		}
	}
}
