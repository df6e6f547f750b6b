package edits_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/edits"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

// The entities in the tests of incidents, documents and similar entities. Gone is soft-deleted,
// and absent was never written.
const (
	goneTable    = "urn:li:dataset:(urn:li:dataPlatform:hive,db.gone,PROD)"
	absentTable  = "urn:li:dataset:(urn:li:dataPlatform:hive,db.absent,PROD)"
	secondTable  = "urn:li:dataset:(urn:li:dataPlatform:hive,db.second,PROD)"
	team         = "urn:li:corpGroup:team"
	idColumn     = "urn:li:schemaField:(" + catalogtest.Table + ",id)"
	noColumn     = "urn:li:schemaField:(" + catalogtest.Table + ",ix)"
	property     = "urn:li:structuredProperty:io.acme.owner"
	goneProperty = "urn:li:structuredProperty:io.acme.gone"
)

// newAssets makes a catalog with three datasets, a user, a group and two properties. One
// dataset has the columns id and note, and one is soft-deleted, as is one of the properties.
func newAssets(t *testing.T) *catalogtest.SearchHarness {
	h := catalogtest.NewSearchHarness(t)
	h.Say(catalogtest.Table, model.AspectSchemaMetadata, `{"schemaName":"s","platform":"urn:li:dataPlatform:hive","version":0,"hash":"","platformSchema":{"com.linkedin.schema.OtherSchema":{"rawSchema":""}},"fields":[{"fieldPath":"id","nativeDataType":"s","type":{"type":{"com.linkedin.schema.StringType":{}}}},{"fieldPath":"note","nativeDataType":"s","type":{"type":{"com.linkedin.schema.StringType":{}}}}]}`)
	h.Say(secondTable, model.AspectStatus, `{"removed":false}`)
	h.Say(goneTable, model.AspectStatus, `{"removed":true}`)
	h.Say(catalogtest.Ada, model.AspectCorpUserInfo, `{"active":true}`)
	h.Say(team, model.AspectCorpGroupInfo, `{"admins":[],"members":[],"groups":[]}`)
	for _, urn := range []string{property, goneProperty} {
		h.Say(urn, model.AspectPropertyDefinition, `{"qualifiedName":"`+strings.TrimPrefix(urn, "urn:li:structuredProperty:")+`","valueType":"urn:li:dataType:datahub.string","cardinality":"MULTIPLE","entityTypes":["urn:li:entityType:datahub.dataset","urn:li:entityType:datahub.schemaField"]}`)
	}
	h.Say(goneProperty, model.AspectStatus, `{"removed":true}`)
	return h
}

// member returns the member of the latest value of an aspect at a path such as status.state or
// prompts.0.id, nil if there is none.
func member(h *catalogtest.SearchHarness, urn model.URN, aspect, path string) any {
	h.T.Helper()
	text := h.Value(urn.String(), aspect, 0)
	if text == "" {
		return nil
	}
	var value any
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		h.T.Fatal(err)
	}
	for step := range strings.SplitSeq(path, ".") {
		var at int
		if list, ok := value.([]any); ok {
			if _, err := fmt.Sscan(step, &at); err != nil || at >= len(list) {
				return nil
			}
			value = list[at]
			continue
		}
		record, _ := value.(map[string]any)
		value = record[step]
	}
	return value
}

// wantMembers checks members of an aspect. want has the value of each member as text, by its
// path.
func wantMembers(h *catalogtest.SearchHarness, urn model.URN, aspect string, want map[string]string) {
	h.T.Helper()
	for path, text := range want {
		if got := fmt.Sprint(member(h, urn, aspect, path)); got != text {
			h.T.Errorf("%s of %s of %s is %s, want %s", path, aspect, urn, got, text)
		}
	}
}

// wantRefused checks the code and a part of the message of an error.
func wantRefused(t *testing.T, what string, err error, code catalog.Code, message string) {
	t.Helper()
	if catalog.CodeOf(err) != code || !strings.Contains(fmt.Sprint(err), message) {
		t.Errorf("%s: %v (%s), want %s with %q", what, err, catalog.CodeOf(err), code, message)
	}
}

