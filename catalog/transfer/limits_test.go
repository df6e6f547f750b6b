package transfer_test

import (
	"strings"
	"testing"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/transfer"
	"github.com/headwater-io/headwater/internal/limits"
)

// TestImportFailures: what an import keeps of failing entities is bounded.
func TestImportFailures(t *testing.T) {
	h := catalogtest.NewHarness(t)
	i := h.Transfer.NewImport(transfer.ImportOptions{}, catalog.WriteOptions{})
	if err := i.Add(t.Context(), &transfer.ExportLine{Entity: &transfer.ExportEntity{URN: strings.Repeat("x", 1<<20)}}); err != nil {
		t.Fatal(err)
	}
	if f := i.result.Failures[0]; len(f.URN) > 2000 || len(f.Message) > 2000 {
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
