package edits

import (
	"context"
	"maps"
	"slices"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/permission"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/jsontree"
	"github.com/headwater-io/headwater/model"
)

// The list of a data product's assets, and the member of an item that names the asset.
const (
	productAssets = "assets"
	assetMember   = "destinationUrn"
)

// CreateDataProduct creates a data product in a domain and returns its URN. The actor becomes
// the owner of the data product.
func (s *Service) CreateDataProduct(ctx context.Context, name, description string, domain model.URN, o catalog.WriteOptions) (model.URN, error) {
	if err := requireName(&name); err != nil {
		return model.URN{}, err
	}
	if err := s.requireExisting(ctx, domain, model.EntityDomain); err != nil {
		return model.URN{}, err
	}
	u, by, err := s.newURN(model.EntityDataProduct, "", o)
	if err != nil {
		return model.URN{}, err
	}
	properties := catalog.Tree{"name": name}
	if description != "" {
		properties["description"] = description
	}
	return u, s.writer.Create(ctx, u, map[string]catalog.Tree{
		model.AspectDataProductProperties: properties, model.AspectDomains: {"domains": []any{domain.String()}}, model.AspectOwnership: ownedBy(u, by),
	}, o)
}

// UpdateDataProduct sets the given parts of a data product.
func (s *Service) UpdateDataProduct(ctx context.Context, urn model.URN, name, description *string, o catalog.WriteOptions) error {
	if err := requireName(name); err != nil {
		return err
	}
	return s.editKnown(ctx, urn, model.EntityDataProduct, []write.Edit{{URN: urn, Aspect: model.AspectDataProductProperties, Change: func(value catalog.Tree, _ catalog.AuditStamp) error {
		setTexts(value, map[string]*string{"name": name, "description": description})
		return nil
	}}}, o)
}

// SetDataProduct moves assets into a data product, all of them or none. The zero URN removes the assets from
// their data products.
//
// Moving assets into a data product needs the right to change the data product: rights on the assets do not
// suffice. Rights on the assets suffice to remove them from a data product.
func (s *Service) SetDataProduct(ctx context.Context, product model.URN, assets []model.URN, o catalog.WriteOptions) error {
	named, err := assetsOf(1, assets)
	if err != nil {
		return err
	}
	refusal := permission.RequireFor(ctx, "change the data product", assetSide(named)...)
	if refusal != nil && catalog.CodeOf(refusal) != catalog.Forbidden {
		return refusal
	}
	var edits []write.Edit
	if product.IsZero() {
		if refusal != nil {
			return refusal
		}
	} else {
		edits = append(edits, s.join(product, named))
	}
	if err := s.requireMembers(ctx, edits, named); err != nil {
		return err
	}
	eyes := ctx // a caller who may move the assets may also remove them from hidden data products
	if refusal == nil {
		eyes = write.OwnWork(ctx)
	}
	leaving, err := s.leaveProducts(eyes, product, named)
	if err != nil {
		return err
	}
	return s.writer.Edit(ctx, append(leaving, edits...), o)
}

// AddToDataProducts adds assets to data products, all of them or none. The assets stay in the data
// products that have them. Rights on the assets suffice.
func (s *Service) AddToDataProducts(ctx context.Context, products, assets []model.URN, o catalog.WriteOptions) error {
	return s.editMembers(ctx, products, assets, s.join, o)
}

// RemoveFromDataProducts removes assets from data products, all of them or none. Rights on the assets
// suffice.
func (s *Service) RemoveFromDataProducts(ctx context.Context, products, assets []model.URN, o catalog.WriteOptions) error {
	return s.editMembers(ctx, products, assets, s.leave, o)
}

