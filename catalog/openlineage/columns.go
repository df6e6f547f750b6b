package openlineage

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/openlineage/naming"
	"github.com/headwater-io/headwater/internal/jsontree"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

// columnsOf returns the column lineage that a job's outputs state: one entry for each column and way in which
// it follows from others.
func (w *work) columnsOf(j *job, declared declaration) ([]json.RawMessage, error) {
	var list []json.RawMessage
	add := func(d naming.Dataset, text json.RawMessage) error {
		output, err := w.urnOf(d)
		if err != nil || output.IsZero() {
			return err
		}
		facet := w.columnsFacet(text)
		from := [][]byte{text, []byte(output.String())}
		for _, named := range facet.named {
			urn, err := w.urnOf(named)
			if err != nil {
				return err
			}
			from = append(from, []byte(urn.String()))
		}
		entries, err := derive(w.derived, "entries", from, func() ([]json.RawMessage, error) { return w.entryTexts(output, facet) })
		list = append(list, entries[:min(len(entries), limits.OpenLineageColumnEntries-len(list))]...)
		return err
	}
	for _, d := range sorted(j.Outputs) {
		if d.Columns != nil {
			if err := add(d.Dataset, d.Columns.Value); err != nil {
				return nil, err
			}
		}
	}
	for _, d := range declared.Outputs {
		if facet := declared.Columns[keyOf(d)]; facet != nil {
			if err := add(d, facet); err != nil {
				return nil, err
			}
		}
	}
	return list, nil
}

// entryTexts returns the texts of the entries that a facet states.
func (w *work) entryTexts(output model.URN, facet *columnLineage) ([]json.RawMessage, error) {
	entries, err := w.columnEntries(nil, output, facet)
	if err != nil {
		return nil, err
	}
	texts := make([]json.RawMessage, len(entries))
	for i, entry := range entries {
		if texts[i], err = jsontree.Encode(entry); err != nil {
			return nil, err
		}
	}
	return texts, nil
}

func (w *work) columnEntries(list []catalog.Tree, output model.URN, facet *columnLineage) ([]catalog.Tree, error) {
	var all []string
	for _, column := range slices.Sorted(maps.Keys(facet.Fields)) {
		urn, err := model.ColumnURN(output, column)
		if err != nil {
			continue // a name that no column can have
		}
		all = append(all, urn.String())
		field := facet.Fields[column]
		list, err = w.entriesOf(list, field.Inputs, []string{urn.String()}, field.Type)
		if err != nil {
			return nil, err
		}
	}
	if len(all) == 0 || len(facet.Dataset) == 0 {
		return list, nil
	}
	return w.entriesOf(list, facet.Dataset, all, "")
}

// entriesOf adds an entry for each way in which columns follow from input columns.
func (w *work) entriesOf(list []catalog.Tree, inputs []inputField, downstreams []string, former string) ([]catalog.Tree, error) {
	ways := map[string][]string{}
	for _, input := range inputs {
		if input.Name == "" || input.Field == "" {
			continue
		}
		of, err := w.urnOf(naming.Dataset{Namespace: input.Namespace, Name: input.Name})
		if err != nil {
			return nil, err
		}
		if of.IsZero() {
			continue
		}
		column, err := model.ColumnURN(of, input.Field)
		if err != nil {
			continue
		}
		for _, way := range waysOf(input, former) {
			ways[way] = append(ways[way], column.String())
		}
	}
	for _, way := range slices.Sorted(maps.Keys(ways)) {
		upstreams := ways[way]
		slices.Sort(upstreams)
		upstreams = slices.Compact(upstreams)
		if len(list) >= limits.OpenLineageColumnEntries {
			break
		}
		confidence := 1.0
		if !strings.Contains(way, ":") {
			confidence = 0.5
		}
		list = append(list, catalog.Tree{
			"upstreamType": "FIELD_SET", "upstreams": upstreams, "downstreamType": "FIELD_SET", "downstreams": downstreams,
			"transformOperation": way, "confidenceScore": confidence,
		})
	}
	return list, nil
}

// waysOf returns the ways in which a column follows from an input, such as DIRECT:AGGREGATION. Ways in which
// its values flow (DIRECT) and ways in which they are only read (INDIRECT) are apart.
func waysOf(input inputField, former string) []string {
	if len(input.Transformations) == 0 {
		switch former {
		case "IDENTITY":
			return []string{"DIRECT:IDENTITY"}
		case "MASKED":
			return []string{"DIRECT:TRANSFORMATION,MASKED"}
		}
		return []string{"TRANSFORM"}
	}
	var ways []string
	for _, t := range input.Transformations {
		way := strings.ToUpper(cmp.Or(t.Type, "DIRECT"))
		if t.Subtype != "" {
			way += ":" + strings.ToUpper(t.Subtype)
		}
		if t.Masking {
			way += ",MASKED"
		}
		ways = append(ways, way)
	}
	slices.Sort(ways)
	return slices.Compact(ways)
}

// addColumnInputs adds the datasets that only the column lineage of the outputs names to the inputs of the event:
// a job has read the columns from which others follow, whether it lists their dataset or not. dbt, for one, does
// not list seeds. Names are left out that an event may not have, and all beyond the datasets that an event may have.
func (s *Service) addColumnInputs(e *event) {
	e.addLineage()
	known := map[naming.Dataset]bool{}
	for _, list := range [][]eventInOut{e.Inputs, e.Outputs} {
		for i := range list {
			known[list[i].dataset()] = true
		}
	}
	for i := range e.Outputs {
		value := e.Outputs[i].columns()
		if value == nil {
			continue
		}
		for _, d := range s.columnsFacet(value).named {
			of := eventEntity{Namespace: d.Namespace, Name: d.Name}
			if known[d] || of.check("") != nil || len(e.Inputs)+len(e.Outputs) >= limits.OpenLineageDatasets {
				continue
			}
			known[d] = true
			e.Inputs = append(e.Inputs, eventInOut{eventEntity: of})
		}
	}
}
