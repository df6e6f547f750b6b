package object

import (
	"context"
	"slices"

	"github.com/headwater-io/headwater/catalog/statements"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

// provenanceOf converts a provenance to the form of the schema.
func provenanceOf(p *statements.Provenance, below *Batch) *Provenance {
	stated := &Provenance{Confidence: p.Confidence, Derived: p.Derived, Actor: below.Entity(p.Actor), Query: below.Entity(p.Query), Run: runOf(p.Run), Detail: Pairs(p.Detail)}
	if p.Source != "" {
		stated.Source = &p.Source
	}
	if r := p.Readings; r != nil {
		stated.Readings = &LineageReadings{Downstream: below.Entity(r.Downstream), Client: readingOf(&r.Client, below), Own: readingOf(&r.Own, below), Preferred: ReadingPreferenceClient}
		if r.Preferred == statements.PreferOwn {
			stated.Readings.Preferred = ReadingPreferenceOwn
		}
	}
	if p.StatedAt != 0 {
		stated.StatedAt = &p.StatedAt
	}
	return stated
}

// readingOf converts one reading of SQL.
func readingOf(r *statements.Reading, below *Batch) *LineageReading {
	reading := &LineageReading{Upstreams: make([]Entity, len(r.Upstreams)), Operation: given(r.Operation), Confidence: r.Confidence}
	for i, urn := range r.Upstreams {
		reading.Upstreams[i] = below.Entity(urn)
	}
	return reading
}

// statedLabel identifies a label among the labels of its entity. A statedLabel of a column is
// empty.
type statedLabel struct {
	of        *Node
	kind, urn string
	// nth is the number of labels with the same kind and URN before the label.
	nth int
}

// labelPlaces counts labels by their URNs.
type labelPlaces map[string]int

func (l labelPlaces) next(n *Node, kind, urn string) statedLabel {
	urn = n.batch.session.Catalog.Spelled(urn)
	l[urn]++
	return statedLabel{n, kind, urn, l[urn] - 1}
}

// labelsKey distinguishes the read of labels in a batch from other reads.
type labelsKey struct{}

// provenanceOfLabel is a label of an entity, with its provenance.
type provenanceOfLabel struct {
	kind, urn  string
	provenance *Provenance
}

// Provenance says who or what stated the label, nil for a label of a column.
func (s *statedLabel) Provenance(ctx context.Context) (*Provenance, error) {
	if s.of == nil {
		return nil, nil
	}
	stated, err := batched(s.of, labelsKey{}, func(nodes []*Node) (map[*Node][]provenanceOfLabel, error) {
		below, found := s.of.batch.session.NewBatch(), make(map[*Node][]provenanceOfLabel, len(nodes))
		for some := range slices.Chunk(nodes, limits.MaxIDs) {
			urns := make([]model.URN, len(some))
			for i, node := range some {
				urns[i] = node.key
			}
			labels, err := s.of.batch.session.Catalog.LabelsOf(ctx, urns)
			if err != nil {
				return nil, err
			}
			for _, node := range some {
				for i := range labels[node.key] {
					label := &labels[node.key][i]
					found[node] = append(found[node], provenanceOfLabel{label.Kind, label.URN, provenanceOf(&label.Provenance, below)})
				}
			}
		}
		return found, nil
	})
	if err != nil {
		return nil, err
	}
	nth := 0
	for _, label := range stated {
		if label.kind == s.kind && label.urn == s.urn {
			if nth == s.nth {
				return label.provenance, nil
			}
			nth++
		}
	}
	return nil, nil
}
