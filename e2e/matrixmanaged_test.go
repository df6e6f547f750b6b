package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/model"
)

// nobodyHolds is no privilege: an operation that needs it is refused to everybody.
const nobodyHolds = "HELD_BY_NOBODY"

// thingOf returns the entity of each cell, of one type.
func thingOf(entityType string) func(name string) string {
	return func(name string) string { return "urn:li:" + entityType + ":" + name }
}

// storedAs prepares the entity of a cell by one aspect.
func storedAs(aspect, value string) func(m *matrix, c *cell) {
	return func(m *matrix, c *cell) { m.proposals([][3]string{{c.thing, aspect, value}}, "matrix-things") }
}

// nothing prepares nothing.
func nothing(*matrix, *cell) {}

// withSecret prepares the secret of a cell.
func withSecret(m *matrix, c *cell) {
	m.system.graphQL(`mutation($in: CreateSecretInput!) { createSecret(input: $in) }`, map[string]any{"in": map[string]any{"name": c.name, "value": "v"}})
}

// rawDoors are doors through which an aspect of the entity of a cell is written as it is. The value is JSON in
// which %[1]s is the entity.
func rawDoors(entityType, aspect, value string) []door {
	valued := func(kind doorKind, target string, body func(c *cell, value string) any) door {
		return door{kind, target + " of " + aspect, func(c *cell) (string, string, string) {
			return http.MethodPost, target, text(body(c, fmt.Sprintf(value+"%.0[1]s", c.thing)))
		}}
	}
	return []door{
		valued(restliDoor, "/aspects?action=ingestProposal", func(c *cell, value string) any {
			return map[string]any{"proposal": map[string]any{
				"entityType": entityType, "entityUrn": c.thing, "changeType": "UPSERT", "aspectName": aspect,
				"aspect": map[string]string{"contentType": "application/json", "value": value},
			}}
		}),
		valued(openAPIDoor, "/openapi/v3/entity/"+entityType+"?async=false", func(c *cell, value string) any {
			return []any{map[string]any{"urn": c.thing, aspect: map[string]any{"value": json.RawMessage(value)}}}
		}),
	}
}

// deleteDoors are doors through which the entity of a cell is deleted.
func deleteDoors(entityType string) []door {
	return []door{
		request(restliDoor, http.MethodPost, "/entities?action=delete", `{"urn":%[1]q}`),
		request(openAPIDoor, http.MethodDelete, "/openapi/v3/entity/"+entityType+"/%[1]s", ""),
	}
}

