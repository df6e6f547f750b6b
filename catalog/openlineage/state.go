package openlineage

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"slices"

	"github.com/headwater-io/headwater/catalog/openlineage/naming"
	"github.com/headwater-io/headwater/internal/limits"
)

// key names the state of a job or a dataset: names may be longer than names of records.
func key(namespace, name string) string {
	sum := sha256.Sum256([]byte(namespace + "\x00" + name))
	return hex.EncodeToString(sum[:16])
}

func keyOf(d naming.Dataset) string    { return key(d.Namespace, d.Name) }
func keyOfJob(j naming.JobName) string { return key(j.Namespace, j.Name) }

// run is the state of a run.
type run struct {
	// Job is the job as the events of the run name it, Child as the events of its child runs name it.
	Job   *naming.JobName `json:"job,omitempty"`
	Child *naming.JobName `json:"child,omitempty"`
	// Jobs has the jobs that events of the run name, if there is more than one.
	Jobs map[string]naming.JobName `json:"jobs,omitempty"`
	// Began is the time of the first START, Seen of the first event of all.
	Began int64 `json:"began,omitempty"`
	Seen  int64 `json:"seen,omitempty"`
	// Named is when a child run first named the run.
	Named int64 `json:"named,omitempty"`
	// Last is the time of the last event.
	Last int64 `json:"last,omitempty"`
	// End is the type of the last event that ends the run, Failed of the last one that says that it failed or was
	// stopped, and Restarted the time of the last START.
	End       *fact `json:"end,omitempty"`
	Failed    *fact `json:"failed,omitempty"`
	Restarted int64 `json:"restarted,omitempty"`

	Facets  factSet                `json:"facets,omitempty"`
	Inputs  map[string]*runDataset `json:"inputs,omitempty"`
	Outputs map[string]*runDataset `json:"outputs,omitempty"`
	// Shown has the values of time series that the last write of the state has stored, by the URN, the aspect and the
	// identity.
	Shown map[string]shown `json:"shown,omitempty"`
	// Asserts are the assertions for which the run was counted, in order.
	Asserts []string `json:"asserts,omitempty"`
}

// runDataset is a run's facts about a dataset that it read or wrote.
type runDataset struct {
	Dataset naming.Dataset `json:"dataset"`
	// Since is when the run first stated that it reads or writes the dataset. States of earlier releases lack it.
	Since int64 `json:"since,omitempty"`
	// Facets are inputFacets or outputFacets; Facts are the facets of the dataset that belong to a run too.
	Facets factSet `json:"facets,omitempty"`
	Facts  factSet `json:"facts,omitempty"`
}

// facetsOfRun are the keys of facets of datasets that tell of a run: they are kept with the run too.
var facetsOfRun = []string{"lifecycleStateChange", "version", "dataQualityAssertions", "dataQualityMetrics"}

// job is the state of a job.
type job struct {
	Name naming.JobName `json:"name"`
	// Integration, Engine, Producer and Parent name the job.
	Integration first   `json:"integration,omitzero"`
	Engine      first   `json:"engine,omitzero"`
	Producer    first   `json:"producer,omitzero"`
	Parent      first   `json:"parent,omitzero"`
	Facets      factSet `json:"facets,omitempty"`
	// OfRuns are the facets of runs that tell of the job.
	OfRuns  factSet                `json:"ofRuns,omitempty"`
	Inputs  map[string]*jobDataset `json:"inputs,omitempty"`
	Outputs map[string]*jobDataset `json:"outputs,omitempty"`
	// Declared is the declaration of the latest JobEvent.
	Declared *fact `json:"declared,omitempty"`
	// URN is the job as it was written last, Given the members that were written into aspects that others write too.
	URN   string              `json:"urn,omitempty"`
	Given map[string][]string `json:"given,omitempty"`
}

// jobDataset is an edge between a job and a dataset, with the first and last time that a run stated it.
type jobDataset struct {
	Dataset naming.Dataset `json:"dataset"`
	First   int64          `json:"first"`
	Last    int64          `json:"last"`
	// Run is the run that stated the edge last.
	Run string `json:"run,omitempty"`
	// Columns is the facet columnLineage of an output.
	Columns *fact `json:"columns,omitempty"`
}

