package openlineage

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/openlineage/naming"
	"github.com/headwater-io/headwater/model"
)

// ownRunFacets are the facets of runs whose properties have names of their own, or that are written elsewhere.
var ownRunFacets = []string{"parent", "parentRun", "tags", "nominalTime", "externalQuery", "processing_engine", "environmentVariables", "jobDependencies", "executionParameters", "test"}

// writeRun adds the aspects that follow from the state of a run.
func (w *work) writeRun(id string, r *run) error {
	urn, err := naming.RunURN(id)
	if err != nil {
		return err
	}
	relationships := catalog.Tree{"upstreamInstances": w.upstreamRuns(r)}
	if name := r.job(); name != nil {
		named, err := w.jobNamed(*name)
		if err != nil {
			return err
		}
		relationships["parentTemplate"] = named.job.String()
	}
	if parent := readParent(r.Facets.value("parent")); parent != nil && parent.Run != "" && parent.Run != id {
		if parentURN, err := naming.RunURN(parent.Run); err == nil {
			relationships["parentInstance"] = parentURN.String()
		}
	}
	about := about{urn: urn, run: id}
	if err := w.put(about, model.AspectDataProcessInstanceProperties, catalog.Tree{
		"name": id, "type": r.processType(), "customProperties": r.properties(),
		"created": w.stamp(cmp.Or(r.start(), r.Named)),
	}); err != nil {
		return err
	}
	if err := w.put(about, model.AspectDataProcessInstanceRelationships, relationships); err != nil {
		return err
	}
	inputs, err := w.urnsOf(r.Inputs)
	if err != nil {
		return err
	}
	outputs, err := w.urnsOf(r.Outputs)
	if err != nil {
		return err
	}
	if len(inputs) > 0 {
		if err := w.put(about, model.AspectDataProcessInstanceInput, catalog.Tree{"inputs": inputs}); err != nil {
			return err
		}
	}
	if len(outputs) > 0 {
		if err := w.put(about, model.AspectDataProcessInstanceOutput, catalog.Tree{"outputs": outputs}); err != nil {
			return err
		}
	}
	series := showing{before: r.Shown, now: map[string]shown{}}
	if err := w.runEvents(about, r, series); err != nil {
		return err
	}
	asserts := map[string]model.URN{}
	if err := w.ofDatasets(id, r, series, asserts); err != nil {
		return err
	}
	w.forget(id, series)
	r.Shown = series.now
	return w.countAssertions(r, asserts)
}

// job is the job of the run: its own events count more than those of its children.
func (r *run) job() *naming.JobName {
	if r.Job != nil {
		return r.Job
	}
	return r.Child
}

// start is the time of the first START, or else of the first event.
func (r *run) start() int64 { return cmp.Or(r.Began, r.Seen) }

func (r *run) processType() string {
	if r.Facets.value("nominalTime") != nil {
		return "BATCH_SCHEDULED"
	}
	return "BATCH_AD_HOC"
}

// properties are the properties that a run takes from its facets.
func (r *run) properties() properties {
	p := properties{}
	p.engine(r.Facets.value("processing_engine"))
	p.flatten("", r.Facets.value("nominalTime"), true)
	query := r.Facets.value("externalQuery")
	p.set("externalQueryId", read[struct {
		ID string `json:"externalQueryId"`
	}](query).ID)
	p.set("externalQuerySource", read[struct {
		Source string `json:"source"`
	}](query).Source)
	for _, tag := range read[tagsFacet](r.Facets.value("tags")).Tags {
		p.set(tag.Key, tag.Value)
	}
	variables := read[struct {
		All []struct{ Name, Value string } `json:"environmentVariables"`
	}](r.Facets.value("environmentVariables"))
	for _, v := range variables.All {
		p.set("environmentVariables."+v.Name, v.Value)
	}
	for _, parameter := range read[executionParameters](r.Facets.value("executionParameters")).Parameters {
		p.set("executionParameters."+parameter.Key, plain(parameter.Value))
	}
	for _, test := range read[testFacet](r.Facets.value("test")).Tests {
		p.set("test."+test.Name, test.Status)
	}
	for _, name := range slices.Sorted(maps.Keys(r.Facets)) {
		if !slices.Contains(ownRunFacets, name) {
			p.flatten(name, r.Facets.value(name), false)
		}
	}
	for side, datasets := range map[string]map[string]*runDataset{"input": r.Inputs, "output": r.Outputs} {
		for _, d := range sorted(datasets) {
			for _, name := range slices.Sorted(maps.Keys(d.Facets)) {
				if name != "dataQualityAssertions" && name != "dataQualityMetrics" {
					p.flatten(side+"."+d.Dataset.Name+"."+name, d.Facets.value(name), false)
				}
			}
			p.set(side+"."+d.Dataset.Name+".version", read[version](d.Facts.value("version")).Version)
		}
	}
	return p
}

