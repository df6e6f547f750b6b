package moments

import (
	"bytes"
	"context"
	"slices"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/history"
	"github.com/headwater-io/headwater/catalog/lineage"
	"github.com/headwater-io/headwater/internal/jsontree"
	"github.com/headwater-io/headwater/model"
)

// SinceRequest asks for the changes of an entity after a moment.
type SinceRequest struct {
	URN model.URN
	// From and To are epoch milliseconds. A change at From is not listed, because the entity at that
	// moment has it; a change at To is listed. A To of 0 is now.
	From, To int64
	// Categories are categories of timelines; an empty list means all.
	Categories   []string
	Start, Count int
}

// Since has the changes of an entity between two moments.
type Since struct {
	// From is the moment from which changes are listed: the moment of the request or, if nothing had been
	// recorded by then, the time of the first known write. To is 0 for now.
	From, To      int64
	FirstRecorded int64
	// Aspects lists the aspects whose values at the two moments differ, by name.
	Aspects []AspectDifference
	// Changes is a page of the changes between, the newest first.
	*lineage.Changes
}

// AspectDifference is an aspect whose value changed.
type AspectDifference struct {
	Name string
	// Operation is one of the operations of timelines.
	Operation string
	// Told reports that timelines describe changes of the aspect in words.
	Told bool
	// Unsure reports that one of the two values is not known for sure: its removal was not recorded, or the
	// version is not kept any more.
	Unsure bool
}

// Since returns the changes of an entity between two moments. Since fails with NotFound if nothing is stored
// of the entity.
func (s *Service) Since(ctx context.Context, r SinceRequest) (*Since, error) {
	switch {
	case r.From <= 0 || r.To < 0:
		return nil, catalog.Errorf(catalog.Invalid, "changes are listed from a moment on; moments are epoch milliseconds")
	case r.To != 0 && r.To < r.From:
		return nil, catalog.Errorf(catalog.Invalid, "the moment to is before the moment from")
	}
	before, err := s.past.State(ctx, r.URN, r.From, nil)
	if err != nil {
		return nil, err
	}
	after, err := s.past.State(ctx, r.URN, orNow(r.To), nil)
	if err != nil {
		return nil, err
	}
	since := &Since{From: r.From + 1, To: r.To, FirstRecorded: before.FirstRecorded, Aspects: []AspectDifference{}}
	if !before.Recorded() {
		since.From = before.FirstRecorded
	}
	if since.Aspects, err = s.differences(before, after); err != nil {
		return nil, err
	}
	if r.To != 0 && r.To < since.From || since.From > s.now().UnixMilli() {
		since.Changes = &lineage.Changes{Start: r.Start, Changes: []lineage.Change{}}
		return since, nil
	}
	since.Changes, err = s.lineage.Changes(ctx, lineage.ChangesRequest{
		URN: r.URN, Alone: true, From: since.From, To: r.To, Categories: r.Categories, Start: r.Start, Count: r.Count,
	})
	return since, err
}

// orNow returns a moment after every write for 0.
func orNow(at int64) int64 {
	if at == 0 {
		return 1<<63 - 1
	}
	return at
}

func (s *Service) differences(before, after *history.PastEntity) ([]AspectDifference, error) {
	names := map[string]bool{}
	for name := range before.Aspects {
		names[name] = true
	}
	for name := range after.Aspects {
		names[name] = true
	}
	found := []AspectDifference{}
	for _, name := range sortedKeys(names) {
		was, had := before.Aspects[name]
		is, has := after.Aspects[name]
		same, err := sameValues(was.Value, is.Value)
		if err != nil {
			return nil, err
		}
		if same {
			continue
		}
		d := AspectDifference{Name: name, Operation: history.OperationModify}
		switch {
		case !had:
			d.Operation = history.OperationAdd
		case !has:
			d.Operation = history.OperationRemove
		}
		if spec, known := s.registry.Aspect(name); known {
			d.Told = history.TellsOf(spec)
		}
		for _, list := range [][]string{before.Unsure, after.Unsure, before.Lost, after.Lost} {
			d.Unsure = d.Unsure || slices.Contains(list, name)
		}
		found = append(found, d)
	}
	return found, nil
}

// sameValues reports whether two values are equal as JSON.
func sameValues(a, b []byte) (bool, error) {
	if bytes.Equal(a, b) || len(a) == 0 || len(b) == 0 {
		return len(a) == len(b), nil
	}
	was, err := catalog.TreeOf(a)
	if err != nil {
		return false, err
	}
	is, err := catalog.TreeOf(b)
	return err == nil && jsontree.Equal(was, is), err
}
