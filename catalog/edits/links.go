package edits

import (
	"context"
	"slices"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/internal/jsontree"
	"github.com/headwater-io/headwater/model"
)

// LinkText is a link to documentation elsewhere, in the form that people edit.
type LinkText struct {
	URL, Label string
	// InPreview says whether cards of the entity show the link. If InPreview is nil, an edit
	// does not change whether they show it.
	InPreview *bool
}

// is reports whether a stored link has the address and the label of l.
func (l LinkText) is(stored catalog.Tree) bool {
	return jsontree.Text(stored, "url") == l.URL && jsontree.Text(stored, "description") == l.Label
}

// write writes l into a stored link.
func (l LinkText) write(stored catalog.Tree) catalog.Tree {
	stored["url"], stored["description"] = l.URL, l.Label
	if l.InPreview != nil {
		stored["settings"] = catalog.Tree{"showInAssetPreview": *l.InPreview}
	}
	return stored
}

// editLinks edits the links of an entity. If change returns nil, nothing is written.
func (s *Service) editLinks(ctx context.Context, urn model.URN, o catalog.WriteOptions, change func(links []catalog.Tree, by catalog.AuditStamp) ([]catalog.Tree, error)) error {
	return s.writer.Edit(ctx, []write.Edit{{URN: urn, Aspect: model.AspectInstitutionalMemory, Change: func(value catalog.Tree, by catalog.AuditStamp) error {
		links, err := change(jsontree.Items(value, "elements"), by)
		if err == nil && links != nil {
			jsontree.SetItems(value, "elements", links)
		}
		return err
	}}}, o)
}

// AddLink adds a link to an entity. If the entity has a link with the same address, nothing is
// added.
func (s *Service) AddLink(ctx context.Context, urn model.URN, link LinkText, o catalog.WriteOptions) error {
	return s.editLinks(ctx, urn, o, func(links []catalog.Tree, by catalog.AuditStamp) ([]catalog.Tree, error) {
		if slices.ContainsFunc(links, func(l catalog.Tree) bool { return jsontree.Text(l, "url") == link.URL }) {
			return nil, nil
		}
		return append(links, link.write(catalog.Tree{"createStamp": by.Tree()})), nil
	})
}

// UpsertLink adds a link to an entity, or updates the link with the same address and label.
func (s *Service) UpsertLink(ctx context.Context, urn model.URN, link LinkText, o catalog.WriteOptions) error {
	return s.editLinks(ctx, urn, o, func(links []catalog.Tree, by catalog.AuditStamp) ([]catalog.Tree, error) {
		if at := slices.IndexFunc(links, link.is); at >= 0 {
			link.write(links[at])["updateStamp"] = by.Tree()
			return links, nil
		}
		return append(links, link.write(catalog.Tree{"createStamp": by.Tree()})), nil
	})
}

// UpdateLink changes the link of an entity with an address and a label. No other link of the
// entity may have the new address and label.
func (s *Service) UpdateLink(ctx context.Context, urn model.URN, from, to LinkText, o catalog.WriteOptions) error {
	return s.editLinks(ctx, urn, o, func(links []catalog.Tree, by catalog.AuditStamp) ([]catalog.Tree, error) {
		at := slices.IndexFunc(links, from.is)
		if at < 0 {
			return nil, catalog.Errorf(catalog.NotFound, "%s has no link to %s with the label %q", urn, from.URL, from.Label)
		}
		if other := slices.IndexFunc(links, to.is); other >= 0 && other != at {
			return nil, catalog.Errorf(catalog.Invalid, "%s has a link to %s with the label %q already", urn, to.URL, to.Label)
		}
		to.write(links[at])["updateStamp"] = by.Tree()
		return links, nil
	})
}

// RemoveLink removes the links of an entity with an address and, if a label is given, with this
// label.
func (s *Service) RemoveLink(ctx context.Context, urn model.URN, url string, label *string, o catalog.WriteOptions) error {
	return s.editLinks(ctx, urn, o, func(before []catalog.Tree, _ catalog.AuditStamp) ([]catalog.Tree, error) {
		after := slices.DeleteFunc(slices.Clone(before), func(l catalog.Tree) bool {
			return jsontree.Text(l, "url") == url && (label == nil || jsontree.Text(l, "description") == *label)
		})
		if len(after) == len(before) {
			return nil, nil
		}
		return after, nil
	})
}
