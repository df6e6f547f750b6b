package catalog

import (
	"context"
	"slices"

	"github.com/headwater-io/headwater/graphstore"
)

// These are the aspect that describes a data product, its list of assets, the
// member of an item that names the asset, and the relationship that this
// states.
const (
	productAspect = "dataProductProperties"
	productAssets = "assets"
	assetMember   = "destinationUrn"
	containsAsset = "DataProductContains"
)

// CreateDataProduct creates a data product in a domain and returns its URN. The
// actor becomes its owner.
func (c *Catalog) CreateDataProduct(ctx context.Context, name, description, domain string, o WriteOptions) (string, error) {
	if err := requireName(&name); err != nil {
		return "", err
	}
	domain, err := c.urnOf(domain, "domain")
	if err != nil {
		return "", err
	}
	if err := c.requireExisting(ctx, domain); err != nil {
		return "", err
	}
	u, by, err := c.newURN("dataProduct", "", o)
	if err != nil {
		return "", err
	}
	properties := Tree{"name": name}
	if description != "" {
		properties["description"] = description
	}
	return u.String(), c.create(ctx, u, map[string]Tree{
		productAspect: properties, "domains": {"domains": []any{domain}}, ownershipAspect: ownedBy(u, by),
	}, o)
}

// UpdateDataProduct sets the given parts of a data product.
func (c *Catalog) UpdateDataProduct(ctx context.Context, urn string, name, description *string, o WriteOptions) error {
	if err := requireName(name); err != nil {
		return err
	}
	return c.editKnown(ctx, urn, "dataProduct", []Edit{{URN: urn, Aspect: productAspect, Change: func(value Tree, _ AuditStamp) error {
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
		if product, err = c.urnOf(product, "dataProduct"); err != nil {
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
				if !slices.ContainsFunc(before, func(a Tree) bool { return text(a, assetMember) == asset }) {
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
		URNs: assets, Direction: graphstore.Incoming, Types: []string{containsAsset}, Page: graphstore.Page{Count: maxEdits},
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
			return slices.DeleteFunc(before, func(a Tree) bool { return slices.Contains(assets, text(a, assetMember)) })
		})
	}
	return edits, nil
}

// editAssets edits the assets of a data product.
func editAssets(product string, change func(before []Tree) []Tree) Edit {
	return Edit{URN: product, Aspect: productAspect, Change: func(value Tree, _ AuditStamp) error {
		setItems(value, productAssets, change(items(value, productAssets)))
		return nil
	}}
}
