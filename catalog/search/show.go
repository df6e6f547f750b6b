package search

import (
	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/indexer"
	"github.com/headwater-io/headwater/model"
)

// show tells which of the hidden entities a search finds.
type show struct {
	// removed shows soft-deleted entities.
	removed bool
	// stages shows entities in a life-cycle stage that hides them.
	stages bool
	// drafts shows documents that are not published.
	drafts bool
	// contexts shows documents that are only about other entities.
	contexts bool
}

// showAll shows all hidden entities.
var showAll = show{removed: true, stages: true, drafts: true, contexts: true}

// named is the show of a request that names an entity: the caller knows the entity, so only
// soft-deleted entities are hidden.
func named(removed bool) show {
	all := showAll
	all.removed = removed
	return all
}

// These are the fields that mark hidden entities.
const (
	stageField   = "lifecycleStage"
	stateField   = "state"
	globalField  = "showInGlobalContext"
	relatedField = "relatedAssets"
)

// name is called with each field on which a search has a condition. A search with a condition
// on a field that marks hidden entities decides itself whether to find hidden entities. A
// search with a condition on related assets also finds documents that are hidden because they
// are only about their related assets.
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

// and returns a show that includes every entity which one of the two shows includes.
func (h show) and(other show) show {
	return show{h.removed || other.removed, h.stages || other.stages, h.drafts || other.drafts, h.contexts || other.contexts}
}

// hide returns the conditions that exclude the entities which are not shown.
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
