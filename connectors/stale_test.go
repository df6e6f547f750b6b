package connectors

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

// kept are checkpoints that a test keeps.
type kept struct {
	value json.RawMessage
	err   error
}

func (k *kept) Last(context.Context, string, string) (json.RawMessage, error) { return k.value, k.err }

func table(n int) string {
	return fmt.Sprintf("urn:li:dataset:(urn:li:dataPlatform:postgres,shop.public.t%d,PROD)", n)
}

// seen returns proposals about tables, and one about a query.
func seen(numbers ...int) iter.Seq2[*model.FileProposal, error] {
	return func(yield func(*model.FileProposal, error) bool) {
		for _, n := range numbers {
			for range 2 {
				if !yield(removal(table(n)), nil) {
					return
				}
			}
		}
		if len(numbers) > 0 {
			yield(removal("urn:li:query:view_1"), nil)
		}
	}
}

// round runs a reading, and returns the tables that it removes. States are kept.
func round(t *testing.T, k *kept, report *Report, proposals iter.Seq2[*model.FileProposal, error], settings func(*Stale)) (removed []string, err error) {
	t.Helper()
	s := &Stale{Platform: "postgres", Pipeline: "nightly", Threshold: 75, Checkpoints: k}
	if settings != nil {
		settings(s)
	}
	passed := 0
	for range proposals {
		passed++
	}
	for p, failure := range s.Follow(t.Context(), proposals, report) {
		if failure != nil {
			return nil, failure
		}
		if passed--; passed < 0 {
			removed = append(removed, p.EntityURN)
		}
	}
	if written := s.State("run-1", time.UnixMilli(1), report); len(written) > 0 {
		state := written[len(written)-1]
		if state.EntityURN != "urn:li:dataJob:(urn:li:dataFlow:(datahub,nightly,prod),postgres_stale_entity_removal)" || state.AspectName != "datahubIngestionCheckpoint" {
			t.Errorf("the state is %+v", state)
		}
		k.value = json.RawMessage(state.Aspect.Value)
	}
	return removed, nil
}

func TestWhatIsGoneIsRemoved(t *testing.T) {
	k := &kept{}
	for i, c := range []struct {
		tables  []int
		removed []string
		failure string
	}{
		{[]int{1, 2, 3, 4}, nil, ""},
		{[]int{1, 2, 3, 5}, []string{table(4)}, ""},
		{[]int{5}, []string{table(1), table(2), table(3)}, ""}, // three of four are not more than 75 %
		{[]int{6, 7, 8, 9}, nil, "fail_safe_threshold"},
		{[]int{5, 6, 7, 8}, []string{table(9)}, ""}, // the state of the guarded run has its own tables, too
		{nil, nil, "no entities at all"},
		{[]int{5, 6, 7}, []string{table(8)}, ""},
	} {
		report := &Report{}
		removed, err := round(t, k, report, seen(c.tables...), nil)
		if err != nil || !slices.Equal(removed, c.removed) {
			t.Errorf("run %d removes %v, %v", i, removed, err)
		}
		if got := strings.Join(report.Failures, "; "); (c.failure == "") != (got == "") || !strings.Contains(got, c.failure) {
			t.Errorf("run %d: %q", i, got)
		}
	}
}

func TestNothingIsRemovedIfSomethingIsWrong(t *testing.T) {
	k := &kept{}
	if _, err := round(t, k, &Report{}, seen(1, 2), nil); err != nil {
		t.Fatal(err)
	}
	before := string(k.value)
	failed := &Report{Failures: []string{"a schema cannot be read"}}
	if removed, _ := round(t, k, failed, seen(1), nil); removed != nil || !strings.Contains(string(k.value), "t2") {
		t.Errorf("a run with a failure removes %v and leaves %s", removed, k.value)
	}
	broken := func(yield func(*model.FileProposal, error) bool) { yield(nil, errors.New("gone away")) }
	if _, err := round(t, k, &Report{}, broken, nil); err == nil || string(k.value) != before {
		t.Errorf("a run that ends: %v, %s", err, k.value)
	}
	report := &Report{}
	if removed, _ := round(t, &kept{err: errors.New("no answer")}, report, seen(1), nil); removed != nil || len(report.Failures) != 1 {
		t.Errorf("without the last state: %v, %v", removed, report.Failures)
	}
	if removed, _ := round(t, k, &Report{}, seen(1), func(s *Stale) { s.IgnoreOld, s.IgnoreNew = true, true }); removed != nil || string(k.value) != before {
		t.Errorf("ignore_old_state and ignore_new_state: %v", removed)
	}
	if removed, _ := round(t, k, &Report{}, seen(3), func(s *Stale) { s.Threshold = 100 }); len(removed) != 2 {
		t.Errorf("a threshold of 100 removes %v", removed)
	}
}

