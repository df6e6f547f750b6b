package read_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/read"
	"github.com/headwater-io/headwater/internal/limits"
)

// TestDetails: the details of an entity have all of its aspects, the description that people
// wrote, and the entities that it names, with the containers above.
func TestDetails(t *testing.T) {
	h := catalogtest.NewHarness(t)
	details := func(urn string) *read.Details {
		t.Helper()
		d, err := h.Details(context.Background(), catalogtest.URN(urn))
		h.Want("", err)
		return d
	}
	_, err := h.Details(context.Background(), catalogtest.URN(catalogtest.Table))
	h.Want(catalog.NotFound, err)

	h.Say(catalogtest.Table, "datasetProperties", `{"description":"as ingested"}`)
	if d := details(catalogtest.Table); d.Description != "as ingested" || len(d.SubTypes) != 0 || len(d.TimeSeries) != 0 || !d.HasLineage || d.Removed {
		t.Errorf("details: %+v", d)
	}
	h.Say(catalogtest.Table, "editableDatasetProperties", `{"description":"as people say"}`)
	h.Say(catalogtest.Table, "subTypes", `{"typeNames":["Table","View"]}`)
	h.Say(catalogtest.Table, "status", `{"removed":true}`)
	h.Say(catalogtest.Table, "datasetProfile", `{"timestampMillis":5,"rowCount":1}`)
	h.Say(catalogtest.Table, "container", `{"container":"urn:li:container:inner"}`)
	h.Say("urn:li:container:inner", "container", `{"container":"urn:li:container:outer"}`)
	h.Say("urn:li:container:outer", "container", `{"container":"urn:li:container:inner"}`) // the two containers contain each other
	h.Say(catalogtest.Table, "globalTags", `{"tags":[{"tag":"urn:li:tag:a"},{"tag":"urn:li:tag:a"}]}`)
	h.Say(catalogtest.Table, "ownership", `{"owners":[{"owner":"urn:li:corpuser:ada","type":"DATAOWNER"}],"lastModified":`+catalogtest.Stamp+`}`)
	h.Say(catalogtest.Table, "upstreamLineage", fmt.Sprintf(`{"upstreams":[{"dataset":%q,"type":"TRANSFORMED","auditStamp":%s}],"fineGrainedLineages":[{"upstreamType":"FIELD_SET","upstreams":["urn:li:schemaField:(%s,a)"],"downstreamType":"FIELD","downstreams":["urn:li:schemaField:(%s,b)"]}]}`,
		catalogtest.Upstream, catalogtest.Stamp, catalogtest.Upstream, catalogtest.Table))
	d := details(catalogtest.Table)
	names := []string{
		"urn:li:container:inner", "urn:li:container:outer", "urn:li:dataPlatform:hive", "urn:li:tag:a", "urn:li:corpuser:ada", catalogtest.Upstream,
		"urn:li:schemaField:(" + catalogtest.Table + ",b)", "urn:li:schemaField:(" + catalogtest.Upstream + ",a)",
	}
	if d.Description != "as people say" || !slices.Equal(d.SubTypes, []string{"Table", "View"}) || !slices.Equal(d.TimeSeries, []string{"datasetProfile"}) || !d.Removed || !slices.Equal(d.Names, names) {
		t.Errorf("details: %+v\nnames %q", d, d.Names)
	}
	for i := range d.Aspects {
		if a := &d.Aspects[i]; a.Number() != 1 || a.Version != 0 || a.Created.Time == 0 || a.Created.Actor == "" || a.System.RunID == "" {
			t.Errorf("aspect: %+v", a)
		}
	}
	h.Say(catalogtest.Table, "editableDatasetProperties", `{"description":""}`)
	if d := details(catalogtest.Table); d.Description != "as ingested" {
		t.Errorf("without what people wrote: %q", d.Description)
	}
	h.Say("urn:li:corpuser:ada", "corpUserEditableInfo", `{"aboutMe":"I own things"}`)
	if d := details("urn:li:corpuser:ada"); d.Description != "I own things" || d.HasLineage {
		t.Errorf("a person: %+v", d)
	}
	var tags []string
	for i := range limits.MaxNamedRefs + 5 {
		tags = append(tags, fmt.Sprintf(`{"tag":"urn:li:tag:t%d"}`, i))
	}
	h.Say("urn:li:chart:(looker,many)", "globalTags", `{"tags":[`+strings.Join(tags, ",")+`]}`)
	if d := details("urn:li:chart:(looker,many)"); len(d.Names) != limits.MaxNamedRefs {
		t.Errorf("%d names", len(d.Names))
	}
}

// TestSeriesValues: values of a time series have their times, and the newest is first.
func TestSeriesValues(t *testing.T) {
	h := catalogtest.NewHarness(t)
	for at := 1; at <= 5; at++ {
		h.Say(catalogtest.Table, "datasetProfile", fmt.Sprintf(`{"timestampMillis":%d,"rowCount":%d}`, at, at))
	}
	request := func(aspect string, from, to, limit int) read.TimeSeriesRequest {
		start, end := int64(from), int64(to)
		return read.TimeSeriesRequest{URN: catalogtest.URN(catalogtest.Table), Entity: "dataset", Aspect: aspect, Start: &start, End: &end, Limit: &limit}
	}
	values, err := h.SeriesValues(context.Background(), request("datasetProfile", 2, 5, 3))
	h.Want("", err)
	if len(values) != 3 || values[0].Time != 5 || values[2].Time != 3 || string(values[0].Value) != `{"timestampMillis":5,"rowCount":5}` {
		t.Errorf("values: %+v", values)
	}
	for _, bad := range []read.TimeSeriesRequest{request("nothing", 1, 5, 3), request("status", 1, 5, 3), request("datasetProfile", 1, 5, -1), request("datasetProfile", 1, 5, limits.MaxSeriesValues+1)} {
		_, err := h.SeriesValues(context.Background(), bad)
		h.Want(catalog.Invalid, err)
		if *bad.Limit > limits.MaxSeriesValues && !strings.Contains(err.Error(), "from 0 to 1000") {
			t.Errorf("too many values: %v", err)
		}
	}
}
