package object

import (
	"context"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/edits"
)

// ChangeMany changes many entities alike, or lists the changes that it would make.
func (s *Session) ChangeMany(ctx context.Context, b *edits.Bulk, o catalog.WriteOptions) ([]*ManyChanged, error) {
	done, err := s.Catalog.Edits.ChangeMany(ctx, b, o)
	if err != nil {
		return nil, s.withNearest(ctx, err)
	}
	refs, answer := s.NewRefs(), make([]*ManyChanged, len(done))
	for i := range done {
		one := &done[i]
		answer[i] = &ManyChanged{Entity: refs.Of(one.URN.String()), Changed: one.Changed, Made: []*MadeVersion{}}
		if one.Refused != nil {
			answer[i].Refused = given(one.Refused.Error())
		}
		for _, made := range one.Made {
			answer[i].Made = append(answer[i].Made, &MadeVersion{Aspect: made.Aspect, Number: made.Number})
		}
		if answer[i].Before, err = refs.stated(&one.Before); err != nil {
			return nil, err
		}
		if answer[i].After, err = refs.stated(&one.After); err != nil {
			return nil, err
		}
	}
	return answer, refs.Read(ctx)
}

// stated adds the statements of people about an entity.
func (r *Refs) stated(stated *edits.Stated) (_ *ManyStated, err error) {
	owners := make([]string, len(stated.Owners))
	for i := range stated.Owners {
		owners[i] = stated.Owners[i].Owner
	}
	parts := &ManyStated{Description: stated.Description}
	for list, urns := range map[*[]*EntityRef][]string{&parts.Tags: stated.Tags, &parts.Terms: stated.Terms, &parts.Owners: owners, &parts.Domains: stated.Domains} {
		if *list, err = r.Many(urns); err != nil {
			return nil, err
		}
	}
	return parts, nil
}
