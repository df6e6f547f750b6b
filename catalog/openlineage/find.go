package openlineage

import (
	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/openlineage/naming"
	"github.com/headwater-io/headwater/model"
)

// urnNamed returns the URN that a name has by itself. If the settings say so, a dataset is found that exists under a
// name which differs in letter case only: one that others have made, and the only one.
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
		if urn, err = w.find(urn, spellings); err != nil {
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
