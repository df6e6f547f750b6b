package object

import (
	"context"
	"encoding/json"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/moments"
	"github.com/headwater-io/headwater/internal/jsontree"
	"github.com/headwater-io/headwater/model"
)

// SuggestedTags are the tags that the names of columns suggest, for the dataset and its columns.
func (d *EntityDetails) SuggestedTags(ctx context.Context) ([]*TagSuggestion, error) {
	suggestions := []*TagSuggestion{}
	if d.AsOf != nil || d.node.key.EntityType() != model.EntityDataset {
		return suggestions, nil
	}
	columns, err := moments.ColumnsIn(d.aspects)
	if err != nil {
		return nil, err
	}
	s := d.node.batch.session
	if err := s.take(len(columns)); err != nil {
		return nil, err
	}
	found, err := s.Catalog.Suggest.Tags(ctx, d.node.key, d.ownTags(), columns)
	if err != nil {
		return nil, err
	}
	refs := s.NewRefs()
	for i := range found {
		one := &found[i]
		suggestions = append(suggestions, &TagSuggestion{FieldPath: given(one.Column), Tag: refs.Of(one.Tag.String()), Kind: TagSuggestionKind(one.Kind), Reason: one.Reason})
	}
	return suggestions, refs.Read(ctx)
}

// ownTags are the tags of the entity itself.
func (d *EntityDetails) ownTags() []string {
	var tags []string
	for i := range d.aspects {
		var value catalog.Tree
		if d.aspects[i].Name != model.AspectGlobalTags || json.Unmarshal(d.aspects[i].Value, &value) != nil {
			continue
		}
		for _, entry := range jsontree.Items(value, "tags") {
			tags = append(tags, jsontree.Text(entry, "tag"))
		}
	}
	return tags
}

// RefusedTags are the suggested tags that people have refused.
func (d *EntityDetails) RefusedTags(ctx context.Context) ([]*RefusedTagSuggestion, error) {
	refusals := []*RefusedTagSuggestion{}
	if d.AsOf != nil || d.node.key.EntityType() != model.EntityDataset {
		return refusals, nil
	}
	s := d.node.batch.session
	found, err := s.Catalog.Suggest.Refused(ctx, d.node.key)
	if err != nil {
		return nil, err
	}
	if err := s.take(len(found)); err != nil {
		return nil, err
	}
	refs := s.NewRefs()
	for i := range found {
		one := &found[i]
		refusals = append(refusals, &RefusedTagSuggestion{FieldPath: given(one.Column), Tag: refs.Of(one.Tag), By: refs.Of(one.By), Time: one.Time})
	}
	return refusals, refs.Read(ctx)
}