// many returns more entities than one edit may name.
func many(text string) []model.URN {
	urns := make([]model.URN, limits.MaxEdits+1)
	for i := range urns {
		urns[i] = catalogtest.URN(text)
	}
	return urns
}

func TestIncidents(t *testing.T) {
	h, ctx, by := newAssets(t), context.Background(), catalogtest.ByAda
	of := catalogtest.URNs
	one := 1
	urn, err := h.Edits.RaiseIncident(ctx, &edits.NewIncident{
		Type: "FRESHNESS", Title: new("Late"), Entities: of(catalogtest.Table, catalogtest.Table, idColumn), Assignees: of(catalogtest.Ada, team), Priority: &one, Source: "MANUAL",
	}, by)
	if err != nil {
		t.Fatal(err)
	}
	wantMembers(h, urn, model.AspectIncidentInfo, map[string]string{
		"type": "FRESHNESS", "title": "Late", "entities": "[" + catalogtest.Table + " " + idColumn + "]", "priority": "1", "assignees.1.actor": team,
		"status.state": "ACTIVE", "status.lastUpdated.actor": catalogtest.Ada, "source.type": "MANUAL", "description": "<nil>",
	})
	if about := h.Neighbours("INCOMING", catalogtest.Table, model.RelationshipIncidentOn); len(about) != 1 || about[0] != urn.String() {
		t.Errorf("the incidents on the dataset: %v", about)
	}
	update := func(u edits.IncidentUpdate) error { return h.Edits.UpdateIncident(ctx, urn, &u, by) }
	if err := update(edits.IncidentUpdate{Status: &edits.IncidentStatus{State: "RESOLVED", Stage: "FIXED", Message: new("Loaded")}}); err != nil {
		t.Fatal(err)
	}
	wantMembers(h, urn, model.AspectIncidentInfo, map[string]string{"status.state": "RESOLVED", "status.stage": "FIXED", "status.message": "Loaded", "priority": "1", "assignees.1.actor": team})
	if err := update(edits.IncidentUpdate{Description: new("d"), Entities: of(secondTable), ReplacePriority: true, ReplaceAssignees: true}); err != nil {
		t.Fatal(err)
	}
	wantMembers(h, urn, model.AspectIncidentInfo, map[string]string{"description": "d", "title": "Late", "entities": "[" + secondTable + "]", "priority": "<nil>", "assignees": "<nil>", "status.state": "RESOLVED"})

	raise := func(entities []model.URN, assignees []model.URN) error {
		_, err := h.Edits.RaiseIncident(ctx, &edits.NewIncident{Type: "SQL", Entities: entities, Assignees: assignees, Source: "MANUAL"}, by)
		return err
	}
	wantRefused(t, "about nothing", raise(nil, nil), catalog.Invalid, "at least one entity")
	wantRefused(t, "about what is absent", raise(of(absentTable), nil), catalog.Invalid, "does not exist")
	wantRefused(t, "about what is soft-deleted", raise(of(goneTable), nil), catalog.Invalid, "is soft-deleted")
	wantRefused(t, "about an absent column", raise(of(noColumn), nil), catalog.Invalid, "did you mean id?")
	wantRefused(t, "about a tag", raise(of("urn:li:tag:none"), nil), catalog.Invalid, "does not exist")
	wantRefused(t, "assigned to a dataset", raise(of(catalogtest.Table), of(secondTable)), catalog.Invalid, "is not a corpuser or corpGroup")
	wantRefused(t, "assigned to nobody", raise(of(catalogtest.Table), of("urn:li:corpuser:nobody")), catalog.Invalid, "does not exist")
	wantRefused(t, "about too much", raise(many(catalogtest.Table), nil), catalog.Invalid, "at most")
	_, err = h.Edits.RaiseIncident(ctx, &edits.NewIncident{Type: "CUSTOM", CustomType: new(" "), Entities: of(catalogtest.Table), Source: "MANUAL"}, by)
	wantRefused(t, "a custom type without a name", err, catalog.Invalid, "customType")
	wantRefused(t, "an update to be about nothing", update(edits.IncidentUpdate{Entities: of()}), catalog.Invalid, "at least one entity")
	wantRefused(t, "an update of an absent incident", h.Edits.UpdateIncident(ctx, catalogtest.URN("urn:li:incident:none"), &edits.IncidentUpdate{}, by), catalog.NotFound, "does not exist")
	wantRefused(t, "an update of a dataset", h.Edits.UpdateIncident(ctx, catalogtest.URN(catalogtest.Table), &edits.IncidentUpdate{}, by), catalog.Invalid, "is not a incident")
}

