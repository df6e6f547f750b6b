package transfer_test

import (
	"strings"
	"testing"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/transfer"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/internal/limits"
)

// TestImportFailures: the memory for failing entities of an import is bounded.
func TestImportFailures(t *testing.T) {
	h := catalogtest.NewHarness(t)
	i := h.Transfer.NewImport(transfer.ImportOptions{}, catalog.WriteOptions{})
	if err := i.Add(t.Context(), &transfer.ExportLine{Entity: &transfer.ExportEntity{URN: strings.Repeat("x", 1<<20)}}); err != nil {
		t.Fatal(err)
	}
	if f := i.Result().Failures[0]; len(f.URN) > 2000 || len(f.Message) > 2000 {
		t.Errorf("%d bytes of a URN and %d of what is wrong are kept", len(f.URN), len(f.Message))
	}
	line := &transfer.ExportLine{Entity: &transfer.ExportEntity{URN: "urn:li:nothing:x"}}
	for range limits.MaxImportFailures - 1 {
		if err := i.Add(t.Context(), line); err != nil {
			t.Fatal(err)
		}
	}
	if err := i.Add(t.Context(), line); catalog.CodeOf(err) != catalog.Invalid || !strings.Contains(catalog.MessageOf(err), "100000 entities failed") {
		t.Errorf("%v", err)
	}
	if i.Waiting() {
		t.Error("an entity that failed waits to be written")
	}
}

// TestValueLimits: a value that would be far larger when it is decoded is refused before it is
// decoded.
func TestValueLimits(t *testing.T) {
	h := catalogtest.NewHarness(t)
	for name, c := range map[string]struct{ value, says string }{
		"deep":  {`{"name":` + strings.Repeat("[", 101) + strings.Repeat("]", 101) + `}`, "more than 100 lists and objects within each other"},
		"empty": {`{"name":[` + strings.Repeat("[],", 1_000_000) + `[]]}`, "more than 1000000 values"},
	} {
		_, err := h.Ingest(t.Context(), write.Proposal{
			EntityType: "tag", EntityURN: "urn:li:tag:x", ChangeType: write.Upsert, AspectName: "tagProperties",
			Aspect: &write.GenericAspect{Value: []byte(c.value), ContentType: "application/json"},
		}, catalog.WriteOptions{})
		if catalog.CodeOf(err) != catalog.Invalid || !strings.Contains(catalog.MessageOf(err), c.says) || len(catalog.MessageOf(err)) > 200 {
			t.Errorf("%s: %v", name, err)
		}
		line := &transfer.ExportEntity{URN: "urn:li:tag:x", Versions: []transfer.ExportVersion{{Aspect: "tagProperties", Seq: 1, Latest: true, ExportStamp: transfer.ExportStamp{Value: []byte(c.value)}}}}
		if err := h.Transfer.Check(line); catalog.CodeOf(err) != catalog.Invalid || !strings.Contains(catalog.MessageOf(err), c.says) {
			t.Errorf("%s, imported: %v", name, err)
		}
	}
	if _, err := h.Aspect(t.Context(), catalogtest.URN("urn:li:tag:x"), "tagProperties", 0); catalog.CodeOf(err) != catalog.NotFound {
		t.Errorf("something was written: %v", err)
	}
}

// TestImportedNames: the imported names of runs and registries may be as long as the names in
// other writes, and no longer.
func TestImportedNames(t *testing.T) {
	h := catalogtest.NewHarness(t)
	long := strings.Repeat("r", limits.MaxRunIDBytes+1)
	for name, system := range map[string]catalog.SystemMetadata{
		"runId": {RunID: long}, "lastRunId": {LastRunID: long}, "registryName": {RegistryName: long}, "registryVersion": {RegistryVersion: long},
	} {
		line := &transfer.ExportEntity{URN: "urn:li:tag:x", Versions: []transfer.ExportVersion{
			{Aspect: "tagKey", Seq: 1, Latest: true, ExportStamp: transfer.ExportStamp{Value: []byte(`{"name":"x"}`), System: system}},
		}}
		if err := h.Transfer.Check(line); catalog.CodeOf(err) != catalog.Invalid || !strings.Contains(catalog.MessageOf(err), name+" in the system metadata has 513 bytes") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
