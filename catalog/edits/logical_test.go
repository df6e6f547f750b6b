package edits_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/model"
)

// TestSetLogicalParent: datasets are instances of datasets, and columns of columns that are in a schema.
func TestSetLogicalParent(t *testing.T) {
	s, ctx := catalogtest.NewShop(t), context.Background()
	column := func(dataset, path string) string { return "urn:li:schemaField:(" + dataset + "," + path + ")" }
	set := func(u, parent string) error {
		p := model.URN{}
		if parent != "" {
			p = catalogtest.URN(parent)
		}
		return s.Edits.SetLogicalParent(ctx, catalogtest.URN(u), p, catalogtest.ByAda)
	}
	stored := func(u, want string) {
		t.Helper()
		found, err := s.Aspect(ctx, catalogtest.URN(u), model.AspectLogicalParent, 0)
		if err != nil {
			t.Fatal(err)
		}
		var value struct {
			Parent struct {
				DestinationUrn string
				Created        catalog.AuditStamp
			}
		}
		if err := json.Unmarshal(found.Value, &value); err != nil {
			t.Fatal(err)
		}
		if value.Parent.DestinationUrn != want || want != "" && value.Parent.Created.Actor != catalogtest.Ada {
			t.Errorf("%s: %s, want %q", u, found.Value, want)
		}
	}
	s.Want("", set(catalogtest.Deleted, catalogtest.Created))
	stored(catalogtest.Deleted, catalogtest.Created)
	s.Say(catalogtest.Deleted, "schemaMetadata", s.Value(catalogtest.Created, model.AspectSchemaMetadata, 0))
	s.Want("", set(column(catalogtest.Deleted, "user_id"), column(catalogtest.Created, "user_id")))
	stored(column(catalogtest.Deleted, "user_id"), column(catalogtest.Created, "user_id"))
	s.Want("", set(catalogtest.Deleted, ""))
	stored(catalogtest.Deleted, "")
	for _, wrong := range [][2]string{
		{catalogtest.Deleted, catalogtest.Deleted},
		{catalogtest.Deleted, column(catalogtest.Created, "user_id")},
		{column(catalogtest.Created, "user_id"), catalogtest.Deleted},
		{catalogtest.Deleted, "urn:li:dataset:(urn:li:dataPlatform:hive,none,PROD)"},
		{"urn:li:dataset:(urn:li:dataPlatform:hive,none,PROD)", catalogtest.Deleted},
		{column(catalogtest.Deleted, "user_id"), column(catalogtest.Created, "none")},
		{"urn:li:tag:Engineering", "urn:li:tag:Engineering"},
	} {
		s.Want(catalog.Invalid, set(wrong[0], wrong[1]))
	}
	stored(catalogtest.Deleted, "")
}
