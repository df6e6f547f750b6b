package model

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/internal/limits"
)

// TestLimitsOfPatches: a path with exactly the permitted number of levels is accepted, and
// a path with one more is refused.
func TestLimitsOfPatches(t *testing.T) {
	for levels, passes := range map[int]bool{limits.MaxPatchPath: true, limits.MaxPatchPath + 1: false} {
		if _, err := pathOf(strings.Repeat("/a", levels)); (err == nil) != passes {
			t.Errorf("a path of %d levels: %v", levels, err)
		}
		// The item itself is the last level.
		for name, keys := range map[string]map[string][]string{
			"keys":       {"upstreams": slicesOf("a", levels-1)},
			"a deep key": {"upstreams": {strings.Join(slicesOf("a", levels), "␟")}},
		} {
			if err := new(Operations).readKeys(keys); (err == nil) != passes {
				t.Errorf("%s of %d levels: %v", name, levels, err)
			}
		}
	}
	w := &patchWork{}
	if err := w.moveItems(limits.MaxPatchWork / itemBytes); err != nil {
		t.Errorf("all the work that a patch may make: %v", err)
	}
	var fault *PatchError
	if err := w.moveItems(1); !errors.As(err, &fault) || !fault.TooLarge {
		t.Errorf("one item more: %v", err)
	}
}

func slicesOf(text string, n int) []string {
	return strings.Split(strings.TrimSuffix(strings.Repeat(text+" ", n), " "), " ")
}

// TestLimitOfColumnEdges: an aspect may state exactly the permitted number of edges between
// columns, and not one more.
func TestLimitOfColumnEdges(t *testing.T) {
	columns := func(n int) string {
		list := make([]string, n)
		for i := range list {
			list[i] = fmt.Sprintf(`"urn:li:schemaField:(urn:li:dataset:(urn:li:dataPlatform:hive,t,PROD),c%d)"`, i)
		}
		return strings.Join(list, ",")
	}
	entry := func(upstreams, downstreams int) string {
		return `{"upstreamType":"FIELD_SET","upstreams":[` + columns(upstreams) + `],"downstreamType":"FIELD_SET","downstreams":[` + columns(downstreams) + `],"confidenceScore":1.0}`
	}
	const side = 1000
	most := entry(limits.MaxColumnEdges/side, side)
	for name, c := range map[string]struct {
		entries string
		passes  bool
	}{"at the edge": {most, true}, "beyond the edge": {most + "," + entry(1, 1), false}} {
		value := `{"inputDatasets":[],"outputDatasets":[],"fineGrainedLineages":[` + c.entries + `]}`
		_, err := Default().Parse(LI(), "dataJobInputOutput", []byte(value))
		if c.passes && err != nil || !c.passes && (err == nil || !strings.Contains(err.Error(), "edges between columns")) {
			t.Errorf("%s: %.300v", name, err)
		}
	}
}