func TestApplications(t *testing.T) {
	h, ctx, by := newAssets(t), context.Background(), catalogtest.ByAda
	of := catalogtest.URNs
	create := func(id string) model.URN {
		t.Helper()
		urn, err := h.Edits.CreateApplication(ctx, edits.NewApplication{ID: id, Name: "Name of " + id, Owned: id == "pricing"}, by)
		if err != nil {
			t.Fatal(err)
		}
		return urn
	}
	pricing, billing := create("pricing"), create("billing")
	wantMembers(h, pricing, model.AspectApplicationProperties, map[string]string{"name": "Name of pricing", "description": "<nil>"})
	wantMembers(h, pricing, model.AspectOwnership, map[string]string{"owners.0.owner": catalogtest.Ada})
	wantMembers(h, billing, model.AspectOwnership, map[string]string{"owners": "<nil>"})
	if err := h.Edits.UpdateApplication(ctx, pricing, nil, new("Sets prices"), by); err != nil {
		t.Fatal(err)
	}
	wantMembers(h, pricing, model.AspectApplicationProperties, map[string]string{"name": "Name of pricing", "description": "Sets prices"})

	assets := of(catalogtest.Table, secondTable, secondTable)
	applications := func(urn, want string) {
		t.Helper()
		wantMembers(h, catalogtest.URN(urn), model.AspectApplications, map[string]string{"applications": want})
	}
	for _, application := range []model.URN{pricing, billing, pricing} {
		if err := h.Edits.AddApplication(ctx, application, assets, by); err != nil {
			t.Fatal(err)
		}
	}
	applications(secondTable, "["+pricing.String()+" "+billing.String()+"]")
	if err := h.Edits.RemoveApplication(ctx, pricing, assets, by); err != nil {
		t.Fatal(err)
	}
	applications(catalogtest.Table, "["+billing.String()+"]")
	if err := h.Edits.RemoveApplication(ctx, model.URN{}, of(catalogtest.Table), by); err != nil {
		t.Fatal(err)
	}
	applications(catalogtest.Table, "[]")
	applications(secondTable, "["+billing.String()+"]")

	_, err := h.Edits.CreateApplication(ctx, edits.NewApplication{ID: "pricing", Name: "Again"}, by)
	wantRefused(t, "an id that is used", err, catalog.Conflict, "exists already")
	_, err = h.Edits.CreateApplication(ctx, edits.NewApplication{Name: " "}, by)
	wantRefused(t, "no name", err, catalog.Invalid, "name must not be empty")
	_, err = h.Edits.CreateApplication(ctx, edits.NewApplication{Name: "n", Domain: catalogtest.URN("urn:li:domain:none")}, by)
	wantRefused(t, "an absent domain", err, catalog.Invalid, "does not exist")
	wantRefused(t, "a soft-deleted asset", h.Edits.AddApplication(ctx, pricing, of(catalogtest.Table, goneTable), by), catalog.Invalid, "is soft-deleted")
	applications(catalogtest.Table, "[]")
	wantRefused(t, "an asset without applications", h.Edits.AddApplication(ctx, pricing, of(catalogtest.Ada), by), catalog.Invalid, "applications")
	wantRefused(t, "too many assets", h.Edits.AddApplication(ctx, pricing, many(catalogtest.Table), by), catalog.Invalid, "at most")
	wantRefused(t, "not an application", h.Edits.AddApplication(ctx, catalogtest.URN(catalogtest.Table), assets, by), catalog.Invalid, "is not a application")
	h.Say(pricing.String(), model.AspectStatus, `{"removed":true}`)
	wantRefused(t, "a soft-deleted application", h.Edits.AddApplication(ctx, pricing, assets, by), catalog.Invalid, "is soft-deleted")
	wantRefused(t, "an update of it", h.Edits.UpdateApplication(ctx, pricing, new("n"), nil, by), catalog.Invalid, "is soft-deleted")
	wantRefused(t, "an update of an absent one", h.Edits.UpdateApplication(ctx, catalogtest.URN("urn:li:application:none"), new("n"), nil, by), catalog.NotFound, "does not exist")
}

