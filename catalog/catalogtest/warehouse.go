package catalogtest

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/headwater-io/headwater/internal/testing/testclock"
)

// LineageHarness is a small catalog with lineage: raw → clean → mart, clean
// through a job, mart shown by a chart on a dashboard; column-level from raw to
// clean (by the job) and from clean to mart, and from mart to the chart.
type LineageHarness struct{ *Harness }

const (
	RawTable   = "urn:li:dataset:(urn:li:dataPlatform:hive,db.raw,PROD)"
	CleanTable = "urn:li:dataset:(urn:li:dataPlatform:hive,db.clean,PROD)"
	MartTable  = "urn:li:dataset:(urn:li:dataPlatform:snowflake,db.mart,PROD)"
	SideTable  = "urn:li:dataset:(urn:li:dataPlatform:snowflake,db.side,PROD)"
	CleanJob   = "urn:li:dataJob:(urn:li:dataFlow:(airflow,f,PROD),clean)"
	SalesChart = "urn:li:chart:(looker,sales)"
	SalesBoard = "urn:li:dashboard:(looker,board)"
)

func ColumnOf(table, path string) string {
	return "urn:li:schemaField:(" + table + "," + path + ")"
}

func fineGrained(pairs ...string) string {
	var entries []string
	for i := 0; i < len(pairs); i += 2 {
		entries = append(entries, fmt.Sprintf(
			`{"upstreamType":"FIELD_SET","upstreams":[%q],"downstreamType":"FIELD","downstreams":[%q],"transformOperation":"TRIM","confidenceScore":0.8}`,
			pairs[i], pairs[i+1]))
	}
	return strings.Join(entries, ",")
}

func NewLineageHarness(t testing.TB) *LineageHarness {
	h := &LineageHarness{NewHarness(t)}
	say := h.Say
	upstreams := func(fine string, urns ...string) string {
		var list []string
		for _, u := range urns {
			list = append(list, fmt.Sprintf(`{"dataset":%q,"type":"TRANSFORMED","auditStamp":{"time":5,"actor":%q}}`, u, Ada))
		}
		return `{"upstreams":[` + strings.Join(list, ",") + `],"fineGrainedLineages":[` + fine + `]}`
	}
	for _, table := range []string{RawTable, CleanTable, MartTable, SideTable} {
		say(table, "datasetProperties", `{"description":"d"}`)
	}
	say(CleanJob, "dataJobInfo", `{"name":"clean it","type":{"string":"SPARK"}}`)
	say(CleanJob, "dataJobInputOutput", `{"inputDatasets":["`+RawTable+`"],"outputDatasets":["`+CleanTable+`"],"fineGrainedLineages":[`+
		fineGrained(ColumnOf(RawTable, "a"), ColumnOf(CleanTable, "a"))+`]}`)
	say(MartTable, "upstreamLineage", upstreams(fineGrained(ColumnOf(CleanTable, "a"), ColumnOf(MartTable, "total")), CleanTable))
	say(SideTable, "upstreamLineage", upstreams("", CleanTable))
	say(SalesChart, "chartInfo", `{"title":"Sales","description":"","lastModified":{"created":{"time":0,"actor":"urn:li:corpuser:ada"},"lastModified":{"time":0,"actor":"urn:li:corpuser:ada"}},"inputs":["`+MartTable+`"]}`)
	say(SalesChart, "inputFields", `{"fields":[{"schemaFieldUrn":"`+ColumnOf(MartTable, "total")+`","schemaField":{"fieldPath":"sum","nullable":false,"type":{"type":{"com.linkedin.schema.NumberType":{}}},"nativeDataType":"n"}}]}`)
	say(SalesBoard, "dashboardInfo", `{"title":"Board","description":"","charts":["`+SalesChart+`"],"lastModified":{"created":{"time":0,"actor":"urn:li:corpuser:ada"},"lastModified":{"time":0,"actor":"urn:li:corpuser:ada"}}}`)
	say(MartTable, "ownership", `{"owners":[{"owner":"`+Ada+`","type":"DATAOWNER"}],"lastModified":{"time":0,"actor":"urn:li:corpuser:ada"}}`)
	say(Ada, "corpUserInfo", `{"active":true,"displayName":"Ada Wren","email":"ada@example.com"}`)
	say(SideTable, "globalTags", `{"tags":[{"tag":"urn:li:tag:pii"}]}`)
	return h
}

// Past puts the clock forward and returns a moment after everything written so far and before later writes.
func Past(testing.TB) int64 {
	testclock.Forward(3 * time.Millisecond)
	at := testclock.Now().UnixMilli()
	testclock.Forward(3 * time.Millisecond)
	return at
}
