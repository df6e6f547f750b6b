package edits_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/edits"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/model"
)

// TestSetDataProduct: all assets move, out of each data product that has them, or nothing
// changes.
func TestSetDataProduct(t *testing.T) {
	s, ctx := catalogtest.NewShop(t), context.Background()
	products := []string{"urn:li:dataProduct:a", "urn:li:dataProduct:b", "urn:li:dataProduct:c"}
	for _, product := range products[:2] {
		s.Say(product, "dataProductProperties", fmt.Sprintf(`{"name":"p","assets":[{"destinationUrn":%q},{"destinationUrn":%q}]}`, catalogtest.Created, catalogtest.Address))
	}
	s.Say(products[2], "dataProductProperties", `{"name":"p"}`)
	holds := func(product string, want ...string) {
		t.Helper()
		if got := listOf(s.SearchHarness, product, model.AspectDataProductProperties, edits.ProductAssets, edits.AssetMember); !slices.Equal(got, want) {
			t.Errorf("%s holds %v, want %v", product, got, want)
		}
	}
	s.Want("", s.Edits.SetDataProduct(ctx, catalogtest.URN(products[2]), catalogtest.URNs(catalogtest.Created, catalogtest.Deleted, catalogtest.Created), catalogtest.ByAda))
	holds(products[0], catalogtest.Address)
	holds(products[1], catalogtest.Address)
	holds(products[2], catalogtest.Created, catalogtest.Deleted)
	s.Want("", s.Edits.SetDataProduct(ctx, catalogtest.URN(products[0]), catalogtest.URNs(catalogtest.Address), catalogtest.ByAda))
	holds(products[0], catalogtest.Address)
	holds(products[1])
	many := make([]model.URN, write.MaxEdits+1)
	for i := range many {
		many[i] = catalogtest.URN(catalogtest.Deleted)
	}
	s.Want(catalog.Invalid, s.Edits.SetDataProduct(ctx, model.URN{}, many, catalogtest.ByAda))
	s.Want(catalog.Invalid, s.Edits.SetDataProduct(ctx, catalogtest.URN(products[0]), catalogtest.URNs(catalogtest.Deleted, "urn:li:chart:(looker,none)"), catalogtest.ByAda))
	s.Want(catalog.Invalid, s.Edits.SetDataProduct(ctx, catalogtest.URN(products[0]), catalogtest.URNs(catalogtest.Deleted, "urn:li:tag:Engineering"), catalogtest.ByAda))
	s.Want(catalog.Invalid, s.Edits.SetDataProduct(ctx, catalogtest.URN("urn:li:tag:Engineering"), catalogtest.URNs(catalogtest.Deleted), catalogtest.ByAda))
	holds(products[2], catalogtest.Created, catalogtest.Deleted)
	s.Want("", s.Edits.AddToDataProducts(ctx, catalogtest.URNs(products[0], products[1], products[1]), catalogtest.URNs(catalogtest.Created, catalogtest.Address), catalogtest.ByAda))
	holds(products[0], catalogtest.Address, catalogtest.Created)
	holds(products[1], catalogtest.Created, catalogtest.Address)
	holds(products[2], catalogtest.Created, catalogtest.Deleted)
	s.Want("", s.Edits.RemoveFromDataProducts(ctx, catalogtest.URNs(products[0], products[2]), catalogtest.URNs(catalogtest.Created), catalogtest.ByAda))
	holds(products[0], catalogtest.Address)
	holds(products[2], catalogtest.Deleted)
	s.Want(catalog.Invalid, s.Edits.AddToDataProducts(ctx, catalogtest.URNs(products[0], products[1]), many[:write.MaxEdits/2+1], catalogtest.ByAda))
	s.Want(catalog.Invalid, s.Edits.AddToDataProducts(ctx, catalogtest.URNs(products[0], "urn:li:tag:Engineering"), catalogtest.URNs(catalogtest.Deleted), catalogtest.ByAda))
	s.Want(catalog.Invalid, s.Edits.AddToDataProducts(ctx, catalogtest.URNs(products[0], "urn:li:dataProduct:none"), catalogtest.URNs(catalogtest.Deleted), catalogtest.ByAda))
	s.Want(catalog.Invalid, s.Edits.RemoveFromDataProducts(ctx, catalogtest.URNs(products[0]), catalogtest.URNs(catalogtest.Address, "urn:li:chart:(looker,none)"), catalogtest.ByAda))
	holds(products[0], catalogtest.Address)
	s.Want("", s.Edits.SetDataProduct(ctx, model.URN{}, catalogtest.URNs(catalogtest.Created, catalogtest.Deleted, catalogtest.Address), catalogtest.ByAda))
	for _, product := range products {
		holds(product)
	}
}

// TestMembershipOfDataProducts: rights on the assets suffice for every edit except moving assets into a data
// product, which needs the right to change the data product.
func TestMembershipOfDataProducts(t *testing.T) {
	ctx := context.Background()
	const product, other = "urn:li:dataProduct:a", "urn:li:dataProduct:b"
	var wants []write.Want
	s := catalogtest.NewProtectedHarness(t, func(_ context.Context, of []write.Want) []error {
		wants = append(wants, of...)
		return make([]error, len(of))
	})
	s.Say(catalogtest.Created, "datasetProperties", `{}`)
	s.Say(product, "dataProductProperties", `{"name":"p"}`)
	s.Say(other, "dataProductProperties", fmt.Sprintf(`{"name":"p","assets":[{"destinationUrn":%q}]}`, catalogtest.Created))
	asset, products := catalogtest.URNs(catalogtest.Created), catalogtest.URNs(product)
	for _, c := range []struct {
		name string
		do   func() error
		// instead are the data products whose edits rights on the asset permit.
		instead map[string]bool
	}{
		{"set", func() error { return s.Edits.SetDataProduct(ctx, products[0], asset, catalogtest.ByAda) }, map[string]bool{product: false, other: true}},
		{"add", func() error { return s.Edits.AddToDataProducts(ctx, products, asset, catalogtest.ByAda) }, map[string]bool{product: true}},
		{"remove", func() error { return s.Edits.RemoveFromDataProducts(ctx, products, asset, catalogtest.ByAda) }, map[string]bool{product: true}},
	} {
		wants = nil
		s.Want("", c.do())
		got := map[string]bool{}
		for _, w := range wants {
			got[w.URN.String()] = len(w.Instead) == 1 && w.Instead[0].URN == asset[0] && slices.Equal(w.Instead[0].Privileges, []string{"EDIT_ENTITY_DATA_PRODUCTS", "EDIT_ENTITY"})
		}
		if !maps.Equal(got, c.instead) {
			t.Errorf("%s: rights on the asset suffice for %v, want %v", c.name, got, c.instead)
		}
	}
}