// managedOperations returns the rows of the matrix about what people manage in the catalog besides metadata:
// secrets, posts, saved views and settings.
func managedOperations() []operation {
	const (
		stamp   = `{"time":0,"actor":"urn:li:corpuser:somebody"}`
		post    = `{"type":"HOME_PAGE_ANNOUNCEMENT","content":{"type":"TEXT","title":"t"},"created":0,"lastModified":0}`
		created = `"definition":{"entityTypes":[],"filter":{"or":[]}},"created":` + stamp + `,"lastModified":` + stamp + `}`
		global  = `{"name":"v","type":"GLOBAL",` + created
		others  = `{"name":"v","type":"PERSONAL",` + created
	)
	with := func(first door, more ...door) []door { return append([]door{first}, more...) }
	return []operation{
		{
			name: "make a secret", thing: thingOf(model.EntityDataHubSecret), prepare: nothing, platform: []string{"MANAGE_SECRETS"},
			doors: []door{mutation(`createSecret(input: {name: %[2]q, value: "v"})`)},
		},
		{
			name: "change a secret", thing: thingOf(model.EntityDataHubSecret), prepare: withSecret, platform: []string{"MANAGE_SECRETS"},
			doors: []door{mutation(`updateSecret(input: {urn: %[1]q, name: %[2]q, value: "w"})`)},
		},
		{
			name: "delete a secret", thing: thingOf(model.EntityDataHubSecret), prepare: withSecret, platform: []string{"MANAGE_SECRETS"},
			doors: with(mutation(`deleteSecret(urn: %[1]q)`), deleteDoors(model.EntityDataHubSecret)...),
		},
		{
			name: "list secrets", thing: thingOf(model.EntityDataHubSecret), prepare: nothing, platform: []string{"MANAGE_SECRETS"}, keeps: true,
			doors: []door{graphqlText(`{ listSecrets(input: {}) { total } }`)},
		},
		{
			name: "read the value of a secret", thing: thingOf(model.EntityDataHubSecret), prepare: withSecret, platform: []string{nobodyHolds}, keeps: true,
			doors: []door{graphqlText(`{ getSecretValues(input: {secrets: [%[2]q]}) { value } }`)},
		},
		{
			name: "make a post", thing: thingOf(model.EntityPost), prepare: nothing, wants: writes(model.AspectPostInfo, write.Creates),
			doors: with(mutation(`createPost(input: {postType: HOME_PAGE_ANNOUNCEMENT, content: {contentType: TEXT, title: %[2]q}})`),
				rawDoors(model.EntityPost, model.AspectPostInfo, post)...),
		},
		{
			name: "change a post", thing: thingOf(model.EntityPost), prepare: storedAs(model.AspectPostInfo, post), wants: writes(model.AspectPostInfo, write.Changes),
			doors: []door{mutation(`updatePost(input: {urn: %[1]q, postType: HOME_PAGE_ANNOUNCEMENT, content: {contentType: TEXT, title: "new"}})`)},
		},
		{
			name: "delete a post", thing: thingOf(model.EntityPost), prepare: storedAs(model.AspectPostInfo, post), wants: writes("postKey", write.Deletes),
			doors: with(mutation(`deletePost(urn: %[1]q)`), deleteDoors(model.EntityPost)...),
		},
		{
			name: "make a view for everybody", thing: thingOf(model.EntityDataHubView), prepare: nothing, platform: []string{"MANAGE_GLOBAL_VIEWS"},
			doors: with(mutation(`createView(input: {viewType: GLOBAL, name: %[2]q, definition: {entityTypes: [], filter: {operator: AND, filters: []}}}) { urn }`),
				rawDoors(model.EntityDataHubView, model.AspectDataHubViewInfo, global)...),
		},
		{
			name: "change a view for everybody", thing: thingOf(model.EntityDataHubView), prepare: storedAs(model.AspectDataHubViewInfo, global), platform: []string{"MANAGE_GLOBAL_VIEWS"},
			doors: []door{mutation(`updateView(urn: %[1]q, input: {name: "new"}) { urn }`)},
		},
		{
			name: "change the view of another", thing: thingOf(model.EntityDataHubView), prepare: storedAs(model.AspectDataHubViewInfo, others), wants: writes(model.AspectDataHubViewInfo, write.Changes),
			doors: []door{mutation(`updateView(urn: %[1]q, input: {name: "new"}) { urn }`)},
		},
		{
			name: "delete the view of another", thing: thingOf(model.EntityDataHubView), prepare: storedAs(model.AspectDataHubViewInfo, others), wants: writes("dataHubViewKey", write.Deletes),
			doors: with(mutation(`deleteView(urn: %[1]q)`), deleteDoors(model.EntityDataHubView)...),
		},
		{
			// The view of the cell becomes the default, so each permitted request changes something.
			name: "set the view for everybody", thing: thingOf(model.EntityDataHubView), prepare: storedAs(model.AspectDataHubViewInfo, global), platform: []string{"MANAGE_GLOBAL_VIEWS", "MANAGE_GLOBAL_SETTINGS"},
			doors: []door{mutation(`updateGlobalViewsSettings(input: {defaultView: %[1]q})`)},
		},
		{
			name: "write the settings for everybody", thing: thingOf(model.EntityDataHubView), prepare: storedAs(model.AspectDataHubViewInfo, global), platform: []string{"MANAGE_GLOBAL_SETTINGS"},
			doors: []door{request(restliDoor, http.MethodPost, "/aspects?action=ingestProposal", `{"proposal":{"entityType":"globalSettings","entityUrn":"urn:li:globalSettings:0","changeType":"UPSERT","aspectName":"globalSettingsInfo","aspect":{"contentType":"application/json","value":"{\"views\":{\"defaultView\":\"%[1]s\"}}"}}}`)},
		},
		{
			name: "set the settings of another", thing: matrixUser, wants: writes(model.AspectCorpUserSettings, write.Changes),
			doors: rawDoors(model.EntityCorpuser, model.AspectCorpUserSettings, `{"appearance":{"showSimplifiedHomepage":true}}`),
		},
	}
}