// dataset is the state of a dataset under one of its names.
type dataset struct {
	Name   naming.Dataset `json:"name"`
	Facets factSet        `json:"facets,omitempty"`
	// Alias is the name under which the dataset is known, as symlinks tell.
	Alias *fact `json:"alias,omitempty"`
	// Names are other names of the dataset, Jobs the jobs that read or write it under this name.
	Names map[string]naming.Dataset `json:"names,omitempty"`
	Jobs  map[string]naming.JobName `json:"jobs,omitempty"`
	// URN is the entity that was written last. Made and Given are members of its origin, which earlier releases
	// stored here.
	URN   string              `json:"urn,omitempty"`
	Made  bool                `json:"made,omitempty"`
	Given map[string][]string `json:"given,omitempty"`
}

// merge adds an event to the state of its run.
func (r *run) merge(e *event) {
	name := naming.JobName{Namespace: e.Job.Namespace, Name: e.Job.Name}
	r.noteJob(name)
	r.Seen, r.Last = earlier(r.Seen, e.at), max(r.Last, e.at)
	if e.EventType == started {
		r.Began, r.Restarted = earlier(r.Began, e.at), max(r.Restarted, e.at)
	}
	if e.ends() {
		text, _ := json.Marshal(e.EventType)
		if end := e.fact(text); r.End == nil || end.later(*r.End) {
			r.End = &end
		}
		if end := e.fact(text); e.EventType != completed && (r.Failed == nil || end.later(*r.Failed)) {
			r.Failed = &end
		}
	}
	r.Facets.putAll(e.Run.Facets, e)
	r.Inputs = mergeRunDatasets(r.Inputs, e.Inputs, e)
	r.Outputs = mergeRunDatasets(r.Outputs, e.Outputs, e)
}

// noteJob notes a job that an event of the run names.
func (r *run) noteJob(name naming.JobName) {
	if r.Job == nil {
		r.Job = &name
	}
	if *r.Job == name && r.Jobs == nil {
		return
	}
	if r.Jobs == nil {
		r.Jobs = map[string]naming.JobName{keyOfJob(*r.Job): *r.Job}
	}
	if len(r.Jobs) < limits.OpenLineageRenamed {
		r.Jobs[keyOfJob(name)] = name
	}
	if lessJob(name, *r.Job) {
		r.Job = &name
	}
}

// inputs and outputs are the run's facts about the datasets that it read or wrote.
func (r *run) inputs() map[string]*runDataset  { return r.Inputs }
func (r *run) outputs() map[string]*runDataset { return r.Outputs }

// lessJob orders names of jobs, to choose one of several in any order of arrival.
func lessJob(a, b naming.JobName) bool {
	return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name)) < 0
}

func earlier(a, b int64) int64 {
	if a == 0 {
		return b
	}
	return min(a, b)
}

func mergeRunDatasets(known map[string]*runDataset, more []eventInOut, e *event) map[string]*runDataset {
	for i := range more {
		d := more[i].dataset()
		if known == nil {
			known = map[string]*runDataset{}
		}
		entry := known[keyOf(d)]
		if entry == nil {
			if len(known) >= limits.OpenLineageDatasets {
				continue
			}
			entry = &runDataset{Dataset: d}
			known[keyOf(d)] = entry
		}
		entry.Since = earlier(entry.Since, e.at)
		entry.Facets.putAll(more[i].InputFacets, e)
		entry.Facets.putAll(more[i].OutputFacets, e)
		for _, name := range facetsOfRun {
			if value, ok := more[i].Facets[name]; ok {
				entry.Facts.putAll(facets{name: value}, e)
			}
		}
	}
	return known
}

// jobFacetsOfRuns are the keys of facets of runs that tell of the job.
var jobFacetsOfRuns = []string{"processing_engine", "spark_properties", "spark_jobDetails", "spark_version", "airflow", "unknownSourceAttribute", "jobDependencies"}

// merge adds a run event or a job event to the state of its job.
func (j *job) merge(e *event) {
	j.Facets.putAll(e.Job.Facets, e)
	j.Producer.put(e.at, e.Producer)
	j.Integration.put(e.at, read[jobType](e.Job.Facets["jobType"]).Integration)
	if e.kind == jobEvent {
		j.declare(e)
		return
	}
	j.Engine.put(e.at, read[processingEngine](e.Run.Facets["processing_engine"]).Name)
	if parent := parentIn(e.Run.Facets); parent != nil {
		text, _ := json.Marshal(parents{Job: parent.Job, Root: parent.Root}) // without the runs, which differ
		j.Parent.put(e.at, string(text))
	}
	for _, name := range jobFacetsOfRuns {
		if value, ok := e.Run.Facets[name]; ok {
			j.OfRuns.putAll(facets{name: value}, e)
		}
	}
	j.Inputs = mergeJobDatasets(j.Inputs, e.Inputs, e)
	j.Outputs = mergeJobDatasets(j.Outputs, e.Outputs, e)
}

