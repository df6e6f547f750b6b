package catalog

import (
	"context"
	"slices"

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
func (c *Catalog) CreateDataProduct(ctx context.Context, name, description, domain string, o WriteOptions) (string, error) {
	if err := requireName(&name); err != nil {
		return "", err
	}
	domain, err := c.urnOf(domain, model.EntityDomain)
	if err != nil {
		return "", err
	}
	if err := c.requireExisting(ctx, domain); err != nil {
		return "", err
	}
	u, by, err := c.newURN(model.EntityDataProduct, "", o)
	if err != nil {
		return "", err
	}
	properties := Tree{"name": name}
	if description != "" {
		properties["description"] = description
	}
	return u.String(), c.create(ctx, u, map[string]Tree{
		model.AspectDataProductProperties: properties, model.AspectDomains: {"domains": []any{domain}}, model.AspectOwnership: ownedBy(u, by),
	}, o)
}

// UpdateDataProduct sets the given parts of a data product.
func (c *Catalog) UpdateDataProduct(ctx context.Context, urn string, name, description *string, o WriteOptions) error {
	if err := requireName(name); err != nil {
		return err
	}
	return c.editKnown(ctx, urn, model.EntityDataProduct, []Edit{{URN: urn, Aspect: model.AspectDataProductProperties, Change: func(value Tree, _ AuditStamp) error {
		setTexts(value, map[string]*string{"name": name, "description": description})
		return nil
	}}}, o)
}

// SetDataProduct moves assets into a data product, all of them or none; "" only
// removes them from their data products.
func (c *Catalog) SetDataProduct(ctx context.Context, product string, assets []string, o WriteOptions) error {
	if len(assets) > maxEdits {
		return Errorf(Invalid, "%d assets in one request, at most %d are allowed", len(assets), maxEdits)
	}
	if product != "" {
		var err error
		if product, err = c.urnOf(product, model.EntityDataProduct); err != nil {
			return err
		}
		if err := c.requireExisting(ctx, product); err != nil {
			return err
		}
	}
	named, err := c.urnsOfType(assets)
	if err != nil {
		return err
	}
	if err := c.requireExisting(ctx, named...); err != nil {
		return err
	}
	edits, err := c.leaveProducts(ctx, product, named)
	if err != nil {
		return err
	}
	if product != "" {
		edits = append(edits, editAssets(product, func(before []Tree) []Tree {
			for _, asset := range named {
				if !slices.ContainsFunc(before, func(a Tree) bool { return jsontree.Text(a, assetMember) == asset }) {
					before = append(before, Tree{assetMember: asset})
				}
			}
			return before
		}))
	}
	return c.Edit(ctx, edits, o)
}

// leaveProducts makes the edits that remove assets from their data products,
// except from one.
func (c *Catalog) leaveProducts(ctx context.Context, except string, assets []string) ([]Edit, error) {
	held, err := c.store.Edges(ctx, graphstore.EdgeQuery{
		URNs: assets, Direction: graphstore.Incoming, Types: []string{model.RelationshipDataProductContains}, Page: graphstore.Page{Count: maxEdits},
	})
	if err != nil {
		return nil, storeFailure(err)
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
	edits := make([]Edit, len(products))
	for i, product := range products {
		edits[i] = editAssets(product, func(before []Tree) []Tree {
			return slices.DeleteFunc(before, func(a Tree) bool { return slices.Contains(assets, jsontree.Text(a, assetMember)) })
		})
	}
	return edits, nil
}

// editAssets edits the assets of a data product.
func editAssets(product string, change func(before []Tree) []Tree) Edit {
	return Edit{URN: product, Aspect: model.AspectDataProductProperties, Change: func(value Tree, _ AuditStamp) error {
		jsontree.SetItems(value, productAssets, change(jsontree.Items(value, productAssets)))
		return nil
	}}
}
