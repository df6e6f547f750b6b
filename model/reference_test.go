package model

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// referenceFiles are other people's real metadata, read from beside the
// repository and never part of it.
func referenceFiles(t *testing.T) []string {
	t.Helper()
	dir := os.Getenv("HEADWATER_REFERENCE_DIR")
	if dir == "" {
		dir = filepath.Join("..", "..", "shared")
	}
	files, err := filepath.Glob(filepath.Join(dir, "data", "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	sources, err := filepath.Glob(filepath.Join(dir, "data", "sources", "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	files = append(files, sources...)
	if len(files) == 0 {
		t.Skip("no reference data at " + dir)
	}
	return files
}

func TestReferenceDataValidates(t *testing.T) {
	for _, file := range referenceFiles(t) {
		t.Run(filepath.Base(file), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var records []json.RawMessage
			if err := json.Unmarshal(text, &records); err != nil {
				t.Fatal(err)
			}
			for i, raw := range records {
				record, err := Default().DecodeFileRecord(raw)
				if err != nil {
					t.Errorf("record %d: %v", i, err)
					continue
				}
				checkRecord(t, i, record)
			}
		})
	}
}

func checkRecord(t *testing.T, i int, record *FileRecord) {
	t.Helper()
	r := Default()
	if record.Proposal != nil {
		p := record.Proposal
		if p.EntityURN != "" {
			u, err := ParseURN(p.EntityURN)
			if err == nil {
				err = r.CheckURN(u)
			}
			if err != nil {
				t.Errorf("record %d: %v", i, err)
			}
		}
		if _, err := r.Parse(LI(), p.AspectName, []byte(p.Aspect.Value)); err != nil && p.ChangeType != "PATCH" {
			t.Errorf("record %d: %v", i, err)
		}
		return
	}
	var snapshot map[string]struct {
		URN     string                       `json:"urn"`
		Aspects []map[string]json.RawMessage `json:"aspects"`
	}
	if err := json.Unmarshal(record.Snapshot, &snapshot); err != nil {
		t.Fatal(err)
	}
	for name, body := range snapshot {
		if _, ok := r.Snapshot(name); !ok {
			t.Errorf("record %d: unknown snapshot %s", i, name)
		}
		for _, holder := range body.Aspects {
			for recordName, value := range holder {
				spec, ok := r.AspectByRecord(recordName)
				if !ok {
					t.Errorf("record %d: unknown record %s", i, recordName)
					continue
				}
				if _, err := r.Parse(LI(), spec.Name, value); err != nil {
					t.Errorf("record %d: %v", i, err)
				}
			}
		}
	}
}
