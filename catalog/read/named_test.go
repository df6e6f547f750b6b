package read_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/read"
	"github.com/headwater-io/headwater/graphstore"
)

// TestName: an entity has its stored name, or else the name in its URN.
func TestName(t *testing.T) {
	h, ctx := catalogtest.NewHarness(t), context.Background()
	const (
		raw    = "urn:li:dataset:(urn:li:dataPlatform:hive,names.raw,PROD)"
		gone   = "urn:li:dataset:(urn:li:dataPlatform:hive,names.gone,PROD)"
		never  = "urn:li:dataset:(urn:li:dataPlatform:kafka,names.never,PROD)"
		column = "urn:li:schemaField:(" + gone + ",a%2Cb)"
	)
	h.Say(raw, "datasetProperties", `{"name":"Raw names"}`)
	h.Say(gone, "status", `{"removed":true}`)
	h.Say("urn:li:dataPlatform:hive", "dataPlatformInfo", `{"name":"hive","displayName":"Hive","type":"FILE_SYSTEM","datasetNameDelimiter":"."}`)
	h.Say("urn:li:corpuser:ada", "corpUserInfo", `{"active":true,"displayName":"Ada Wren"}`)
	h.Say("urn:li:chart:(looker,c)", "chartInfo", `{"title":"A chart","description":"","lastModified":{"created":`+catalogtest.Stamp+`,"lastModified":`+catalogtest.Stamp+`}}`)
	got, err := h.Name(ctx, []string{raw, gone, never, column, "urn:li:dataPlatform:hive", "urn:li:corpuser:ada", "urn:li:corpuser:unknown", "urn:li:chart:(looker,c)", "nobody", raw, ""})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]read.Named{
		raw:                        {URN: raw, Type: "dataset", Name: "Raw names", Platform: "urn:li:dataPlatform:hive", PlatformName: "Hive", Exists: true},
		gone:                       {URN: gone, Type: "dataset", Name: "names.gone", Platform: "urn:li:dataPlatform:hive", PlatformName: "Hive", Exists: true, Removed: true},
		never:                      {URN: never, Type: "dataset", Name: "names.never", Platform: "urn:li:dataPlatform:kafka", PlatformName: "kafka"},
		column:                     {URN: column, Type: "schemaField", Name: "a,b", Platform: "urn:li:dataPlatform:hive", PlatformName: "Hive", Exists: true, Removed: true},
		"urn:li:dataPlatform:hive": {URN: "urn:li:dataPlatform:hive", Type: "dataPlatform", Name: "Hive", Exists: true},
		"urn:li:corpuser:ada":      {URN: "urn:li:corpuser:ada", Type: "corpuser", Name: "Ada Wren", Exists: true},
		"urn:li:corpuser:unknown":  {URN: "urn:li:corpuser:unknown", Type: "corpuser", Name: "unknown"},
		"urn:li:chart:(looker,c)":  {URN: "urn:li:chart:(looker,c)", Type: "chart", Name: "A chart", Platform: "urn:li:dataPlatform:looker", PlatformName: "looker", Exists: true},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	canceled, cancel := context.WithCancelCause(ctx)
	cancel(graphstore.ErrUnavailable)
	if _, err := h.Name(canceled, []string{raw}); err == nil {
		t.Error("a store that does not answer is an error")
	}
}
