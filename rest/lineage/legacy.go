package lineage

import (
	"github.com/headwater-io/headwater/catalog/lineage"
)

// lineageRelationship is an entity in the legacy form of lineage. The relationship is that
// of the last edge on the path to the entity.
type lineageRelationship struct {
	Type         string     `json:"type"`
	Entity       string     `json:"entity"`
	Degree       int        `json:"degree"`
	Paths        [][]string `json:"paths"`
	CreatedOn    int64      `json:"createdOn,omitempty"`
	CreatedActor string     `json:"createdActor,omitempty"`
	UpdatedOn    int64      `json:"updatedOn,omitempty"`
	UpdatedActor string     `json:"updatedActor,omitempty"`
	IsManual     bool       `json:"isManual"`
}

func relatedBy(e *lineage.Entity) lineageRelationship {
	r := lineageRelationship{Entity: e.URN, Degree: e.Degree, Paths: [][]string{}}
	for i, path := range e.Paths {
		urns := make([]string, len(path))
		for k, step := range path {
			urns[k] = step.URN
		}
		r.Paths = append(r.Paths, urns)
		last := path[len(path)-1].Edge
		if i > 0 || last == nil {
			continue
		}
		r.Type, r.IsManual = last.Type, last.Manual
		if last.Created != nil {
			r.CreatedOn, r.CreatedActor = last.Created.Time, last.Created.Actor
		}
		if last.Updated != nil {
			r.UpdatedOn, r.UpdatedActor = last.Updated.Time, last.Updated.Actor
		}
	}
	return r
}