func mergeJobDatasets(known map[string]*jobDataset, more []eventInOut, e *event) map[string]*jobDataset {
	for i := range more {
		d := more[i].dataset()
		if known == nil {
			known = map[string]*jobDataset{}
		}
		entry := known[keyOf(d)]
		if entry == nil {
			if len(known) >= limits.OpenLineageJobDatasets {
				continue
			}
			entry = &jobDataset{Dataset: d}
			known[keyOf(d)] = entry
		}
		entry.First = earlier(entry.First, e.at)
		if e.at > entry.Last || e.at == entry.Last && e.runID() > entry.Run {
			entry.Last, entry.Run = e.at, e.runID()
		}
		if value := more[i].columns(); value != nil {
			if f := e.fact(value); entry.Columns == nil || f.later(*entry.Columns) {
				entry.Columns = &f
			}
		}
	}
	return known
}

// declaration is the inputs and outputs that a JobEvent declares.
type declaration struct {
	Inputs  []naming.Dataset `json:"inputs,omitempty"`
	Outputs []naming.Dataset `json:"outputs,omitempty"`
	// Columns are the facets columnLineage of the outputs by the keys of their names.
	Columns map[string]json.RawMessage `json:"columns,omitempty"`
}

// declare merges a JobEvent: the latest one with inputs or outputs is the whole declaration.
func (j *job) declare(e *event) {
	if len(e.Inputs)+len(e.Outputs) == 0 {
		return
	}
	d := declaration{Columns: map[string]json.RawMessage{}}
	for i := range e.Inputs {
		d.Inputs = append(d.Inputs, e.Inputs[i].dataset())
	}
	for i := range e.Outputs {
		output := e.Outputs[i].dataset()
		d.Outputs = append(d.Outputs, output)
		if value := e.Outputs[i].columns(); value != nil {
			d.Columns[keyOf(output)] = value
		}
	}
	text, _ := json.Marshal(&d)
	if f := e.fact(text); j.Declared == nil || f.later(*j.Declared) {
		j.Declared = &f
	}
}

// merge adds an event's facts about a dataset.
func (d *dataset) merge(of facets, e *event) { d.Facets.putAll(of, e) }

// use notes that a job reads or writes the dataset.
func (d *dataset) use(by naming.JobName) {
	if d.Jobs == nil {
		d.Jobs = map[string]naming.JobName{}
	}
	if _, known := d.Jobs[keyOfJob(by)]; known || len(d.Jobs) < limits.OpenLineageRenamed {
		d.Jobs[keyOfJob(by)] = by
	}
}

// parents are the run, job and root of a run's parent facet.
type parents struct {
	Run  string          `json:"run,omitempty"`
	Job  naming.JobName  `json:"job"`
	Root *naming.JobName `json:"root,omitempty"`
	// RootRun is the run of the root.
	RootRun string `json:"rootRun,omitempty"`
}

// parentIn reads the facet parent, also under the name of early releases.
func parentIn(of facets) *parents {
	text, ok := of["parent"]
	if !ok {
		text = of["parentRun"]
	}
	return readParent(text)
}

func readParent(text json.RawMessage) *parents {
	type member struct {
		Run struct {
			RunID string `json:"runId"`
		} `json:"run"`
		Job naming.JobName `json:"job"`
	}
	facet := read[struct {
		member
		Root *member `json:"root"`
	}](text)
	if facet.Job.Name == "" || len(facet.Run.RunID) > limits.OpenLineageRunID || len(facet.Job.Name)+len(facet.Job.Namespace) > limits.OpenLineageName {
		return nil
	}
	p := &parents{Run: lower(facet.Run.RunID), Job: facet.Job}
	if r := facet.Root; r != nil && r.Job.Name != "" && len(r.Job.Name)+len(r.Job.Namespace) <= limits.OpenLineageName && len(r.Run.RunID) <= limits.OpenLineageRunID {
		p.Root, p.RootRun = &r.Job, lower(r.Run.RunID)
	}
	return p
}

// sorted returns the values of a map in the order of their keys.
func sorted[V any](of map[string]V) []V {
	values := make([]V, 0, len(of))
	for _, k := range slices.Sorted(maps.Keys(of)) {
		values = append(values, of[k])
	}
	return values
}
