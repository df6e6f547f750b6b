package openlineage

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/openlineage/naming"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/recent"
	"github.com/headwater-io/headwater/model"
)

// urnNamed returns the URN that a name has by itself. If the settings say so, urnNamed looks for datasets whose
// names differ from the name in letter case only. If there is exactly one, and a source other than OpenLineage made
// the dataset, urnNamed returns its URN.
func (w *work) urnNamed(d naming.Dataset) (model.URN, error) {
	if urn, ok := w.named[d]; ok {
		return urn, nil
	}
	urn, err := w.names.DatasetURN(d)
	if err != nil {
		return urn, err
	}
	spellings, err := w.names.Spellings(d)
	if err != nil {
		return urn, err
	}
	if len(spellings) > 0 {
		if urn, err = w.find(urn, w.withIndexed(urn, spellings)); err != nil {
			return urn, err
		}
	}
	w.named[d] = urn
	return urn, nil
}

// find returns the only dataset among some spellings that exists and that others have made, else the given one.
func (w *work) find(urn model.URN, spellings []model.URN) (model.URN, error) {
	texts := make([]string, len(spellings))
	for i, spelling := range spellings {
		texts[i] = spelling.String()
	}
	stored, err := w.store.LatestAspects(w.ctx, texts, []string{model.AspectDatasetKey})
	if err != nil {
		return urn, catalog.StoreFailure(err)
	}
	found := urn
	for i, text := range texts {
		if len(stored[text]) == 0 {
			continue
		}
		from, err := w.urns.load(w.ctx, key("", text))
		if err != nil {
			return urn, err
		}
		switch {
		case from.value.Made:
		case found != urn:
			return urn, nil
		default:
			found = spellings[i]
		}
	}
	return found, nil
}

// withIndexed adds the spellings that the search index has of a dataset, such as Shop.Public.Orders. An index that cannot
// answer does not cost the event: a later event of the table finds the dataset.
func (w *work) withIndexed(urn model.URN, spellings []model.URN) []model.URN {
	if w.indexed == nil {
		return spellings
	}
	found, err := w.indexed.find(w.ctx, urn.String())
	if err != nil {
		w.logger.WarnContext(w.ctx, "spellings of a dataset cannot be searched for", "urn", urn.String(), "error", err)
		return spellings
	}
	for _, text := range found {
		other, err := model.ParseURN(text)
		if err != nil || other == urn || slices.Contains(spellings, other) {
			continue
		}
		a, b := other.Parts(), urn.Parts()
		if other.EntityType() == model.EntityDataset && len(a) == len(b) && a[0] == b[0] && strings.EqualFold(a[1], b[1]) && a[2] == b[2] {
			spellings = append(spellings, other)
		}
	}
	return spellings
}

// Spelled returns URNs of datasets that differ from a URN in letter case only; at most is the largest number of URNs.
type Spelled func(ctx context.Context, urn string, most int) ([]string, error)

// indexed keeps answers of a search for spellings for a while: a table is named by many events.
type indexed struct {
	search Spelled
	now    func() time.Time
	mu     sync.Mutex
	known  *recent.Map[string, spelledAt]
}

type spelledAt struct {
	urns []string
	at   time.Time
}

// spelledFor is how long an answer is kept, and spelledKept how many are kept in each of two generations.
const (
	spelledFor  = time.Minute
	spelledKept = 5_000
)

func newIndexed(search Spelled, now func() time.Time) *indexed {
	if search == nil {
		return nil
	}
	return &indexed{search: search, now: now, known: recent.New[string, spelledAt](spelledKept)}
}

func (x *indexed) find(ctx context.Context, urn string) ([]string, error) {
	if found, ok := x.get(urn); ok {
		return found, nil
	}
	at := x.now()
	found, err := x.search(ctx, urn, limits.OpenLineageSpellings)
	if err != nil {
		return nil, err
	}
	found = found[:min(len(found), limits.OpenLineageSpellings)]
	x.mu.Lock()
	defer x.mu.Unlock()
	x.known.Put(urn, spelledAt{found, at})
	return found, nil
}

func (x *indexed) get(urn string) ([]string, bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	found, ok := x.known.Get(urn)
	return found.urns, ok && x.now().Sub(found.at) < spelledFor
}
