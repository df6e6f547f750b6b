package openlineage

import (
	"maps"
	"slices"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/model"
)

// asserted is the state of an assertion that runs state. Many runs state the same assertion; it is removed softly when
// the last of these runs states other assertions instead.
type asserted struct {
	URN string `json:"urn"`
	// Runs is how many runs state the assertion. Each run knows the assertions for which it was counted.
	Runs int `json:"runs,omitempty"`
	// Made: events have made the assertion since runs are counted. Only such an assertion is removed.
	Made bool `json:"made,omitempty"`
}

// countAssertions counts a run for the assertions that its facets state now, and takes back its count for the
// assertions that they stated before.
func (w *work) countAssertions(r *run, now map[string]model.URN) error {
	counted := map[string]bool{}
	for _, name := range r.Asserts {
		counted[name] = true
	}
	var come, gone, keys []string
	for _, name := range slices.Sorted(maps.Keys(now)) {
		if !counted[name] {
			come = append(come, name)
			keys = append(keys, key("", name))
		}
		delete(counted, name)
	}
	for _, name := range slices.Sorted(maps.Keys(counted)) {
		gone = append(gone, name)
		keys = append(keys, key("", name))
	}
	if len(keys) == 0 {
		return nil
	}
	if err := w.asserted.loadAll(w.ctx, keys); err != nil {
		return err
	}
	for _, name := range come {
		if err := w.countMade(name, now[name]); err != nil {
			return err
		}
	}
	for _, name := range gone {
		if err := w.countGone(name); err != nil {
			return err
		}
	}
	r.Asserts = slices.Sorted(maps.Keys(now))
	return nil
}

func (w *work) countMade(name string, urn model.URN) error {
	a, err := w.asserted.touch(w.ctx, key("", name))
	if err != nil {
		return err
	}
	if !a.Made && a.Runs == 0 {
		stored, err := w.latest(urn, model.AspectAssertionInfo)
		if err != nil {
			return err
		}
		a.Made = stored == nil
	}
	a.URN = name
	a.Runs++
	return nil
}

func (w *work) countGone(name string) error {
	a, err := w.asserted.touch(w.ctx, key("", name))
	if err != nil {
		return err
	}
	a.URN, a.Runs = name, max(a.Runs-1, 0)
	return nil
}

// markAssertions removes assertions softly that no run states any more, and marks assertions as present that are stated
// again. An assertion that somebody else has removed stays removed.
func (w *work) markAssertions() error {
	for _, name := range w.asserted.touchedNames() {
		a := w.asserted.loaded[name].value
		if !a.Made {
			continue
		}
		urn, err := model.ParseURN(a.URN)
		if err != nil {
			return err
		}
		status, err := w.latest(urn, model.AspectStatus)
		if err != nil {
			return err
		}
		removed := status != nil && read[struct {
			Removed bool `json:"removed"`
		}](status.Value).Removed
		if removed == (a.Runs == 0) || status != nil && status.System.Properties["appSource"] != source {
			continue
		}
		if err := w.put(about{urn: urn}, model.AspectStatus, catalog.Tree{"removed": !removed}); err != nil {
			return err
		}
	}
	return nil
}
