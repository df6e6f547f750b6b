package ingestion

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

// Written is an entity that a source has written and that is not removed. Seen is when the source last stated anything of
// it, Created when it wrote the newest of these values, epoch milliseconds; Run is the run ID of that value.
type Written struct {
	URN, Run      string
	Created, Seen int64
}

// Unseen are the entities of a source that its last good run did not see.
type Unseen struct {
	// Good is the last good run.
	Good Ended
	// Entities is a page of the unseen entities; the entities that were seen last come last.
	Entities []Written
	// Total counts all unseen entities.
	Total int
	// Partial tells that the source has written more than was looked at.
	Partial bool
}

// Unseen returns the entities that a source has written before, that its last good run did not see, and that are not
// removed, a page of them. It returns nil without a good run.
func (s *Service) Unseen(ctx context.Context, source model.URN, start, count int) (*Unseen, error) {
	if start < 0 || count < 0 || count > limits.MaxPageCount {
		return nil, catalog.Errorf(catalog.Invalid, "start must not be negative, and count must be from 0 to %d", limits.MaxPageCount)
	}
	of, err := infoOf(ctx, seen{s}, source.String())
	if err != nil || of == nil {
		return nil, err
	}
	histories, err := s.Histories(ctx, []string{source.String()})
	if err != nil {
		return nil, err
	}
	h := histories[source.String()]
	if len(h.Good) == 0 || s.WrittenBy == nil {
		return nil, nil
	}
	written, partial, err := s.WrittenBy(ctx, pipelineOf(of.Config.Recipe, source.String()))
	if err != nil {
		return nil, err
	}
	found := &Unseen{Good: h.Good[0], Partial: partial, Entities: []Written{}}
	written = slices.DeleteFunc(written, func(w Written) bool { return w.Seen >= found.Good.Started-catalog.ClockSkew.Milliseconds() })
	slices.SortFunc(written, func(a, b Written) int { return cmp.Or(cmp.Compare(a.Seen, b.Seen), cmp.Compare(a.URN, b.URN)) })
	found.Total = len(written)
	page := written[min(start, len(written)):]
	for _, w := range page[:min(count, len(page))] {
		if run := h.runAt(w.Seen); run != "" {
			w.Run = run
		} else if w.Seen-w.Created > catalog.ClockSkew.Milliseconds() {
			w.Run = "" // a later run, which is not known any more, has stated the same again
		}
		found.Entities = append(found.Entities, w)
	}
	return found, nil
}

// runAt returns the good run that went on at a moment, "" if none is known.
func (h *History) runAt(moment int64) string {
	for _, good := range h.Good {
		if good.Started-catalog.ClockSkew.Milliseconds() <= moment && moment <= good.At+catalog.ClockSkew.Milliseconds() {
			return good.Run
		}
	}
	return ""
}

// pipelineOf returns the name of the pipeline of a source: that of its recipe, else the URN of the source.
func pipelineOf(recipe, source string) string {
	var stated struct {
		Pipeline string `json:"pipeline_name"`
	}
	if json.Unmarshal([]byte(recipe), &stated) == nil && strings.TrimSpace(stated.Pipeline) != "" {
		return stated.Pipeline
	}
	return source
}
