package mcp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/lineage"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/model"
)

// TestDropOfATable: if a whole table is dropped, the entities that depend on it break.
func TestDropOfATable(t *testing.T) {
	c := sampled(t)
	session := client(t, c, false)
	answer, refused := ask(t, session, "impact", `{"of":"marts.orders","change":"drop","limit":200}`)
	if refused != "" {
		t.Fatal(refused)
	}
	orders, err := model.ParseURN(fmt.Sprint(answer["of"]))
	if err != nil {
		t.Fatal(err)
	}
	impact, err := c.Lineage.ImpactPage(context.Background(), lineage.ImpactRequest{Walk: lineage.WalkQuery{URN: orders}}, 0, 1000, lineage.ImpactParts{Owners: true})
	if err != nil {
		t.Fatal(err)
	}
	want, got := []any{}, []any{}
	for i := range impact.Rows {
		want = append(want, impact.Rows[i].URN)
	}
	for _, e := range itemsOf(answer, "entities") {
		got = append(got, e["urn"])
	}
	if diff := cmp.Diff(want, got); diff != "" || len(got) == 0 || answer["change"] != "drop" {
		t.Errorf("%v, %d entities (-want +got):\n%s", answer["change"], len(got), diff)
	}
	owners := itemsOf(answer, "owners")
	if len(owners) != len(impact.Owners) || owners[0]["email"] == nil {
		t.Errorf("the owners are %v", owners)
	}
}

// TestSearchNeverBare: if a search finds nothing, its answer says so. A sentence finds entities
// that have most of its words.
func TestSearchNeverBare(t *testing.T) {
	session := client(t, sampled(t), false)
	for arguments, says := range map[string]string{
		`{"query":"which tables contain customer emails?","types":["dataset"]}`: "4 of 16 entities have all of the words tables, customer, emails; the others lack those in missing",
		`{"query":"elephants and giraffes"}`:                                    "no entity has any of the words; try other words",
		`{"query":"elephants and giraffes","tags":["PII"]}`:                     "no entity that passes the filters has any of the words; try other words, or fewer filters",
		`{"query":"/q elephants"}`:                                              "nothing is found; try words",
		`{"query":"/q elephants","types":["tag"]}`:                              "nothing is found; try other words, or fewer filters",
		`{"types":["dashboard"],"platforms":["postgres"]}`:                      "no entity passes the filters; leave one out",
		`{"query":"customers"}`:                                                 "",
	} {
		answer, refused := ask(t, session, "search", arguments)
		if note, _ := answer["note"].(string); refused != "" || note != says {
			t.Errorf("%s: %q, %q", arguments, refused, note)
		}
		if found := len(itemsOf(answer, "entities")); (found > 0) != (says == "" || strings.Contains(says, "missing")) {
			t.Errorf("%s: %d entities", arguments, found)
		}
	}
}

// TestFoundColumns: the tool finds the columns that the room finds, with the owners of their
// datasets, and says which labels are about personal data.
func TestFoundColumns(t *testing.T) {
	rules := sampled(t)
	found, err := rules.Lineage.FindColumns(context.Background(), lineage.ColumnsRequest{Personal: true, Count: 10})
	if err != nil {
		t.Fatal(err)
	}
	answer, refused := ask(t, client(t, rules, false), "columns", `{"personal":true,"limit":10}`)
	columns := itemsOf(answer, "columns")
	if refused != "" || len(columns) == 0 || len(columns) != len(found.Columns) || !strings.Contains(fmt.Sprint(answer["note"]), "PII") {
		t.Fatalf("%s: %v", refused, answer)
	}
	owned := false
	for i, c := range columns {
		want := &found.Columns[i]
		owners, _ := c["owned_by"].([]any)
		if c["dataset"] != want.DatasetPath || c["path"] != want.Column.Path || c["downstreams"] != float64(want.Downstreams) || len(owners) != len(want.Owners) {
			t.Errorf("%v, want %+v", c, want)
		}
		owned = owned || len(owners) > 0 && strings.Contains(fmt.Sprint(owners[0]), "@")
	}
	if !owned {
		t.Error("no owner has an address")
	}
	if none, _ := ask(t, client(t, rules, false), "columns", `{"query":"elephants"}`); none["note"] != "no column is found; try other words, or fewer arguments" {
		t.Errorf("nothing found: %v", none)
	}
}

// TestPathsToADashboard: paths lead from a column to the dashboard that shows the column, and
// from the dashboard to the column.
func TestPathsToADashboard(t *testing.T) {
	session := client(t, sampled(t), false)
	last := map[string]string{}
	for arguments, direction := range map[string]string{
		`{"from":"orders.net_revenue","to":"Board overview","max_paths":1}`: "downstream",
		`{"from":"Board overview","to":"orders.net_revenue","max_paths":1}`: "upstream",
	} {
		answer, refused := ask(t, session, "paths", arguments)
		paths, _ := answer["paths"].([]any)
		if refused != "" || answer["direction"] != direction || answer["effect"] != nil || len(paths) != 1 {
			t.Fatalf("%s: %q %v", arguments, refused, answer)
		}
		var kinds []string
		for _, step := range itemsOf(object{"path": paths[0]}, "path") {
			u, err := model.ParseURN(fmt.Sprint(step["urn"]))
			if err != nil {
				t.Fatal(err)
			}
			kinds = append(kinds, u.EntityType())
		}
		last[direction] = strings.Join(kinds, " ")
	}
	if diff := cmp.Diff(map[string]string{
		"downstream": "schemaField schemaField schemaField schemaField dashboard",
		"upstream":   "dashboard schemaField schemaField schemaField schemaField",
	}, last); diff != "" {
		t.Error(diff)
	}
	answer, refused := ask(t, session, "paths", `{"from":"orders.net_revenue","to":"larkspur-lake/exports/board_pack"}`)
	if refused != "" || answer["effect"] != nil || answer["connected"] != true {
		t.Errorf("to what fails with the column: %q %v", refused, answer)
	}
	answer, refused = ask(t, session, "paths", `{"from":"orders.net_revenue","to":"marts.loyalty"}`)
	if refused != "" || answer["effect"] != "possible" || answer["connected"] != true {
		t.Errorf("to what may join on the column: %q %v", refused, answer)
	}
}

