package openlineage

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/openlineage/naming"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

// The facet lineage states lineage explicitly. In a job it says which datasets, and which columns, each dataset follows
// from: its datasets are inputs and outputs of the job, and its columns count more than the facet columnLineage. In a
// dataset it names the sources of the dataset without a job.

type (
	lineageFacet struct {
		Entries []lineageEntry `json:"entries"`
	}
	lineageEntry struct {
		Namespace string                `json:"namespace"`
		Name      string                `json:"name"`
		Type      string                `json:"type"`
		Inputs    []lineageInput        `json:"inputs"`
		Fields    map[string]lineageCol `json:"fields"`
	}
	lineageCol struct {
		Inputs []lineageInput `json:"inputs"`
	}
	lineageInput struct {
		inputField
		Type string `json:"type"`
	}
)

const ofDataset = "DATASET"

// datasets are the datasets that an entry names as its inputs, each once.
func (l *lineageEntry) datasets() []naming.Dataset {
	var found []naming.Dataset
	note := func(inputs []lineageInput) {
		for _, input := range inputs {
			d := naming.Dataset{Namespace: input.Namespace, Name: input.Name}
			if input.isDataset() && !slices.Contains(found, d) {
				found = append(found, d)
			}
		}
	}
	note(l.Inputs)
	for _, column := range slices.Sorted(maps.Keys(l.Fields)) {
		note(l.Fields[column].Inputs)
	}
	return found
}

func (i *lineageInput) isDataset() bool {
	of := eventEntity{Namespace: i.Namespace, Name: i.Name}
	return strings.EqualFold(i.Type, ofDataset) && of.check("") == nil
}

// columns is the column lineage of an entry in the form of the facet columnLineage, nil if the entry states none.
func (l *lineageEntry) columns() json.RawMessage {
	type field struct {
		Inputs []inputField `json:"inputFields"`
	}
	var facet struct {
		Fields  map[string]field `json:"fields"`
		Dataset []inputField     `json:"dataset,omitempty"`
	}
	of := func(inputs []lineageInput) (fields []inputField) {
		for _, input := range inputs {
			if input.isDataset() && input.Field != "" {
				fields = append(fields, input.inputField)
			}
		}
		return fields
	}
	facet.Fields, facet.Dataset = map[string]field{}, of(l.Inputs)
	for name, column := range l.Fields {
		facet.Fields[name] = field{of(column.Inputs)}
	}
	if len(facet.Fields) == 0 {
		return nil
	}
	text, err := json.Marshal(&facet)
	if err != nil || len(text) > limits.OpenLineageFacetBytes {
		return nil
	}
	return text
}

// addLineage adds the datasets of the facet lineage of the job to the inputs and outputs of the event.
func (e *event) addLineage() {
	if e.Job == nil {
		return
	}
	value := e.Job.Facets["lineage"]
	if len(value) > limits.OpenLineageFacetBytes {
		return
	}
	room := func() bool { return len(e.Inputs)+len(e.Outputs) < limits.OpenLineageDatasets }
	facet := read[lineageFacet](value)
	for i := range facet.Entries {
		entry := &facet.Entries[i]
		for _, d := range entry.datasets() {
			if find(e.Inputs, d) == nil && room() {
				e.Inputs = append(e.Inputs, eventInOut{eventEntity: eventEntity{Namespace: d.Namespace, Name: d.Name}})
			}
		}
		target := eventEntity{Namespace: entry.Namespace, Name: entry.Name}
		if !strings.EqualFold(entry.Type, ofDataset) || target.check("") != nil {
			continue
		}
		output := find(e.Outputs, target.dataset())
		if output == nil {
			if !room() {
				continue
			}
			e.Outputs = append(e.Outputs, eventInOut{eventEntity: target})
			output = &e.Outputs[len(e.Outputs)-1]
		}
		if text := entry.columns(); text != nil {
			output.explicit = text
		}
	}
}

func find(of []eventInOut, d naming.Dataset) *eventInOut {
	for i := range of {
		if of[i].dataset() == d {
			return &of[i]
		}
	}
	return nil
}

// columns is the column lineage of an output, nil if the event states none.
func (d *eventInOut) columns() json.RawMessage {
	if d.explicit != nil {
		return d.explicit
	}
	if value := d.Facets["columnLineage"]; len(value) <= limits.OpenLineageFacetBytes {
		return value
	}
	return nil
}

// upstreams adds the lineage that a dataset states of itself.
func (w *work) upstreams(of about, all factSet) error {
	f, told := all["lineage"]
	entry := read[lineageEntry](all.value("lineage"))
	list := []catalog.Tree{}
	kind := "TRANSFORMED"
	if strings.EqualFold(read[datasetType](all.value("datasetType")).Type, "VIEW") {
		kind = "VIEW"
	}
	for _, d := range entry.datasets() {
		urn, err := w.urnOf(d)
		if err != nil {
			return err
		}
		if !urn.IsZero() && urn != of.urn && len(list) < limits.OpenLineageDatasets {
			list = append(list, catalog.Tree{"dataset": urn.String(), "type": kind, "auditStamp": w.stamp(f.At)})
		}
	}
	if len(list) == 0 {
		if told {
			return w.dropIfOurs(of, model.AspectUpstreamLineage)
		}
		return nil
	}
	value := catalog.Tree{"upstreams": list}
	if text := entry.columns(); text != nil {
		facet := read[columnLineage](text)
		columns, err := w.columnEntries(nil, of.urn, &facet)
		if err != nil {
			return err
		}
		if len(columns) > 0 {
			value["fineGrainedLineages"] = columns
		}
	}
	return w.putIfOurs(of, model.AspectUpstreamLineage, value)
}
