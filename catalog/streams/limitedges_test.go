package streams_test

import (
	"context"
	"strconv"
	"testing"
	"time"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/streams"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

// tagLog is a log of changes of tags, and of one dataset.
type tagLog struct{ dataset int }

func (l tagLog) AwaitChanges(_ context.Context, from string, limit int, _ time.Duration) ([]catalog.Change, string, error) {
	at, _ := strconv.Atoi(from)
	changes := make([]catalog.Change, limit)
	for i := range changes {
		changes[i] = catalog.Change{Cursor: strconv.Itoa(at + i + 1), Kind: catalog.ChangeUpsert, EntityType: "tag", URN: "urn:li:tag:a", Aspect: "status"}
		if at+i == l.dataset {
			changes[i].EntityType = "dataset"
		}
	}
	return changes, strconv.Itoa(at + limit), nil
}

// TestLimitOfScannedChanges: an event is found in the last change that one request reads. Without
// an event, the request answers where to continue.
func TestLimitOfScannedChanges(t *testing.T) {
	selection, err := streams.New(model.Default(), letters{}, nil).Select(streams.Filter{EntityTypes: []string{"dataset"}})
	if err != nil {
		t.Fatal(err)
	}
	for at, want := range map[int]int{limits.MaxScannedChanges - 1: 1, limits.MaxScannedChanges: 0} {
		events, next, err := selection.Await(t.Context(), tagLog{at}, "", limits.MaxChanges, 0)
		if err != nil || len(events) != want || next != strconv.Itoa(limits.MaxScannedChanges) {
			t.Errorf("a dataset in change %d: %d events, the next request reads from %s on: %v", at, len(events), next, err)
		}
	}
}

// TestLimitOfToldBytes: no further feed is read when the items of the read feeds reach the size of
// a page of changes.
func TestLimitOfToldBytes(t *testing.T) {
	// With so many actors, feeds are read for few changes at a time.
	actors := make([]string, limits.MaxFilterNames)
	for i := range actors {
		actors[i] = "urn:li:corpuser:u" + strconv.Itoa(i)
	}
	const atOnce = 5000 / limits.MaxFilterNames
	changes, _, _ := tagLog{-1}.AwaitChanges(t.Context(), "", 2*atOnce, 0)
	for size, want := range map[int]int{limits.MaxChangePageBytes/atOnce + 1: atOnce, limits.MaxChangePageBytes / atOnce: 2 * atOnce} {
		selection, err := streams.New(model.Default(), letters{}, away{size: size, asked: new([]int)}).Select(streams.Filter{Format: streams.FormatFeed, Actors: actors})
		if err != nil {
			t.Fatal(err)
		}
		if _, n, err := selection.Some(t.Context(), changes); err != nil || n != want {
			t.Errorf("items of %d bytes: those of %d changes are read, %v", size, n, err)
		}
	}
}
