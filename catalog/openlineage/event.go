// Package openlineage takes events of the OpenLineage specification (2-0-2) about jobs, their runs, and the datasets that they
// read and write. Events come in any order and any number of times, so the package keeps,
// for each run, job and dataset, a state to which an event can only add (state.go); the entities of the catalog
// follow from the states alone (runs.go, jobs.go, datasets.go).
package openlineage

import (
	"bytes"
	"encoding/json"
	"strings"
	"time"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/openlineage/naming"
	"github.com/headwater-io/headwater/internal/clip"
	"github.com/headwater-io/headwater/internal/jsontree"
	"github.com/headwater-io/headwater/internal/limits"
)

// event is an event of any of the three kinds.
type event struct {
	EventType string       `json:"eventType"`
	EventTime string       `json:"eventTime"`
	Producer  string       `json:"producer"`
	SchemaURL string       `json:"schemaURL"`
	Run       *eventRun    `json:"run"`
	Job       *eventEntity `json:"job"`
	Dataset   *eventEntity `json:"dataset"`
	Inputs    []eventInOut `json:"inputs"`
	Outputs   []eventInOut `json:"outputs"`

	kind kind
	// text is the whole event as it came.
	text json.RawMessage
	// at is the time of the event in nanoseconds since 1970.
	at int64
	// rank orders events of the same time: an event that ends a run counts as later.
	rank int
}

type eventRun struct {
	RunID  string `json:"runId"`
	Facets facets `json:"facets"`
}

type eventEntity struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	Facets    facets `json:"facets"`
}

// eventInOut is a dataset that a job reads or writes.
type eventInOut struct {
	eventEntity
	InputFacets  facets `json:"inputFacets"`
	OutputFacets facets `json:"outputFacets"`

	// explicit is the column lineage that the facet lineage of the job states, in the form of the facet columnLineage.
	explicit json.RawMessage
}

// facets are the facets of an entity by their keys.
type facets map[string]json.RawMessage

// UnmarshalJSON leaves out facets that are null, and takes null and values of other types for no facets.
func (f *facets) UnmarshalJSON(text []byte) error {
	*f = nil
	members, err := jsontree.Members(text)
	if err != nil {
		return nil //nolint:nilerr // a value of another type has no facets
	}
	known := facets{}
	for _, m := range members { // of two members with the same name, the last one counts
		if delete(known, m.Name); string(m.Value) != "null" {
			known[m.Name] = bytes.Clone(m.Value)
		}
	}
	*f = known
	return nil
}

type kind int

const (
	runEvent kind = iota
	jobEvent
	datasetEvent
)

// The types of run events that end a run, and that begin one.
const (
	started   = "START"
	completed = "COMPLETE"
	failed    = "FAIL"
	aborted   = "ABORT"
)

// parse reads an event and checks the specification's demands. Facets are not checked: a facet that is
// not valid does not cost the event. Texts are read as encoding/json reads them, but once instead of four times.
func parse(text json.RawMessage) (*event, error) {
	var e event
	if err := jsontree.Unmarshal(text, &e); err != nil {
		return nil, catalog.Errorf(catalog.Invalid, "the event is not an object as the specification of OpenLineage has it: %v", err)
	}
	if err := e.decideKind(); err != nil {
		return nil, err
	}
	at, err := momentOf(e.EventTime)
	if err != nil {
		return nil, catalog.Errorf(catalog.Invalid, "eventTime: %v", err)
	}
	e.at, e.text = at.UnixNano(), text
	e.EventType = strings.ToUpper(e.EventType)
	if e.ends() {
		e.rank = 2
	} else if e.EventType != started {
		e.rank = 1
	}
	if err := e.check(); err != nil {
		return nil, err
	}
	return &e, nil
}

// decideKind decides by schemaURL if the members agree, and by the members otherwise.
func (e *event) decideKind() error {
	stated := e.SchemaURL[strings.LastIndex(e.SchemaURL, "/")+1:]
	switch {
	case stated == "DatasetEvent" && e.Dataset != nil && e.Run == nil:
		e.kind = datasetEvent
	case stated == "JobEvent" && e.Job != nil && e.Run == nil:
		e.kind = jobEvent
	case e.Run != nil:
		e.kind = runEvent
	case e.Dataset != nil:
		e.kind = datasetEvent
	case e.Job != nil:
		e.kind = jobEvent
	default:
		return catalog.Errorf(catalog.Invalid, "the event has no run, no job and no dataset")
	}
	return nil
}

// ends reports whether the event ends its run.
func (e *event) ends() bool {
	return e.EventType == completed || e.EventType == failed || e.EventType == aborted
}

func (e *event) check() error {
	switch e.kind {
	case runEvent:
		if e.Run.RunID == "" {
			return catalog.Errorf(catalog.Invalid, "run.runId is missing")
		}
		if len(e.Run.RunID) > limits.OpenLineageRunID {
			return catalog.Errorf(catalog.Invalid, "run.runId has %d bytes, at most %d are allowed", len(e.Run.RunID), limits.OpenLineageRunID)
		}
		if e.Job == nil {
			return catalog.Errorf(catalog.Invalid, "job is missing")
		}
	case datasetEvent:
		return e.Dataset.check("dataset")
	}
	if err := e.Job.check("job"); err != nil {
		return err
	}
	if n := len(e.Inputs) + len(e.Outputs); n > limits.OpenLineageDatasets {
		return catalog.Errorf(catalog.TooLarge, "the event has %d inputs and outputs, at most %d are allowed", n, limits.OpenLineageDatasets)
	}
	for i := range e.Inputs {
		if err := e.Inputs[i].check("a dataset of inputs"); err != nil {
			return err
		}
	}
	for i := range e.Outputs {
		if err := e.Outputs[i].check("a dataset of outputs"); err != nil {
			return err
		}
	}
	return nil
}

// check requires a name. A namespace may be empty: some producers leave it out.
func (e *eventEntity) check(what string) error {
	if e.Name == "" {
		return catalog.Errorf(catalog.Invalid, "%s has no name", what)
	}
	if n := len(e.Namespace) + len(e.Name); n > limits.OpenLineageName {
		return catalog.Errorf(catalog.Invalid, "the namespace and name of %s have %d bytes, at most %d are allowed: %s…", what, n, limits.OpenLineageName, clip.Text(e.Name, 80))
	}
	return nil
}

func (e *eventEntity) dataset() naming.Dataset {
	return naming.Dataset{Namespace: e.Namespace, Name: e.Name}
}

// layouts are the ways in which producers write times. A time without a zone is UTC.
var layouts = []string{time.RFC3339Nano, "2006-01-02T15:04:05.999999999", "2006-01-02T15:04:05.999999999Z0700", "2006-01-02 15:04:05.999999999", "2006-01-02T15:04Z07:00"}

// momentOf reads a time. The name of a zone in brackets after an offset is ignored.
func momentOf(text string) (time.Time, error) {
	plain, _, _ := strings.Cut(text, "[")
	for _, layout := range layouts {
		at, err := time.Parse(layout, plain)
		if err == nil && at.Year() >= 1970 && at.Year() < 2200 {
			return at, nil
		}
	}
	return time.Time{}, catalog.Errorf(catalog.Invalid, "%q is not a time between 1970 and 2200, such as 2026-11-27T10:00:00Z", clip.Text(text, 80))
}

// read decodes a facet as far as it has the expected form: members of other types stay empty.
func read[T any](text json.RawMessage) (value T) {
	if len(text) > 0 {
		_ = jsontree.Unmarshal(text, &value)
	}
	return value
}
