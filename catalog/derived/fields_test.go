package derived_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/derived"
	"github.com/headwater-io/headwater/model"
)

// TestFieldsInsideColumns: where a schema has the fields inside of columns, in the form of the client's version 2, derived
// lineage names them, and the loss of a field affects those who read it and not those who read the field beside it.
func TestFieldsInsideColumns(t *testing.T) {
	onStores(t, func(h house) {
		urn := func(name string) string { return catalogtest.Dataset("bigquery", "shop.public."+name, "PROD") }
		people, cities, zips := urn("people"), urn("cities"), urn("zips")
		const begin = "[version=2.0].[type=struct]."
		city, zip := begin+"[type=struct].address.[type=string].city", begin+"[type=struct].address.[type=string].zip"
		h.Say(people, model.AspectSchemaMetadata, schema(begin+"[type=long].id", begin+"[type=struct].address", city, zip))
		h.Say(cities, model.AspectSchemaMetadata, schema("id", "city"))
		h.Say(cities, model.AspectViewProperties, view("select p.id, p.address.city from people p where p.address.zip > '1'"))
		h.Say(zips, model.AspectViewProperties, view("select address.zip as z from people"))
		h.run(derived.Mode{})
		h.want(cities, "people", "cities.id < people.id DIRECT:IDENTITY", "cities.city < people.address.city DIRECT:IDENTITY", "cities.id,cities.city < people.address.zip INDIRECT:FILTER")
		h.want(zips, "people", "zips.z < people.address.zip DIRECT:IDENTITY")
		for path, want := range map[string]string{city: "cities", "address.city": "cities", zip: "cities zips", begin + "[type=struct].address": "cities zips", begin + "[type=long].id": "cities"} {
			affected := h.affected(column(people, path))
			affected = slices.DeleteFunc(affected, func(name string) bool { return strings.Contains(name, ".") })
			slices.Sort(affected)
			if got := strings.Join(slices.Compact(affected), " "); got != want {
				h.T.Errorf("the loss of %s affects %q, want %q", path, got, want)
			}
		}
	})
}
