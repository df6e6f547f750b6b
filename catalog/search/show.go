package search

import (
	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/indexer"
	"github.com/headwater-io/headwater/model"
)

// show is what a search finds although searches hide it unless they ask for it.
type show struct {
	// removed are soft-deleted entities.
	removed bool
	// stages are entities in a life-cycle stage that is hidden.
	stages bool
	// drafts are documents that are not published.
	drafts bool
	// contexts are documents that are only about other entities.
	contexts bool
}

// showAll hides nothing.
var showAll = show{removed: true, stages: true, drafts: true, contexts: true}

// named is what a name stands for, whose owner knows what it is: only soft-deleted entities are
// hidden from those who name them.
func named(removed bool) show {
	all := showAll
	all.removed = removed
	return all
}

// These are the fields that tell what is hidden.
const (
	stageField   = "lifecycleStage"
	stateField   = "state"
	globalField  = "showInGlobalContext"
	relatedField = "relatedAssets"
)

// name is called with each field that a search has a condition on: who asks by a field
// that tells what is hidden decides what is found. Documents that are only about other entities
// are found by the names of those entities too.
func (h *show) name(field string) {
	switch field {
	case indexer.FieldRemoved:
		h.removed = true
	case stageField:
		h.stages = true
	case stateField:
		h.drafts = true
	case globalField, relatedField:
		h.contexts = true
	}
}

// and returns what either of two finds.
func (h show) and(other show) show {
	return show{h.removed || other.removed, h.stages || other.stages, h.drafts || other.drafts, h.contexts || other.contexts}
}

// hide returns the conditions for what is not shown.
func (s *searchScope) hide(shown show) (indexer.And, error) {
	var conditions indexer.And
	if !shown.removed {
		conditions = append(conditions, indexer.In{Field: indexer.FieldRemoved, Values: []string{"false"}})
	}
	var hidden []catalog.Criterion
	if !shown.stages && len(s.hidden) > 0 {
		hidden = append(hidden, catalog.Criterion{Field: stageField, Values: s.hidden})
	}
	if _, ok := s.schema.Field(model.EntityDocument, globalField); ok && s.searches(model.EntityDocument) {
		if !shown.drafts {
			hidden = append(hidden, catalog.Criterion{Field: stateField, Values: []string{unpublished}})
		}
		if !shown.contexts {
			hidden = append(hidden, catalog.Criterion{Field: globalField, Values: []string{"false"}})
		}
	}
	for i := range hidden {
		condition, err := s.criterion(&hidden[i])
		if err != nil {
			return nil, err
		}
		conditions = append(conditions, indexer.Not{Expr: condition})
	}
	return conditions, nil
}