// upstreamRuns are the runs that the run waited for.
func (w *work) upstreamRuns(r *run) []string {
	urns := []string{}
	for _, up := range read[jobDependencies](r.Facets.value("jobDependencies")).Upstream {
		if up.Run.RunID == "" {
			continue
		}
		if urn, err := naming.RunURN(up.Run.RunID); err == nil {
			urns = append(urns, urn.String())
		}
	}
	slices.Sort(urns)
	return slices.Compact(urns)
}

// urnsOf returns the URNs of datasets, each once and in order.
func (w *work) urnsOf(of map[string]*runDataset) ([]string, error) {
	urns := make([]string, 0, len(of))
	for _, d := range sorted(of) {
		urn, err := w.urnOf(d.Dataset)
		if err != nil {
			return nil, err
		}
		if !urn.IsZero() {
			urns = append(urns, urn.String())
		}
	}
	slices.Sort(urns)
	return slices.Compact(urns), nil
}

// millis are milliseconds since 1970.
func millis(nanos int64) int64 { return nanos / int64(time.Millisecond) }

// runEvents adds the begin and the end of a run.
func (w *work) runEvents(of about, r *run, in showing) error {
	begin := r.start()
	if r.End == nil && begin == 0 {
		return nil // only child runs have named it
	}
	begins := r.Began != 0 || r.End == nil || r.Seen < r.end().At
	if begins {
		if err := w.series(of, model.AspectDataProcessInstanceRunEvent, millis(begin), "start", catalog.Tree{"status": "STARTED"}, in); err != nil {
			return err
		}
	}
	if r.End == nil {
		return nil
	}
	ended := millis(r.end().At)
	value := catalog.Tree{"status": "COMPLETE", "result": r.result()}
	if begins {
		value["durationMillis"] = max(ended-millis(begin), 0)
		ended = max(ended, millis(begin)+1) // the last event of a run is its end
	}
	return w.series(of, model.AspectDataProcessInstanceRunEvent, ended, "end", value, in)
}

// end is the event that ends the run, nil if there is none. A failed run counts as good only if it has begun again:
// after the FAIL of a job, Spark also sends COMPLETE for the command of the job.
func (r *run) end() *fact {
	if r.Failed != nil && r.Restarted <= r.Failed.At {
		return r.Failed
	}
	return r.End
}

func (r *run) endType() string {
	if r.End == nil {
		return ""
	}
	return read[string](r.end().Value)
}

func (r *run) result() catalog.Tree {
	kind := "SUCCESS"
	if r.endType() != completed {
		kind = "FAILURE"
	}
	return catalog.Tree{"type": kind, "nativeResultType": r.endType()}
}

// ofDatasets adds a run's facts about its datasets at moments: operations, profiles and results of assertions.
func (w *work) ofDatasets(id string, r *run, in showing, asserts map[string]model.URN) error {
	for _, d := range sorted(r.Outputs) {
		urn, err := w.urnOf(d.Dataset)
		if err != nil {
			return err
		}
		if urn.IsZero() {
			continue
		}
		if r.endType() == completed {
			if err := w.operation(about{urn: urn, run: id}, r, d, in); err != nil {
				return err
			}
		}
	}
	for _, side := range []map[string]*runDataset{r.Inputs, r.Outputs} {
		for _, d := range sorted(side) {
			urn, err := w.urnOf(d.Dataset)
			if err != nil {
				return err
			}
			if urn.IsZero() {
				continue
			}
			of := about{urn: urn, run: id}
			if err := w.profile(of, d, in); err != nil {
				return err
			}
			if err := w.assertions(of, d, in, asserts); err != nil {
				return err
			}
		}
	}
	return nil
}