// TestPeople: people and groups are shown with the addresses at which they are reached. People
// are shown with their titles too, also as owners.
func TestPeople(t *testing.T) {
	c := sampled(t)
	for urn, aspect := range map[string][2]string{
		"urn:li:corpuser:nameless": {"corpUserInfo", `{"active":true,"title":"Clerk"}`},
		"urn:li:corpuser:ada.wren": {"corpUserEditableInfo", `{"title":"Chief Marketer","slack":"#ada","phone":"555-0100"}`},
		"urn:li:corpGroup:finance": {"corpGroupEditableInfo", `{"slack":"#finance"}`},
	} {
		u, err := model.ParseURN(urn)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Ingest(context.Background(), write.Proposal{
			EntityType: u.EntityType(), EntityURN: urn, AspectName: aspect[0], ChangeType: write.Upsert,
			Aspect: &write.GenericAspect{Value: json.RawMessage(aspect[1]), ContentType: "application/json"},
		}, catalog.WriteOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	session := client(t, c, false)
	answer, refused := ask(t, session, "entities", `{"names":["Sam Oduya","Ada Wren","urn:li:corpuser:nameless","urn:li:corpGroup:finance","marts.orders"]}`)
	if refused != "" {
		t.Fatal(refused)
	}
	got := map[any]object{}
	for _, e := range itemsOf(answer, "entities") {
		contact := object{}
		for _, member := range []string{"title", "department", "email", "slack", "phone", "manager"} {
			if e[member] != nil {
				contact[member] = e[member]
			}
		}
		got[e["name"]] = contact
	}
	if diff := cmp.Diff(map[any]object{
		"Sam Oduya":              {"title": "Analyst", "email": "sam.oduya@larkspur.example", "manager": "bela.norris"},
		"Ada Wren":               {"title": "Chief Marketer", "email": "ada.wren@larkspur.example", "slack": "#ada", "phone": "555-0100"},
		"nameless":               {"title": "Clerk"},
		"Finance":                {"email": "finance@larkspur.example", "slack": "#finance"},
		"analytics.marts.orders": {},
	}, got); diff != "" {
		t.Error(diff)
	}
	orders := itemsOf(answer, "entities")[4]
	if owner := itemsOf(orders, "owned_by")[0]; owner["name"] != "Bela Norris" || owner["title"] != "Analytics Engineer" || owner["email"] != "bela.norris@larkspur.example" {
		t.Errorf("the first owner is %v", owner)
	}
}

// TestThePast: entities and columns as of a moment are as they were then, and facts that are known
// only of today are left out.
func TestThePast(t *testing.T) {
	session := client(t, sampled(t), false)
	now, _ := ask(t, session, "columns", `{"dataset":"marts.orders","limit":100}`)
	then, refused := ask(t, session, "columns", `{"dataset":"marts.orders","as_of":"2100-01-01","limit":100}`)
	if diff := cmp.Diff(now["columns"], then["columns"]); diff != "" || refused != "" || then["as_of"] == nil || len(itemsOf(now, "columns")) == 0 {
		t.Errorf("%s: after all changes, the columns differ from those of now:\n%s", refused, diff)
	}
	answer, refused := ask(t, session, "entities", `{"names":["marts.orders"],"as_of":"2100-01-01"}`)
	entities := itemsOf(answer, "entities")
	if refused != "" || len(entities) != 1 || entities[0]["owners"] == nil || entities[0]["quality"] != nil {
		t.Errorf("%s: %v", refused, answer)
	}
	if reason := fmt.Sprint(answer["reason"]); !strings.Contains(reason, "are as of now") {
		t.Errorf("the reason is %q", reason)
	}
	before, refused := ask(t, session, "columns", `{"dataset":"marts.orders","as_of":"2001-01-01"}`)
	if refused != "" || !strings.Contains(fmt.Sprint(before["note"]), "nothing of it had been recorded") || len(itemsOf(before, "columns")) != 0 {
		t.Errorf("%s: %v", refused, before)
	}
	none, _ := ask(t, session, "entities", `{"names":["marts.orders"],"as_of":"2001-01-01"}`)
	if failed := itemsOf(none, "failed"); len(failed) != 1 || len(itemsOf(none, "entities")) != 0 {
		t.Errorf("before the first record: %v", none)
	}
	if _, refused := ask(t, session, "entities", `{"names":["marts.orders"],"as_of":"yesterday"}`); !strings.Contains(refused, "is not a moment") {
		t.Errorf("a wrong moment: %q", refused)
	}
}