// The state is one that client 1.7 wrote: {"urns": [t1, t2]} packed by bzip2 in base85.
func TestStatesOfTheClientAreRead(t *testing.T) {
	k := &kept{value: json.RawMessage("{\"state\":{\"formatVersion\":\"1.0\",\"serde\":\"base85-bz2-json\",\"payload\":\"LRx4!F+o`-Q(0zBR`>t_NgsevWiSu~0MH6Q=iUk+0BRDVGBndb(<Xq>1f>JiXaLXyN2pU5G~T~fIAyM|nFGS4oCLyVWJi)T9@d7z0gDHN7?XrTiAgYYDkrCgV+ufGLevuUfe~e5g$TrH;S_!M;_gVN3K9&-s^0(\"}}")}
	if removed, err := round(t, k, &Report{}, seen(1), nil); err != nil || !slices.Equal(removed, []string{table(2)}) {
		t.Errorf("%v %v", removed, err)
	}
	for _, payload := range []string{"#", "~~~~~", "00000"} {
		if _, err := entitiesOf(json.RawMessage(`{"state":{"serde":"base85-bz2-json","payload":"` + payload + `"}}`)); err == nil {
			t.Errorf("%q is read", payload)
		}
	}
	if _, err := entitiesOf(json.RawMessage(`{"state":{"serde":"pickle","payload":""}}`)); err == nil {
		t.Error("an unknown form is read")
	}
}

func TestALargeStateIsNotWritten(t *testing.T) {
	for _, more := range []int{0, 1} {
		name := strings.Repeat("x", limits.MaxStateBytes-len(`{"urns":["`)-len(`"]}`)+more)
		s := &Stale{Platform: "postgres", Pipeline: "nightly", order: []string{name}, done: true}
		report := &Report{}
		if written := s.State("run", time.UnixMilli(1), report); (len(written) == 0) != (more == 1) || len(report.Failures) != more {
			t.Errorf("%d bytes more: %d proposals, %v", more, len(written), report.Failures)
		}
	}
}

func TestReportsKeepTheFirstNames(t *testing.T) {
	r := &Report{}
	for i := range limits.MaxReportedNames + 3 {
		r.Filter(fmt.Sprint(i))
		r.Warn("%d", i)
		r.Fail("%d", i)
	}
	if len(r.Filtered) != limits.MaxReportedNames || r.MoreFiltered != 3 || r.MoreWarnings != 3 || r.MoreFailures != 3 || len(r.Failures) != limits.MaxReportedNames {
		t.Errorf("%d and %d more", len(r.Filtered), r.MoreFiltered)
	}
}

// The edge of limits.MaxUnpackedStateBytes: spaces that the client packed into a few bytes.
func TestPackedStatesHaveALimit(t *testing.T) {
	if limits.MaxUnpackedStateBytes != 64<<20 {
		t.Fatal("the packed states are of another limit: pack them again")
	}
	for payload, fits := range map[string]bool{packedMost: true, packedMore: false} {
		value, err := json.Marshal(map[string]any{"state": map[string]any{"serde": "base85-bz2-json", "payload": payload}})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := entitiesOf(value); (err == nil) != fits {
			t.Errorf("%.200v", err)
		}
	}
}

// packedMost is a state of limits.MaxUnpackedStateBytes, packed.
const packedMost = "LRx4!F+o`-Q&|wB<GclaIGcdb000mG3IG8b3IGTo08oLTXbGyI2GrIls0nWhNGh+huKd<#UuL9K1ivvsSte6i-S{{y0HSn|0KfnQ2p|A3%mpc?iBSo#lA;sE+>uTcBtI|z)j$"

// packedMore is a state of limits.MaxUnpackedStateBytes and one byte more, packed.
const packedMore = "LRx4!F+o`-Q&|wB<GclaIGcdb000mG3IG8b3IGTo08oLTXbGyI2GrIls0nWhNGh+huKd<#UuL9K1ivvsSte6i@wyg~0HSn|0KfnO2p|A3%mpc?iBSo#lA;sE+>uTcBs4#CdO!"