// operation adds that a run wrote a dataset.
func (w *work) operation(of about, r *run, d *runDataset, in showing) error {
	numbers := read[statistics](d.Facets.value("outputStatistics"))
	value := catalog.Tree{"lastUpdatedTimestamp": millis(r.end().At), "sourceType": "DATA_PROCESS"}
	value["operationType"] = "UPDATE"
	if numbers.RowCount != nil {
		value["operationType"], value["numAffectedRows"] = "INSERT", *numbers.RowCount
	}
	switch change := strings.ToUpper(read[lifecycle](d.Facts.value("lifecycleStateChange")).Change); change {
	case "":
	case "CREATE", "ALTER", "DROP":
		value["operationType"] = change
	default:
		value["operationType"], value["customOperationType"] = "CUSTOM", change
	}
	more := properties{"runId": of.run}
	if numbers.Size != nil {
		more.set("size", fmt.Sprint(*numbers.Size))
	}
	if numbers.FileCount != nil {
		more.set("fileCount", fmt.Sprint(*numbers.FileCount))
	}
	switch partitions := partitionsOf(d.Facets.value("subset")); len(partitions) {
	case 0:
	case 1:
		value["partitionSpec"] = catalog.Tree{"type": "PARTITION", "partition": partitions[0]}
	default:
		more.set("partitions", strings.Join(partitions, ", "))
	}
	more.set("version", read[version](d.Facts.value("version")).Version)
	value["customProperties"] = more
	return w.series(of, model.AspectOperation, millis(r.end().At), of.run, value, in)
}

// partitionsOf are the partitions that a run wrote, in order: their identifiers, or their dimensions.
func partitionsOf(facet json.RawMessage) (partitions []string) {
	for _, partition := range read[subset](facet).Condition.Partitions {
		text := partition.Identifier
		if text == "" {
			var parts []string
			for _, name := range slices.Sorted(maps.Keys(partition.Dimensions)) {
				parts = append(parts, name+"="+plain(partition.Dimensions[name]))
			}
			text = strings.Join(parts, "/")
		}
		if text != "" {
			partitions = append(partitions, text)
		}
	}
	slices.Sort(partitions)
	return slices.Compact(partitions)
}

// plain is a text without its quotes, and any other value as JSON.
func plain(value json.RawMessage) string {
	var text string
	if json.Unmarshal(value, &text) == nil {
		return text
	}
	return string(value)
}

// profile adds the metrics of a dataset's quality.
func (w *work) profile(of about, d *runDataset, in showing) error {
	f, ok := d.Facets["dataQualityMetrics"]
	if !ok {
		f, ok = d.Facts["dataQualityMetrics"]
	}
	if !ok {
		return nil
	}
	metrics := read[qualityMetrics](f.Value)
	value := catalog.Tree{}
	setNumber(value, "rowCount", metrics.RowCount)
	setNumber(value, "sizeInBytes", metrics.Bytes)
	var fields []any
	for _, column := range slices.Sorted(maps.Keys(metrics.Columns)) {
		m := metrics.Columns[column]
		field := catalog.Tree{"fieldPath": column}
		setNumber(field, "uniqueCount", m.DistinctCount)
		setNumber(field, "nullCount", m.NullCount)
		setText(field, "min", m.Min)
		setText(field, "max", m.Max)
		var quantiles []any
		for _, q := range slices.Sorted(maps.Keys(m.Quantiles)) {
			quantiles = append(quantiles, catalog.Tree{"quantile": q, "value": string(m.Quantiles[q])})
		}
		if quantiles != nil {
			field["quantiles"] = quantiles
		}
		fields = append(fields, field)
	}
	if fields != nil {
		value["fieldProfiles"] = fields
	}
	return w.series(of, model.AspectDatasetProfile, millis(f.At), of.run, value, in)
}

func setNumber(in catalog.Tree, name string, n *int64) {
	if n != nil {
		in[name] = *n
	}
}

// setText sets a number or text as text.
func setText(in catalog.Tree, name string, value json.RawMessage) {
	if text := read[any](value); text != nil {
		in[name] = strings.Trim(string(value), `"`)
	}
}
