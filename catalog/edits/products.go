package edits

import (
	"context"
	"slices"

	"github.com/headwater-io/headwater/catalog"
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

// SetDataProduct moves assets into a data product, all of them or none. The zero URN removes the
// assets from their data products.
func (s *Service) SetDataProduct(ctx context.Context, product model.URN, assets []model.URN, o catalog.WriteOptions) error {
	if len(assets) > write.MaxEdits {
		return catalog.Errorf(catalog.Invalid, "%d assets in one request, at most %d are allowed", len(assets), write.MaxEdits)
	}
	if !product.IsZero() {
		if err := s.requireExisting(ctx, product, model.EntityDataProduct); err != nil {
			return err
		}
	}
	named := catalog.Distinct(assets)
	if err := s.writer.RequireExisting(ctx, named...); err != nil {
		return err
	}
	ctx, err := judged(ctx, "change the data product", named, editProducts, editEntity)
	if err != nil {
		return err
	}
	edits, err := s.leaveProducts(ctx, product, named)
	if err != nil {
		return err
	}
	if !product.IsZero() {
		edits = append(edits, editAssets(product, func(before []catalog.Tree) []catalog.Tree {
			for _, asset := range named {
				if !slices.ContainsFunc(before, func(a catalog.Tree) bool { return s.names.SameURN(jsontree.Text(a, assetMember), asset) }) {
					before = append(before, catalog.Tree{assetMember: asset.String()})
				}
			}
			return before
		}))
	}
	return s.writer.Edit(ctx, edits, o)
}

// leaveProducts returns the edits that remove assets from all their data products but one.
func (s *Service) leaveProducts(ctx context.Context, except model.URN, assets []model.URN) ([]write.Edit, error) {
	held, err := s.store.Edges(ctx, graphstore.EdgeQuery{
		URNs: catalog.Texts(assets), Direction: graphstore.Incoming, Types: []string{model.RelationshipDataProductContains}, Page: graphstore.Page{Count: write.MaxEdits},
	})
	if err != nil {
		return nil, catalog.StoreFailure(err)
	}
	var products []string
	for _, page := range held {
		for _, e := range page.Edges {
			if e.Source != except.String() && !slices.Contains(products, e.Source) {
				products = append(products, e.Source)
			}
		}
	}
	slices.Sort(products)
	edits := make([]write.Edit, len(products))
	for i, product := range products {
		edits[i] = editAssets(model.StoredURN(product), func(before []catalog.Tree) []catalog.Tree {
			return slices.DeleteFunc(before, func(a catalog.Tree) bool { return s.names.SameURNAny(jsontree.Text(a, assetMember), assets) })
		})
	}
	return edits, nil
}

// editAssets edits the assets of a data product.
func editAssets(product model.URN, change func(before []catalog.Tree) []catalog.Tree) write.Edit {
	return write.Edit{URN: product, Aspect: model.AspectDataProductProperties, Change: func(value catalog.Tree, _ catalog.AuditStamp) error {
		jsontree.SetItems(value, productAssets, change(jsontree.Items(value, productAssets)))
		return nil
	}}
}
