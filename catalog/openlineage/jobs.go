package openlineage

import (
	"cmp"
	"encoding/json"
	"slices"
	"time"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/openlineage/naming"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

// flow is the state of a flow: the facts from its jobs and their runs.
type flow struct {
	URN    string  `json:"urn"`
	Facets factSet `json:"facets,omitempty"`
	// Jobs are the keys of the jobs of the flow. Left tells that the last job has left the flow, and Removed that the
	// flow was removed softly because of that.
	Jobs    map[string]bool `json:"jobs,omitempty"`
	Left    bool            `json:"left,omitempty"`
	Removed bool            `json:"removed,omitempty"`
}

// named is a job with the names that its state gives it.
type named struct {
	flow, job model.URN
	display   string
	// isFlow: the job is the root of its flow.
	isFlow bool
}

// jobNamed names a job by its state.
func (w *work) jobNamed(name naming.JobName) (named, error) {
	s, err := w.jobs.load(w.ctx, keyOfJob(name))
	if err != nil {
		return named{}, err
	}
	j := s.value
	of := naming.Job{
		Namespace: name.Namespace, Name: name.Name,
		Integration: j.Integration.Text, Engine: j.Engine.Text, Producer: j.Producer.Text,
		JobType: read[jobType](j.Facets.value("jobType")).JobType,
	}
	if parent := read[*parents](json.RawMessage(j.Parent.Text)); parent != nil {
		of.Parent, of.Root = &parent.Job, parent.Root
	}
	var n named
	n.flow, n.job, n.display, n.isFlow, err = w.names.JobURNs(of)
	return n, err
}

// flowFacets are the facets of runs and jobs that tell of a flow.
var flowFacets = []string{"processing_engine", "spark_properties", "spark_jobDetails"}

// writeJob adds the aspects that follow from the state of a job, and merges the job's facts into its flow.
func (w *work) writeJob(j *job) error {
	n, err := w.jobNamed(j.Name)
	if err != nil {
		return err
	}
	if err := w.renameJob(j, n); err != nil {
		return err
	}
	if err := w.tellFlow(j, n); err != nil {
		return err
	}
	of := about{urn: n.job}
	info := catalog.Tree{
		"name": n.display, "type": catalog.Tree{"string": cmp.Or(read[jobType](j.Facets.value("jobType")).JobType, "COMMAND")},
		"flowUrn": n.flow.String(), "customProperties": j.properties(),
	}
	if description := read[documentation](j.Facets.value("documentation")).Description; description != "" {
		info["description"] = description
	}
	if url := read[sourceCodeLocation](j.Facets.value("sourceCodeLocation")).URL; url != "" {
		info["externalUrl"] = url
	}
	if err := w.putIfOurs(of, model.AspectDataJobInfo, info); err != nil {
		return err
	}
	if err := w.edges(of, j); err != nil {
		return err
	}
	j.Given, err = w.people(of, j.Given, j.Facets)
	return err
}

// renameJob notes the URN of a job. The entity under another URN is removed softly, and the runs of the
// job are written again.
func (w *work) renameJob(j *job, n named) error {
	if former := j.URN; former != "" && former != n.job.String() {
		w.later[keyOfJob(j.Name)] = renamed{j.Name, former}
		urn, err := model.ParseURN(former)
		if err != nil {
			return err
		}
		if err := w.put(about{urn: urn}, model.AspectStatus, catalog.Tree{"removed": true}); err != nil {
			return err
		}
		if err := w.put(about{urn: n.job}, model.AspectStatus, catalog.Tree{"removed": false}); err != nil { // the job may have had this URN before
			return err
		}
		j.Given = nil
		if err := w.leaveFlow(j, urn.Parts()[0], n); err != nil {
			return err
		}
	}
	j.URN = n.job.String()
	of, err := w.urns.touch(w.ctx, key("", j.URN))
	of.Job = &j.Name
	return err
}

// leaveFlow notes that a job has left its former flow. A flow without jobs is removed softly.
func (w *work) leaveFlow(j *job, former string, n named) error {
	if former == n.flow.String() {
		return nil
	}
	f, err := w.flows.touch(w.ctx, key("", former))
	if err != nil {
		return err
	}
	delete(f.Jobs, keyOfJob(j.Name))
	f.URN, f.Left = former, len(f.Jobs) == 0
	return nil
}

// tellFlow merges a job's facts about its flow.
func (w *work) tellFlow(j *job, n named) error {
	f, err := w.flows.touch(w.ctx, key("", n.flow.String()))
	if err != nil {
		return err
	}
	f.URN, f.Left = n.flow.String(), false
	if f.Jobs == nil {
		f.Jobs = map[string]bool{}
	}
	if len(f.Jobs) < limits.OpenLineageRenamed {
		f.Jobs[keyOfJob(j.Name)] = true
	}
	for _, name := range flowFacets {
		if known, ok := j.OfRuns[name]; ok {
			f.Facets.merge(factSet{name: known})
		}
	}
	if dag, ok := j.OfRuns["airflow"]; ok {
		if dag.Value = member(dag.Value, "dag"); dag.Value != nil {
			f.Facets.merge(factSet{"airflow.dag": dag})
		}
	}
	if n.isFlow {
		for _, name := range []string{"documentation", "sourceCodeLocation"} {
			if known, ok := j.Facets[name]; ok {
				f.Facets.merge(factSet{name: known})
			}
		}
	}
	return nil
}

func (w *work) writeFlow(f *flow) error {
	urn, err := model.ParseURN(f.URN)
	if err != nil {
		return err
	}
	if f.Removed != f.Left { // a flow that somebody else has removed stays removed
		f.Removed = f.Left
		if err := w.put(about{urn: urn}, model.AspectStatus, catalog.Tree{"removed": f.Removed}); err != nil {
			return err
		}
	}
	if f.Left {
		return nil
	}
	p := properties{}
	p.engine(f.Facets.value("processing_engine"))
	for _, name := range []string{"airflow.dag", "spark_properties", "spark_jobDetails"} {
		p.flatten("", f.Facets.value(name), true)
	}
	info := catalog.Tree{"name": urn.Parts()[1], "customProperties": p}
	if description := read[documentation](f.Facets.value("documentation")).Description; description != "" {
		info["description"] = description
	}
	if url := read[sourceCodeLocation](f.Facets.value("sourceCodeLocation")).URL; url != "" {
		info["externalUrl"] = url
	}
	return w.putIfOurs(about{urn: urn}, model.AspectDataFlowInfo, info)
}

// properties are the properties that a job takes from its facets and from the facets of its runs.
func (j *job) properties() properties {
	p := properties{}
	p.engine(j.OfRuns.value("processing_engine"))
	kind := read[jobType](j.Facets.value("jobType"))
	p.set("processingType", kind.ProcessingType)
	p.set("integration", kind.Integration)
	p.set("jobType", kind.JobType)
	p.set("sql", read[sqlFacet](j.Facets.value("sql")).Query)
	code := read[sourceCode](j.Facets.value("sourceCode"))
	p.set("sourceCode", code.Code)
	p.set("sourceCodeLanguage", code.Language)
	p.flatten("", member(j.OfRuns.value("airflow"), "task"), true)
	p.flatten("", j.OfRuns.value("spark_properties"), true)
	for name := range j.Facets {
		if !slices.Contains(ownJobFacets, name) {
			p.flatten(name, j.Facets.value(name), false)
		}
	}
	return p
}

// ownJobFacets are the facets of jobs whose properties have names of their own, or that are written elsewhere.
var ownJobFacets = []string{"jobType", "sql", "sourceCode", "documentation", "ownership", "tags", "lineage"}

// edge is an edge of a job that is not written yet: when events stated it first and last. modified is last in the coarser
// steps that the job's aspect tells.
type edge struct {
	first, last, modified int64
	run                   string
}

// edges adds the inputs and outputs of a job, with the runs that stated them last.
func (w *work) edges(of about, j *job) error {
	declared := declaration{}
	if j.Declared != nil {
		declared = read[declaration](j.Declared.Value)
	}
	if err := w.loadStating(j); err != nil {
		return err
	}
	inputs, err := w.edgesTo(j, j.Inputs, (*run).inputs, declared.Inputs)
	if err != nil {
		return err
	}
	outputs, err := w.edgesTo(j, j.Outputs, (*run).outputs, declared.Outputs)
	if err != nil {
		return err
	}
	columns, err := w.columnsOf(j, declared)
	if err != nil {
		return err
	}
	upstream, err := w.upstreamJobs(j)
	if err != nil {
		return err
	}
	if len(inputs)+len(outputs)+len(columns)+len(upstream) == 0 {
		return w.dropIfOurs(of, model.AspectDataJobInputOutput)
	}
	value := catalog.Tree{
		"inputDatasets": []string{}, "outputDatasets": []string{},
		"inputDatasetEdges": w.edgeList(inputs), "outputDatasetEdges": w.edgeList(outputs),
	}
	if len(upstream) > 0 {
		value["inputDatajobs"] = upstream
	}
	if len(columns) > 0 {
		value["fineGrainedLineages"] = columns
	}
	return w.putIfOurs(of, model.AspectDataJobInputOutput, value)
}

// loadStating loads the states of the runs that have stated the edges of a job last.
func (w *work) loadStating(j *job) error {
	var runs []string
	for _, side := range []map[string]*jobDataset{j.Inputs, j.Outputs} {
		for _, d := range side {
			if d.Run != "" {
				runs = append(runs, d.Run)
			}
		}
	}
	return w.runs.loadAll(w.ctx, runs)
}

// restated is how long a run may state an edge again and again before the time of the edge moves on.
const restated = time.Hour

// modifiedAt returns the time of an edge: the time of the first statement of the edge by its latest run, plus whole
// hours until the last statement. So the end of a run, and each sign of life of a long run, need not write all edges
// of the job again.
func (w *work) modifiedAt(d *jobDataset, sideOf func(*run) map[string]*runDataset) int64 {
	s := w.runs.loaded[d.Run]
	if s == nil {
		return d.Last
	}
	told := sideOf(s.value)[keyOf(d.Dataset)]
	if told == nil || told.Since == 0 || told.Since > d.Last {
		return d.Last
	}
	return d.Last - (d.Last-told.Since)%int64(restated)
}

// edgesTo collects edges by URN: two names of one dataset are one edge.
func (w *work) edgesTo(j *job, stated map[string]*jobDataset, sideOf func(*run) map[string]*runDataset, declared []naming.Dataset) (map[string]edge, error) {
	edges := map[string]edge{}
	add := func(d naming.Dataset, e edge) error {
		urn, err := w.urnOf(d)
		if err != nil || urn.IsZero() {
			return err
		}
		known, ok := edges[urn.String()]
		if ok {
			first := earlier(known.first, e.first)
			if known.last > e.last || known.last == e.last && known.run > e.run {
				e = known
			}
			e.first = first
		}
		edges[urn.String()] = e
		return nil
	}
	for _, d := range stated {
		if err := add(d.Dataset, edge{d.First, d.Last, w.modifiedAt(d, sideOf), d.Run}); err != nil {
			return nil, err
		}
	}
	for _, d := range declared {
		if err := add(d, edge{j.Declared.At, j.Declared.At, j.Declared.At, ""}); err != nil {
			return nil, err
		}
	}
	return edges, nil
}

func (w *work) edgeList(edges map[string]edge) []catalog.Tree {
	list := make([]catalog.Tree, 0, len(edges))
	for urn, e := range edges {
		one := catalog.Tree{"destinationUrn": urn, "created": w.stamp(e.first), "lastModified": w.stamp(e.modified)}
		if e.run != "" {
			one["properties"] = map[string]string{"runId": e.run}
		}
		list = append(list, one)
	}
	slices.SortFunc(list, func(a, b catalog.Tree) int {
		return cmp.Compare(a["destinationUrn"].(string), b["destinationUrn"].(string))
	})
	return list
}

// upstreamJobs are the jobs that the job waits for.
func (w *work) upstreamJobs(j *job) ([]string, error) {
	var urns []string
	for _, up := range read[jobDependencies](j.OfRuns.value("jobDependencies")).Upstream {
		if up.Job.Name == "" {
			continue
		}
		n, err := w.jobNamed(naming.JobName{Namespace: up.Job.Namespace, Name: up.Job.Name})
		if err != nil {
			return nil, err
		}
		urns = append(urns, n.job.String())
	}
	slices.Sort(urns)
	return slices.Compact(urns), nil
}
