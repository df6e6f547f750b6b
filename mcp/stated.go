package mcp

import (
	"context"
	"slices"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

// Stated says who or what stated something. What nobody stated is left out.
type Stated struct {
	Actor      string   `json:"actor,omitempty"`
	Run        string   `json:"run,omitempty" jsonschema:"the run that wrote it"`
	Source     string   `json:"source,omitempty" jsonschema:"what it was concluded from; UI: entered by hand"`
	Since      string   `json:"since,omitempty"`
	Confidence *float64 `json:"confidence,omitempty" jsonschema:"0 to 1"`
	Query      string   `json:"query,omitempty" jsonschema:"the query that it follows from"`
}

// statedOf is a provenance as agents read it, nil if nothing is known.
func statedOf(p *catalog.Provenance) *Stated {
	if p == nil {
		return nil
	}
	s := Stated{
		Actor: p.Actor, Run: p.Run, Source: clip(p.Source, limits.MaxAgentText), Since: shown(p.StatedAt),
		Confidence: p.Confidence, Query: p.Query,
	}
	if s == (Stated{}) {
		return nil
	}
	return &s
}

// Label is a tag or a term with who stated it.
type Label struct {
	Kind   string  `json:"kind" jsonschema:"tag or term"`
	Name   string  `json:"name"`
	Stated *Stated `json:"stated,omitempty"`
}

func labelOf(l *catalog.StatedLabel) Label {
	return Label{Kind: l.Kind, Name: leaf(l.URN), Stated: statedOf(&l.Provenance)}
}

// stateLabels adds who stated the tags, terms and owners of entities, read for all of
// them at once. It reports whether that is missing for some, because an entity has too
// many to fit into an answer.
func (h *Handler) stateLabels(ctx context.Context, urns []model.URN, details []Detail) (cut bool, err error) {
	found, err := h.catalog.LabelsOf(ctx, urns)
	if err != nil {
		return false, err
	}
	for i, u := range urns {
		labels := fitting(found[u], limits.MaxAgentAnswer/2)
		cut = cut || len(labels) < len(found[u])
		for k := range labels {
			details[i].state(&labels[k])
		}
	}
	return cut, nil
}

// state adds who stated a label.
func (d *Detail) state(l *catalog.StatedLabel) {
	if l.Kind != catalog.LabelOwner {
		d.Labels = append(d.Labels, labelOf(l))
		return
	}
	// An owner of several kinds is there several times, in the same order.
	at := slices.IndexFunc(d.OwnedBy, func(o Owner) bool { return o.URN == l.URN && o.Stated == nil })
	if at >= 0 {
		d.OwnedBy[at].Stated = statedOf(&l.Provenance)
	}
}
