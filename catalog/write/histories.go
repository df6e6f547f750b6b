package write

import (
	"context"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/model"
)

// History is an entity with all its versions, as the catalog that exported it had them.
type History struct {
	URN     model.URN
	Dialect model.Dialect
	// Versions are numbered by Seq; the latest of each aspect has Version 0.
	Versions []graphstore.Aspect
	// Values are the values of the versions, in their order.
	Values []*model.Value
	// Edges are the beginnings of the current edges, and the edges that have ended.
	Edges []graphstore.EndedStatement
	// Replaces: the entity may be stored already. It is deleted first.
	Replaces bool

	entity *model.Entity
	// edges are the statements of the latest versions, and ended the statements that have ended.
	// computeEdges sets both.
	edges []edgeDiff
	ended edgeDiff
}

// ImportHistories writes entities with their histories in one transaction. It fails with
// [catalog.Conflict] if one of the entities is stored already and its history does not replace the
// stored one.
func (w *Writer) ImportHistories(ctx context.Context, histories []*History, o catalog.WriteOptions) error {
	if err := w.protectHistories(ctx, histories); err != nil {
		return err
	}
	urns := make([]string, len(histories))
	for i, h := range histories {
		urns[i] = h.URN.String()
		h.entity, _ = w.Registry().Entity(h.URN.EntityType())
		w.computeEdges(h)
	}
	err := w.commit(ctx, urns, func(tx graphstore.Tx) error {
		held, err := tx.Holdings(urns)
		if err != nil {
			return err
		}
		s := w.newSession(tx, newAttempt(o.ActorIn(histories[0].Dialect), urns))
		for i, h := range histories {
			if held[urns[i]].Versions > 0 && !h.Replaces {
				return catalog.Errorf(catalog.Conflict, "%s was written while it was imported; import again", h.URN)
			}
			if err := s.importHistory(h); err != nil {
				return err
			}
			s.noteWhole(h)
		}
		return s.flush()
	})
	if err != nil {
		return catalog.StoreFailure(err)
	}
	w.written.Signal()
	return nil
}

// computeEdges computes, before the transaction, the statements of the latest versions.
func (w *Writer) computeEdges(h *History) {
	known := map[graphstore.EdgeID]edgeStamp{}
	for _, statement := range h.Edges {
		if statement.Until != 0 {
			h.ended.past = append(h.ended.past, statement)
		} else {
			known[statement.EdgeID] = edgeStampOfStatement(&statement.EdgeStatement)
		}
	}
	h.edges = make([]edgeDiff, len(h.Versions))
	overruled := h.overruledIn()
	for i := range h.Versions {
		if v := &h.Versions[i]; v.Version == 0 {
			h.edges[i] = diffEdges(nil, w.statements(h.change(w.Registry(), v), h.Values[i]))
			if v.Name == model.LineageOf(h.URN.EntityType()) {
				h.edges[i] = withoutOverruled(&h.edges[i], overruled)
			}
			h.edges[i].known = known
		}
	}
}

func (h *History) change(r *model.Registry, v *graphstore.Aspect) *change {
	return &change{urn: h.URN, dialect: h.Dialect, entity: h.entity, aspect: r.AnyAspect(v.Name), system: v.System}
}

// importHistory writes one entity. The statements of its latest versions are its current edges; the
// history has their times.
func (s *session) importHistory(h *History) error {
	writeEdges(&s.pending, &h.ended, edgeStamp{})
	if h.Replaces {
		s.pending.DeleteEntities = append(s.pending.DeleteEntities, h.URN.String())
	}
	for i := range h.Versions {
		v := h.Versions[i]
		if v.Version != 0 {
			s.pending.PutArchived = append(s.pending.PutArchived, v)
			continue
		}
		s.pending.PutVersions = append(s.pending.PutVersions, v)
		ch := h.change(s.w.Registry(), &v)
		if err := s.updateNode(ch, nil, h.Values[i]); err != nil {
			return err
		}
		writeEdges(&s.pending, &h.edges[i], edgeStampOf(&v))
		record := s.record(ch, graphstore.ChangeUpsert)
		record.Becomes(&v)
		s.pending.Changes = append(s.pending.Changes, record)
	}
	return nil
}

// ImportValues writes values of time series with the stamps that the exporting catalog gave them.
// The entities, named by urns, must exist.
func (w *Writer) ImportValues(ctx context.Context, urns []string, values []graphstore.TimeSeriesValue) error {
	err := w.commit(ctx, urns, func(tx graphstore.Tx) error {
		changes := make([]graphstore.Change, len(values))
		for i := range values {
			v := &values[i]
			changes[i] = graphstore.Change{
				Time: tx.Now(), Actor: v.CreatedBy, Kind: graphstore.ChangeUpsert, URN: v.URN, EntityType: model.StoredURN(v.URN).EntityType(),
				Aspect: v.Aspect, TimeSeriesTime: v.Timestamp, TimeSeriesKey: v.Key,
			}
		}
		return tx.Write(graphstore.Batch{PutTimeSeries: values, Changes: changes})
	})
	if err != nil {
		return catalog.StoreFailure(err)
	}
	w.written.Signal()
	return nil
}
