package edits

import (
	"context"
	"slices"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/jsontree"
	"github.com/headwater-io/headwater/model"
)

// The list of a data product's assets, and the member that names one.
const (
	productAssets = "assets"
	assetMember   = "destinationUrn"
)

// CreateDataProduct creates a data product in a domain and returns its URN. The
// actor becomes its owner.
func (s *Service) CreateDataProduct(ctx context.Context, name, description, domain string, o catalog.WriteOptions) (string, error) {
	if err := requireName(&name); err != nil {
		return "", err
	}
	domain, err := s.catalog.URNOf(domain, model.EntityDomain)
	if err != nil {
		return "", err
	}
	if err := s.catalog.RequireExisting(ctx, domain); err != nil {
		return "", err
	}
	u, by, err := s.newURN(model.EntityDataProduct, "", o)
	if err != nil {
		return "", err
	}
	properties := catalog.Tree{"name": name}
	if description != "" {
		properties["description"] = description
	}
	return u.String(), s.catalog.Create(ctx, u, map[string]catalog.Tree{
		model.AspectDataProductProperties: properties, model.AspectDomains: {"domains": []any{domain}}, model.AspectOwnership: ownedBy(u, by),
	}, o)
}

// UpdateDataProduct sets the given parts of a data product.
func (s *Service) UpdateDataProduct(ctx context.Context, urn string, name, description *string, o catalog.WriteOptions) error {
	if err := requireName(name); err != nil {
		return err
	}
	return s.editKnown(ctx, urn, model.EntityDataProduct, []catalog.Edit{{URN: urn, Aspect: model.AspectDataProductProperties, Change: func(value catalog.Tree, _ catalog.AuditStamp) error {
		setTexts(value, map[string]*string{"name": name, "description": description})
		return nil
	}}}, o)
}

// SetDataProduct moves assets into a data product, all of them or none; "" only
// removes them from their data products.
func (s *Service) SetDataProduct(ctx context.Context, product string, assets []string, o catalog.WriteOptions) error {
	if len(assets) > catalog.MaxEdits {
		return catalog.Errorf(catalog.Invalid, "%d assets in one request, at most %d are allowed", len(assets), catalog.MaxEdits)
	}
	if product != "" {
		var err error
		if product, err = s.catalog.URNOf(product, model.EntityDataProduct); err != nil {
			return err
		}
		if err := s.catalog.RequireExisting(ctx, product); err != nil {
			return err
		}
	}
	named, err := s.catalog.URNsOfType(assets)
	if err != nil {
		return err
	}
	if err := s.catalog.RequireExisting(ctx, named...); err != nil {
		return err
	}
	edits, err := s.leaveProducts(ctx, product, named)
	if err != nil {
		return err
	}
	if product != "" {
		edits = append(edits, editAssets(product, func(before []catalog.Tree) []catalog.Tree {
			for _, asset := range named {
				if !slices.ContainsFunc(before, func(a catalog.Tree) bool { return jsontree.Text(a, assetMember) == asset }) {
					before = append(before, catalog.Tree{assetMember: asset})
				}
			}
			return before
		}))
	}
	return s.catalog.Edit(ctx, edits, o)
}

// leaveProducts returns the edits that remove assets from their data products,
// except from one.
func (s *Service) leaveProducts(ctx context.Context, except string, assets []string) ([]catalog.Edit, error) {
	held, err := s.store.Edges(ctx, graphstore.EdgeQuery{
		URNs: assets, Direction: graphstore.Incoming, Types: []string{model.RelationshipDataProductContains}, Page: graphstore.Page{Count: catalog.MaxEdits},
	})
	if err != nil {
		return nil, catalog.StoreFailure(err)
	}
	var products []string
	for _, page := range held {
		for _, e := range page.Edges {
			if e.Source != except && !slices.Contains(products, e.Source) {
				products = append(products, e.Source)
			}
		}
	}
	slices.Sort(products)
	edits := make([]catalog.Edit, len(products))
	for i, product := range products {
		edits[i] = editAssets(product, func(before []catalog.Tree) []catalog.Tree {
			return slices.DeleteFunc(before, func(a catalog.Tree) bool { return slices.Contains(assets, jsontree.Text(a, assetMember)) })
		})
	}
	return edits, nil
}

// editAssets edits the assets of a data product.
func editAssets(product string, change func(before []catalog.Tree) []catalog.Tree) catalog.Edit {
	return catalog.Edit{URN: product, Aspect: model.AspectDataProductProperties, Change: func(value catalog.Tree, _ catalog.AuditStamp) error {
		jsontree.SetItems(value, productAssets, change(jsontree.Items(value, productAssets)))
		return nil
	}}
}