func TestDataContracts(t *testing.T) {
	h, ctx, by := newAssets(t), context.Background(), catalogtest.ByAda
	of := catalogtest.URNs
	for _, id := range []string{"fresh", "schema"} {
		h.Say("urn:li:assertion:"+id, model.AspectStatus, `{"removed":false}`)
	}
	h.Say("urn:li:assertion:gone", model.AspectStatus, `{"removed":true}`)
	put := func(urn model.URN, id, dataset string, freshness ...string) (model.URN, error) {
		return h.Edits.PutDataContract(ctx, urn, id, &edits.DataContract{Dataset: catalogtest.URN(dataset), Freshness: of(freshness...), State: "ACTIVE"}, by)
	}
	contract, err := put(model.URN{}, "agreed", catalogtest.Table, "urn:li:assertion:fresh", "urn:li:assertion:fresh")
	if err != nil || contract.Key() != "agreed" {
		t.Fatalf("%s: %v", contract, err)
	}
	wantMembers(h, contract, model.AspectDataContractProperties, map[string]string{
		"entity": catalogtest.Table, "freshness": "[map[assertion:urn:li:assertion:fresh]]", "schema": "<nil>", "dataQuality": "<nil>",
	})
	second, err := h.Edits.PutDataContract(ctx, model.URN{}, "other", &edits.DataContract{Dataset: catalogtest.URN(catalogtest.Table), Schema: of("urn:li:assertion:schema"), State: "PENDING"}, by)
	if err != nil || second != contract {
		t.Fatalf("the second write is of %s, not of %s: %v", second, contract, err)
	}
	wantMembers(h, contract, model.AspectDataContractProperties, map[string]string{"freshness": "<nil>", "schema": "[map[assertion:urn:li:assertion:schema]]"})
	wantMembers(h, contract, model.AspectDataContractStatus, map[string]string{"state": "PENDING"})
	if _, err = put(contract, "", catalogtest.Table); err != nil {
		t.Error(err)
	}

	_, err = put(catalogtest.URN("urn:li:dataContract:second"), "", catalogtest.Table)
	wantRefused(t, "a second contract", err, catalog.Conflict, contract.String())
	_, err = put(contract, "", secondTable)
	wantRefused(t, "the contract of another dataset", err, catalog.Conflict, catalogtest.Table)
	_, err = put(model.URN{}, "agreed", secondTable)
	wantRefused(t, "the id of another contract", err, catalog.Conflict, catalogtest.Table)
	_, err = put(model.URN{}, "", absentTable)
	wantRefused(t, "an absent dataset", err, catalog.Invalid, "does not exist")
	_, err = put(model.URN{}, "", goneTable)
	wantRefused(t, "a soft-deleted dataset", err, catalog.Invalid, "is soft-deleted")
	_, err = put(model.URN{}, "", secondTable, "urn:li:assertion:gone")
	wantRefused(t, "a soft-deleted assertion", err, catalog.Invalid, "is soft-deleted")
	_, err = put(model.URN{}, "", secondTable, catalogtest.Table)
	wantRefused(t, "not an assertion", err, catalog.Invalid, "is not a assertion")
	_, err = put(catalogtest.URN(catalogtest.Ada), "", secondTable)
	wantRefused(t, "not a contract", err, catalog.Invalid, "is not a dataContract")
}
