package object

import (
	"context"
	"slices"

	"github.com/headwater-io/headwater/catalog/moments"
	"github.com/headwater-io/headwater/catalog/suggest"
	"github.com/headwater-io/headwater/model"
)

// SuggestedTags are the tags that the names of columns suggest: of those that exist, the best one
// for each column that does not have it.
func (d *EntityDetails) SuggestedTags(ctx context.Context) ([]*TagSuggestion, error) {
	columns, err := moments.ColumnsIn(d.aspects)
	if err != nil {
		return nil, err
	}
	s := d.node.batch.session
	if err := s.take(len(columns)); err != nil {
		return nil, err
	}
	namespace, candidates := d.node.key.Namespace(), map[suggest.Kind][]model.URN{}
	var all []model.URN
	for i := range columns {
		kind := suggest.KindOf(columns[i].Path)
		if kind == "" || candidates[kind] != nil {
			continue
		}
		for _, id := range suggest.TagsFor(kind) {
			if u, err := model.BuildURN(namespace, model.EntityTag, id); err == nil {
				candidates[kind], all = append(candidates[kind], u), append(all, u)
			}
		}
	}
	suggestions := []*TagSuggestion{}
	if len(all) == 0 {
		return suggestions, nil
	}
	existing, err := s.Catalog.Existing(ctx, all)
	if err != nil {
		return nil, err
	}
	refs := s.NewRefs()
	for i := range columns {
		c, kind := &columns[i], suggest.KindOf(columns[i].Path)
		at := slices.IndexFunc(candidates[kind], func(u model.URN) bool { return existing[u] })
		// A column with one of the tags needs no other.
		if at < 0 || slices.ContainsFunc(candidates[kind], func(u model.URN) bool { return slices.Contains(c.Tags, u.String()) }) {
			continue
		}
		suggestions = append(suggestions, &TagSuggestion{FieldPath: c.Path, Tag: refs.Of(candidates[kind][at].String()), Kind: TagSuggestionKind(kind)})
	}
	return suggestions, refs.Read(ctx)
}