// editMembers edits the assets of data products.
func (s *Service) editMembers(ctx context.Context, products, assets []model.URN, edit func(product model.URN, assets []model.URN) write.Edit, o catalog.WriteOptions) error {
	products = catalog.Distinct(products)
	named, err := assetsOf(len(products), assets)
	if err != nil {
		return err
	}
	edits := make([]write.Edit, len(products))
	for i, product := range products {
		edits[i] = edit(product, named)
		edits[i].Instead = assetSide(named)
	}
	if err := s.requireMembers(ctx, edits, named); err != nil {
		return err
	}
	return s.writer.Edit(ctx, edits, o)
}

// requireMembers fails unless the caller may make edits of data products, and the data products and the
// assets exist. A caller who may make the edits need not see the entities that they name, so rights are
// checked first.
func (s *Service) requireMembers(ctx context.Context, edits []write.Edit, assets []model.URN) error {
	named := assets
	for _, e := range edits {
		if err := catalog.RequireType(e.URN, model.EntityDataProduct); err != nil {
			return err
		}
		named = append(named[:len(named):len(named)], e.URN)
	}
	if err := s.writer.RequirePermitted(ctx, edits); err != nil {
		return err
	}
	return s.writer.RequireExisting(write.OwnWork(ctx), named...)
}

// assetsOf returns assets, each once. It fails if there are too many for a number of data products.
func assetsOf(products int, assets []model.URN) ([]model.URN, error) {
	return catalog.Distinct(assets), catalog.TooMany("assets of data products", products*len(assets), write.MaxEdits)
}

// assetSide returns, for each asset, the question whether the caller may change the data products that have the asset.
func assetSide(assets []model.URN) []permission.Question {
	return questionsAbout(assets, editProducts, editEntity)
}

// leaveProducts returns the edits that remove assets from all their data products but one.
func (s *Service) leaveProducts(ctx context.Context, except model.URN, assets []model.URN) ([]write.Edit, error) {
	held, err := s.store.Edges(ctx, graphstore.EdgeQuery{
		URNs: catalog.Texts(assets), Direction: graphstore.Incoming, Types: []string{model.RelationshipDataProductContains}, Page: graphstore.Page{Count: write.MaxEdits},
	})
	if err != nil {
		return nil, catalog.StoreFailure(err)
	}
	leaving := map[string][]model.URN{} // assets by their data product
	for _, asset := range assets {
		for _, e := range held[asset.String()].Edges {
			if e.Source != except.String() {
				leaving[e.Source] = append(leaving[e.Source], asset)
			}
		}
	}
	edits := make([]write.Edit, 0, len(leaving))
	for _, product := range slices.Sorted(maps.Keys(leaving)) {
		edit := s.leave(model.StoredURN(product), leaving[product])
		edit.Instead = assetSide(leaving[product])
		edits = append(edits, edit)
	}
	return edits, nil
}

// join is the edit that adds assets to a data product.
func (s *Service) join(product model.URN, assets []model.URN) write.Edit {
	return editAssets(product, func(before []catalog.Tree) []catalog.Tree {
		for _, asset := range assets {
			if !slices.ContainsFunc(before, func(a catalog.Tree) bool { return s.names.SameURN(jsontree.Text(a, assetMember), asset) }) {
				before = append(before, catalog.Tree{assetMember: asset.String()})
			}
		}
		return before
	})
}

// leave is the edit that removes assets from a data product.
func (s *Service) leave(product model.URN, assets []model.URN) write.Edit {
	return editAssets(product, func(before []catalog.Tree) []catalog.Tree {
		return slices.DeleteFunc(before, func(a catalog.Tree) bool { return s.names.SameURNAny(jsontree.Text(a, assetMember), assets) })
	})
}

// editAssets edits the assets of a data product.
func editAssets(product model.URN, change func(before []catalog.Tree) []catalog.Tree) write.Edit {
	return write.Edit{URN: product, Aspect: model.AspectDataProductProperties, Change: func(value catalog.Tree, _ catalog.AuditStamp) error {
		jsontree.SetItems(value, productAssets, change(jsontree.Items(value, productAssets)))
		return nil
	}}
}
