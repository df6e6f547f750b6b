package main

import (
	"bytes"
	"os"
	"testing"

	"github.com/CycloneDX/cyclonedx-go"
)

// TestBill: the bill of this test's own binary names the test's library with a checksum,
// and is the same every time.
func TestBill(t *testing.T) {
	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var once, second bytes.Buffer
	for _, out := range []*bytes.Buffer{&once, &second} {
		if err := run([]string{binary, "1.2.3"}, out); err != nil {
			t.Fatal(err)
		}
	}
	if once.String() != second.String() {
		t.Error("two bills of one binary differ")
	}
	var bill cyclonedx.BOM
	if err := cyclonedx.NewBOMDecoder(&once, cyclonedx.BOMFileFormatJSON).Decode(&bill); err != nil {
		t.Fatal(err)
	}
	if bill.SpecVersion != cyclonedx.SpecVersion1_6 || bill.Metadata.Component.Version != "1.2.3" {
		t.Errorf("bill: %v %+v", bill.SpecVersion, bill.Metadata.Component)
	}
	found := false
	for _, c := range *bill.Components {
		if c.Name == "github.com/CycloneDX/cyclonedx-go" {
			found = c.Hashes != nil && len((*c.Hashes)[0].Value) == 64
		}
	}
	if !found {
		t.Errorf("the library is not in the bill, or has no hash: %+v", bill.Components)
	}
}
