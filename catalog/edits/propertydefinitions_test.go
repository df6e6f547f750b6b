package edits_test

import (
	"context"
	"testing"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/edits"
	"github.com/headwater-io/headwater/model"
)

func TestPropertyDefinitions(t *testing.T) {
	h, ctx, by := newAssets(t), context.Background(), catalogtest.ByAda
	of := catalogtest.URNs
	const dataset, chart, texts = "urn:li:entityType:datahub.dataset", "urn:li:entityType:datahub.chart", "urn:li:dataType:datahub.string"
	create := func(d edits.PropertyDefinition) (model.URN, error) { return h.Edits.CreateProperty(ctx, &d, by) }
	tier, err := create(edits.PropertyDefinition{
		QualifiedName: "io.acme.tier", DisplayName: new("Tier"), ValueType: catalogtest.URN(texts), EntityTypes: of(dataset, dataset),
		AllowedValues: []edits.AllowedValue{{Value: edits.PropertyValue{Text: "gold"}}}, Settings: &edits.PropertySettings{InAssetSummary: new(true), HiddenWhenEmpty: new(true)},
	})
	if err != nil || tier.Key() != "io.acme.tier" {
		t.Fatalf("%s: %v", tier, err)
	}
	wantMembers(h, tier, model.AspectPropertyDefinition, map[string]string{
		"qualifiedName": "io.acme.tier", "displayName": "Tier", "valueType": texts, "entityTypes": "[" + dataset + "]", "cardinality": "SINGLE", "immutable": "false",
		"allowedValues.0.value.string": "gold", "created.actor": catalogtest.Ada,
	})
	wantMembers(h, tier, model.AspectStructuredPropertySettings, map[string]string{"showInAssetSummary": "true", "hideInAssetSummaryWhenEmpty": "true"})
	update := func(u edits.PropertyUpdate) error { return h.Edits.UpdateProperty(ctx, tier, &u, by) }
	for _, u := range []edits.PropertyUpdate{
		{Description: new("How good"), Multiple: true, EntityTypes: of(chart, dataset), AllowedPlatforms: of("urn:li:dataPlatform:hive")},
		{AllowedValues: []edits.AllowedValue{{Value: edits.PropertyValue{Text: "gold"}, Description: new("Best")}, {Value: edits.PropertyValue{Text: "tin"}}}},
		{Settings: &edits.PropertySettings{InAssetSummary: new(false), AsAssetBadge: new(true)}},
	} {
		if err := update(u); err != nil {
			t.Fatal(err)
		}
	}
	wantMembers(h, tier, model.AspectPropertyDefinition, map[string]string{
		"displayName": "Tier", "description": "How good", "cardinality": "MULTIPLE", "entityTypes": "[" + dataset + " " + chart + "]", "allowedPlatforms": "[urn:li:dataPlatform:hive]",
		"allowedValues.0.value.string": "gold", "allowedValues.0.description": "Best", "allowedValues.1.value.string": "tin", "allowedValues.2": "<nil>",
	})
	wantMembers(h, tier, model.AspectStructuredPropertySettings, map[string]string{"showInAssetSummary": "false", "hideInAssetSummaryWhenEmpty": "false", "showAsAssetBadge": "true"})

	_, err = create(edits.PropertyDefinition{ID: "io.acme.tier", ValueType: catalogtest.URN(texts), EntityTypes: of(dataset)})
	wantRefused(t, "an id that is used", err, catalog.Conflict, "exists already")
	_, err = create(edits.PropertyDefinition{ValueType: catalogtest.URN(dataset), EntityTypes: of(dataset)})
	wantRefused(t, "not a type of values", err, catalog.Invalid, "is not a dataType")
	_, err = create(edits.PropertyDefinition{ValueType: catalogtest.URN(texts), EntityTypes: of(catalogtest.Table)})
	wantRefused(t, "not a type of entities", err, catalog.Invalid, "is not a entityType")
	_, err = create(edits.PropertyDefinition{ValueType: catalogtest.URN(texts), EntityTypes: many(dataset)})
	wantRefused(t, "too many types", err, catalog.Invalid, "at most")
	wantRefused(t, "hidden and shown", update(edits.PropertyUpdate{Settings: &edits.PropertySettings{Hidden: new(true)}}), catalog.Invalid, "showAsAssetBadge")
	wantRefused(t, "an update of a soft-deleted one", h.Edits.UpdateProperty(ctx, catalogtest.URN(goneProperty), &edits.PropertyUpdate{}, by), catalog.Invalid, "is soft-deleted")
	wantRefused(t, "an update of an absent one", h.Edits.UpdateProperty(ctx, catalogtest.URN("urn:li:structuredProperty:none"), &edits.PropertyUpdate{}, by), catalog.NotFound, "does not exist")
}

