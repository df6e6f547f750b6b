package model

import "github.com/headwater-io/headwater/internal/jsontree"

// LineageOf returns the aspect of an entity type that states the lineage of columns, beside which derivedLineage is read
// from SQL; "" if there is none.
func LineageOf(entityType string) string {
	switch entityType {
	case EntityDataset:
		return AspectUpstreamLineage
	case EntityDataJob:
		return AspectDataJobInputOutput
	}
	return ""
}

// EdgeEnds are the source and the destination of an edge.
type EdgeEnds struct{ Source, Destination string }

// Overruled returns the edges of lineage that a derivedLineage of an owner overrules: the statements of clients' SQL parsers
// which the reading of the same SQL contradicts, if that reading is preferred. Overruled returns nil if there are none.
func Overruled(owner string, derived map[string]any) map[EdgeEnds]bool {
	if derived["preferred"] != true {
		return nil
	}
	var overruled map[EdgeEnds]bool
	add := func(source string, destinations []string) {
		for _, destination := range destinations {
			if overruled == nil {
				overruled = map[EdgeEnds]bool{}
			}
			overruled[EdgeEnds{source, destination}] = true
		}
	}
	for _, difference := range jsontree.Items(derived, "differences") {
		add(jsontree.Text(difference, "downstream"), jsontree.Texts(difference, "disputed"))
	}
	add(owner, jsontree.Texts(derived, "unread"))
	return overruled
}
