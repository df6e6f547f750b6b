package history

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

// old is a store with a long past.
type old struct {
	Store
	// versions are the versions of every aspect, the newest first.
	versions []graphstore.Aspect
	// rolledBack are the versions of an entity that were rolled back, the newest first.
	rolledBack []graphstore.TimeSeriesValue
	// changed returns a record of the change log by its number, from the newest on.
	changed func(n int) graphstore.Change
}

func (o *old) AspectVersions(_ context.Context, _ graphstore.AspectKey, page graphstore.Page) ([]graphstore.Aspect, error) {
	return o.versions[min(page.Start, len(o.versions)):min(page.Start+page.Count, len(o.versions))], nil
}

func (o *old) TimeSeries(_ context.Context, q graphstore.TimeSeriesQuery) ([]graphstore.TimeSeriesValue, error) {
	from := 0
	if q.After != nil {
		from, _ = strconv.Atoi(q.After.Key)
		from++
	}
	return o.rolledBack[from:min(from+q.Limit, len(o.rolledBack))], nil
}

func (o *old) EndCursor(context.Context) (string, error) { return "0", nil }

func (o *old) NewestChanges(_ context.Context, part graphstore.LogPart, limit int) (changes []graphstore.Change, rest string, err error) {
	from, err := strconv.Atoi(part.UpTo)
	if err != nil {
		return nil, "", err
	}
	for i := from; i < from+limit; i++ {
		changes = append(changes, o.changed(i))
	}
	return changes, strconv.Itoa(from + limit), nil
}

// TestLimitOfVersions: as many versions of an aspect are listed as the limit, the newest.
func TestLimitOfVersions(t *testing.T) {
	all := make([]graphstore.Aspect, limits.MaxHistoryVersions+1)
	for i := range all {
		all[i].Seq = int64(len(all) - i)
	}
	for _, n := range []int{limits.MaxHistoryVersions, limits.MaxHistoryVersions + 1} {
		versions, err := New(model.Default(), &old{versions: all[:n]}, nil).storedVersions(t.Context(), graphstore.AspectKey{})
		if err != nil || len(versions) != limits.MaxHistoryVersions || versions[0].Seq != all[0].Seq {
			t.Errorf("of %d versions, %d are listed: %v", n, len(versions), err)
		}
	}
}

// TestLimitOfRecentRecords: a change is found in the last record that is looked at, and not in the
// record after it.
func TestLimitOfRecentRecords(t *testing.T) {
	for at, want := range map[int]int{limits.MaxRecentRecords - 1: 1, limits.MaxRecentRecords: 0} {
		s := New(model.Default(), &old{changed: func(n int) graphstore.Change {
			if n == at {
				return graphstore.Change{EntityType: model.EntityDataset, URN: "urn:li:dataset:t", Aspect: model.AspectStatus, Kind: graphstore.ChangeUpsert}
			}
			return graphstore.Change{EntityType: model.EntityTag}
		}}, nil)
		found, err := s.Recent(t.Context(), []string{model.EntityDataset}, 1)
		if err != nil || len(found) != want {
			t.Errorf("a change in record %d: %d are found, %v", at, len(found), err)
		}
	}
}

// TestLimitOfTakenBackBytes: versions that were rolled back are read until the read ones reach the limit: the
// first page is ten bytes below it, and the second, of five values of two bytes, reaches it.
func TestLimitOfTakenBackBytes(t *testing.T) {
	const form = `{"value":"%s"}`
	s := &old{rolledBack: make([]graphstore.TimeSeriesValue, 3*rolledBackPage)}
	for i := range s.rolledBack {
		value := []byte(`{}`)
		if i < rolledBackPage {
			value = fmt.Appendf(nil, form, strings.Repeat("x", limits.TimelineTakenBackBytes/rolledBackPage-len(`{}`)-len(form)+len("%s")))
		}
		s.rolledBack[i] = graphstore.TimeSeriesValue{Key: strconv.Itoa(i), Value: value}
	}
	found, err := New(model.Default(), s, nil).rolledBackVersions(t.Context(), model.URN{})
	if n := len(found[""]); err != nil || n != 2*rolledBackPage {
		t.Errorf("%d versions are read, %v", n, err)
	}
}