func TestBusinessAttributes(t *testing.T) {
	h, ctx, by := newAssets(t), context.Background(), catalogtest.ByAda
	key, err := h.Edits.CreateBusinessAttribute(ctx, "key", edits.BusinessAttribute{Name: new("Key"), Type: new("STRUCT")}, by)
	if err != nil {
		t.Fatal(err)
	}
	wantMembers(h, key, model.AspectBusinessAttributeInfo, map[string]string{"name": "Key", "fieldPath": "Key", "type.type": "map[com.linkedin.schema.RecordType:map[]]", "created.actor": catalogtest.Ada})
	if err := h.Edits.UpdateBusinessAttribute(ctx, key, edits.BusinessAttribute{Description: new("Names a row"), Name: new("Key")}, by); err != nil {
		t.Fatal(err)
	}
	wantMembers(h, key, model.AspectBusinessAttributeInfo, map[string]string{"name": "Key", "description": "Names a row"})

	id, table := catalogtest.URN(idColumn), catalogtest.URN(catalogtest.Table)
	columns := []edits.Resource{{URN: id}, {URN: table, Field: "id"}, {URN: table, Field: "note"}}
	if err := h.Edits.SetBusinessAttribute(ctx, key, columns, by); err != nil {
		t.Fatal(err)
	}
	of := func(want string) {
		t.Helper()
		wantMembers(h, id, model.AspectBusinessAttributes, map[string]string{"businessAttribute.businessAttributeUrn": want})
	}
	of(key.String())
	if about := h.Neighbours("INCOMING", key.String(), model.RelationshipBusinessAttributeOf); len(about) != 2 {
		t.Errorf("the columns of the business attribute: %v", about)
	}
	other, err := h.Edits.CreateBusinessAttribute(ctx, "", edits.BusinessAttribute{Name: new("Other")}, by)
	if err != nil {
		t.Fatal(err)
	}
	if err := h.Edits.RemoveBusinessAttribute(ctx, other, columns, by); err != nil {
		t.Fatal(err)
	}
	of(key.String())
	if err := h.Edits.RemoveBusinessAttribute(ctx, key, columns[:2], by); err != nil {
		t.Fatal(err)
	}
	of("<nil>")

	set := func(r ...edits.Resource) error { return h.Edits.SetBusinessAttribute(ctx, key, r, by) }
	wantRefused(t, "an absent column", set(columns[2], edits.Resource{URN: table, Field: "ix"}), catalog.Invalid, "did you mean id?")
	wantRefused(t, "a column of what is soft-deleted", set(edits.Resource{URN: catalogtest.URN(goneTable), Field: "id"}), catalog.Invalid, "is soft-deleted")
	wantRefused(t, "not a column", set(edits.Resource{URN: table}), catalog.Invalid, "is not a schemaField")
	_, err = h.Edits.CreateBusinessAttribute(ctx, "", edits.BusinessAttribute{Name: new("Key")}, by)
	wantRefused(t, "a name that is used", err, catalog.Conflict, key.String())
	_, err = h.Edits.CreateBusinessAttribute(ctx, "", edits.BusinessAttribute{Name: new("")}, by)
	wantRefused(t, "no name", err, catalog.Invalid, "name must not be empty")
	wantRefused(t, "the name of another", h.Edits.UpdateBusinessAttribute(ctx, other, edits.BusinessAttribute{Name: new("Key")}, by), catalog.Conflict, key.String())
	wantRefused(t, "an unknown type", h.Edits.UpdateBusinessAttribute(ctx, other, edits.BusinessAttribute{Type: new("NUMERIC")}, by), catalog.Invalid, "NUMBER")
	wantRefused(t, "an absent one", h.Edits.UpdateBusinessAttribute(ctx, catalogtest.URN("urn:li:businessAttribute:none"), edits.BusinessAttribute{}, by), catalog.NotFound, "does not exist")
	h.Say(key.String(), model.AspectStatus, `{"removed":true}`)
	wantRefused(t, "a soft-deleted one", set(columns...), catalog.Invalid, "is soft-deleted")
}
