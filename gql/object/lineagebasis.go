package object

import (
	"context"

	"github.com/headwater-io/headwater/catalog/lineage"
)

// basis converts the basis of an answer to the form of the schema, nil if the query did not ask
// for the basis.
func (s *Session) basis(refs *Refs, b *lineage.Basis) (*LineageBasis, error) {
	if b == nil {
		return nil, nil
	}
	if err := s.take(len(b.Sources)); err != nil {
		return nil, err
	}
	basis := &LineageBasis{
		At: b.At, Entities: b.Entities, Walked: b.Walked, WithoutColumnLineage: b.WithoutColumnLineage,
		Sources: make([]*LineageBasisSource, len(b.Sources)), MoreSources: b.MoreSources, Summary: b.Summary,
	}
	for i := range b.Sources {
		from := &b.Sources[i]
		source := &LineageBasisSource{
			Name: from.Name, Source: given(from.Source), Pipeline: given(from.Pipeline), Run: given(from.Run), Actor: refs.Of(from.Actor), Entities: from.Entities,
		}
		if from.LastSeen != 0 {
			source.LastSeen = &from.LastSeen
		}
		if from.NextRun != 0 {
			source.NextRun = &from.NextRun
		}
		if f := from.FailedSince; f != nil {
			source.FailedSince = failedRun(f)
		}
		basis.Sources[i] = source
	}
	return basis, nil
}

func failedRun(f *lineage.FailedRun) *FailedRun {
	return &FailedRun{Run: f.Run, Status: f.Status, At: f.At, Runs: f.Runs, LastAt: f.LastAt}
}

// basisRead converts the basis of an answer that names no other entities, and reads the
// entities of the basis.
func (s *Session) basisRead(ctx context.Context, b *lineage.Basis) (*LineageBasis, error) {
	refs := s.NewRefs()
	basis, err := s.basis(refs, b)
	if err != nil {
		return nil, err
	}
	return basis, refs.Read(ctx)
}
