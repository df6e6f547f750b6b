package edits

import (
	"context"
	"slices"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/statements"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/internal/jsontree"
	"github.com/headwater-io/headwater/model"
)

// LineageEdge is an edge of lineage that a user adds or removes.
type LineageEdge struct{ Upstream, Downstream model.URN }

// EditLineage adds and removes edges of lineage, all or none. Both ends of each edge must
// exist.
func (s *Service) EditLineage(ctx context.Context, add, remove []LineageEdge, o catalog.WriteOptions) error {
	if n := len(add) + len(remove); n > write.MaxEdits {
		return catalog.Errorf(catalog.Invalid, "%d changes in one request, at most %d are allowed", n, write.MaxEdits)
	}
	ends := make([]lineageEnds, 0, len(add)+len(remove))
	var urns []model.URN
	for _, e := range slices.Concat(add, remove) {
		stated, err := lineageEndsOf(e)
		if err != nil {
			return err
		}
		ends, urns = append(ends, stated), append(urns, e.Upstream, e.Downstream)
	}
	urns = catalog.Distinct(urns)
	ctx, err := judged(ctx, "change the lineage", urns, editLineage, editEntity)
	if err != nil {
		return err
	}
	existing, err := s.writer.Existing(ctx, urns)
	if err != nil {
		return err
	}
	edits := make([]write.Edit, len(ends))
	for i := range ends {
		if err := ends[i].check(existing); err != nil {
			return err
		}
		edits[i] = ends[i].edit(s.names.Names, i < len(add))
	}
	return s.writer.Edit(ctx, edits, o)
}

// lineageEnds has the two ends of an edge, and the place of the aspect that states the edge.
type lineageEnds struct {
	LineageEdge
	by model.LineageList
}

func lineageEndsOf(e LineageEdge) (lineageEnds, error) {
	by, ok := model.LineageListOf(e.Downstream.EntityType(), e.Upstream.EntityType())
	if !ok {
		return lineageEnds{}, catalog.Errorf(catalog.Invalid, "a %s cannot be upstream of a %s", e.Upstream.EntityType(), e.Downstream.EntityType())
	}
	return lineageEnds{e, by}, nil
}

func (e *lineageEnds) check(existing map[model.URN]bool) error {
	for _, end := range []struct {
		side string
		urn  model.URN
	}{{"downstream", e.Downstream}, {"upstream", e.Upstream}} {
		if !existing[end.urn] {
			return catalog.Errorf(catalog.Invalid, "Cannot upsert lineage as %s urn %s doesn't exist", end.side, end.urn)
		}
	}
	return nil
}

// edit returns the edit that adds or removes the edge. naming returns the function that reports
// whether an entry names an entity.
func (e *lineageEnds) edit(naming func(model.URN) func(any) bool, add bool) write.Edit {
	by, owner, other := e.by, e.Downstream, e.Upstream
	if by.ByUpstream {
		owner, other = other, owner
	}
	return write.Edit{URN: owner, Aspect: by.Aspect, Change: func(value catalog.Tree, stamp catalog.AuditStamp) error {
		if by.Required && len(value) == 0 {
			return catalog.Errorf(catalog.Invalid, "Failed to update %s. It has no %s.", owner, by.Aspect)
		}
		if add {
			addToLineage(&by, value, naming(other), other, stamp)
		} else {
			removeFromLineage(&by, value, naming(other))
		}
		return nil
	}}
}

// addToLineage adds an entry to a list, unless the list already has the entry.
func addToLineage(at *model.LineageList, value catalog.Tree, is func(any) bool, other model.URN, by catalog.AuditStamp) {
	for _, name := range at.Needed {
		if value[name] == nil {
			value[name] = []any{}
		}
	}
	entries := jsontree.Items(value, at.List)
	if slices.ContainsFunc(entries, func(e catalog.Tree) bool { return is(jsontree.Text(e, at.End)) }) {
		return
	}
	entry := catalog.Tree{at.End: other.String(), "created": by.Tree(), "properties": catalog.Tree{"source": statements.ManualSource, "actor": by.Actor}}
	if at.Dated {
		entry["lastModified"] = by.Tree()
	} else {
		entry["type"], entry["auditStamp"] = "TRANSFORMED", by.Tree()
	}
	jsontree.SetItems(value, at.List, append(entries, entry))
}

// removeFromLineage removes the entries of an entity from a list, and from the older list that
// some writers use.
func removeFromLineage(at *model.LineageList, value catalog.Tree, is func(any) bool) {
	before := jsontree.Items(value, at.List)
	after := slices.DeleteFunc(slices.Clone(before), func(e catalog.Tree) bool { return is(jsontree.Text(e, at.End)) })
	if len(after) < len(before) {
		jsontree.SetItems(value, at.List, after)
	}
	if plain := jsontree.Array(value, at.Plain); plain != nil {
		value[at.Plain] = slices.DeleteFunc(slices.Clone(plain), func(item any) bool {
			if union, ok := item.(catalog.Tree); ok { // entries have this form in chartInfo
				return is(jsontree.Text(union, "string"))
			}
			return is(item)
		})
	}
}
