package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"

	"github.com/headwater-io/headwater/access/permit"
	"github.com/headwater-io/headwater/access/policies"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/model"
)

// operation is a kind of request with the rights that it needs. Its first door is tried by every actor.
type operation struct {
	name string
	// thing returns the entity of a cell.
	thing func(name string) string
	// wants are the writes, all of which must be permitted. platform are privileges of the server, of which one
	// is needed.
	wants    func(thing model.URN) []write.Want
	platform []string
	// reads: the operation reads the entity, and leaves out parts that the actor may not read.
	reads bool
	// aside is a change that is not in the change log.
	aside string
	// keeps: the operation changes nothing, whoever asks for it.
	keeps bool
	// prepare makes what the operation of a cell is about, if that is not written by default.
	prepare func(m *matrix, c *cell)
	doors   []door
}

// allowed asks the engine.
func (o *operation) allowed(rights *policies.Rights, c *cell) bool {
	resource := resourceOf(c.thing)
	if o.reads {
		return rights.Allows(policies.Group(policies.Read, resource.Type), resource)
	}
	if o.platform != nil && !rights.Allows(o.platform, nil) {
		return false
	}
	if o.wants == nil {
		return true
	}
	for _, w := range o.wants(model.StoredURN(c.thing)) {
		rule, resource := permit.RuleOf(&w), resourceOf(w.URN.String())
		switch {
		case rule.Platform != nil:
			if !rights.Allows(rule.Platform, nil) {
				return false
			}
		case rule.Together != nil:
			for _, privilege := range rule.Together {
				if !rights.Allows(append([]string{privilege}, rule.Any...), resource) {
					return false
				}
			}
		case !rights.Allows(rule.Any, resource):
			return false
		}
	}
	return true
}

// resourceOf returns the stored facts of an entity of a cell.
func resourceOf(urn string) *policies.Resource {
	r := &policies.Resource{Type: model.StoredURN(urn).EntityType(), URN: urn}
	if r.Type == model.EntityDataset && urn != matrixUp {
		r.Owners = []policies.Owner{{URN: "urn:li:corpuser:m.owner"}}
		r.Domains, r.Tags = []string{matrixDomain}, []string{matrixOld}
	}
	return r
}

func matrixTable(name string) string {
	return "urn:li:dataset:(urn:li:dataPlatform:hive," + name + ",PROD)"
}

func matrixUser(name string) string { return "urn:li:corpuser:victim." + name }

// edits returns the wants of an edit of one aspect.
func edits(aspect string, privileges ...string) func(model.URN) []write.Want {
	return func(u model.URN) []write.Want {
		return []write.Want{{URN: u, Aspect: aspect, Kind: write.Changes, Edit: true, Privileges: privileges}}
	}
}

// writes returns the wants of a whole value of one aspect.
func writes(aspect string, kind write.WantKind) func(model.URN) []write.Want {
	return func(u model.URN) []write.Want { return []write.Want{{URN: u, Aspect: aspect, Kind: kind}} }
}

// mutation is a door of GraphQL. In the text, %[1]q is the entity, and %[2]q the name of the cell.
func mutation(format string) door { return graphqlText("mutation { " + format + " }") }

func graphqlText(format string) door {
	return door{graphqlDoor, "GraphQL", func(c *cell) (method, target, body string) {
		asked, _ := json.Marshal(map[string]string{"query": fmt.Sprintf(format+"%.0[1]s%.0[2]s", c.thing, c.name)})
		return http.MethodPost, "/api/graphql", string(asked)
	}}
}

// tool is a door for agents. In the arguments, %[1]q is the entity.
func tool(name, arguments string) door {
	return door{toolDoor, "the tool " + name, func(c *cell) (method, target, body string) {
		return http.MethodPost, "/mcp", fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"`+name+`","arguments":`+arguments+`}}`, c.thing)
	}}
}

// request is a door of REST. In the target, %[1]s is the entity; in the body, %[1]q is, and %[2]q the name of the cell.
func request(kind doorKind, method, target, body string) door {
	return door{kind, method + " " + target, func(c *cell) (string, string, string) {
		return method, fmt.Sprintf(target+"%.0[1]s", url.QueryEscape(c.thing)), fmt.Sprintf(body+"%.0[1]s%.0[2]s", c.thing, c.name)
	}}
}

// proposal is the body of a proposal of properties.
func proposal(more string) string {
	return `{"proposal":{"entityType":"dataset","entityUrn":%[1]q,"changeType":"UPSERT","aspectName":"datasetProperties","aspect":{"contentType":"application/json","value":"{\"description\":\"new\"}"}}` + more + `}`
}

// matrixOperations returns the rows of the matrix.
func matrixOperations() []operation {
	const snapshot = `{"entity":{"value":{"com.linkedin.metadata.snapshot.DatasetSnapshot":{"urn":%[1]q,"aspects":[{"com.linkedin.dataset.DatasetProperties":{"description":"new"}}]}}}}`
	return []operation{
		{
			name: "read", thing: matrixTable, reads: true,
			doors: []door{
				graphqlText(`{ dataset(urn: %[1]q) { schemaMetadata { fields { fieldPath } } } }`),
				request(restliDoor, http.MethodGet, "/aspects/%[1]s?aspect=schemaMetadata&version=0", ""),
				request(restliDoor, http.MethodGet, "/entitiesV2/%[1]s", ""),
				request(openAPIDoor, http.MethodGet, "/openapi/v3/entity/dataset/%[1]s", ""),
				request(openAPIDoor, http.MethodGet, "/openapi/entities/v1/latest?urns=%[1]s", ""),
				tool("columns", `{"dataset":%[1]q}`),
			},
		},
		{
			name: "write properties", thing: matrixTable, wants: writes(model.AspectDatasetProperties, write.Changes),
			doors: []door{
				request(restliDoor, http.MethodPost, "/aspects?action=ingestProposal", proposal("")),
				request(restliDoor, http.MethodPost, "/aspects?action=ingestProposal", proposal(`,"async":"true"`)),
				request(restliDoor, http.MethodPost, "/entities?action=ingest", snapshot),
				request(openAPIDoor, http.MethodPost, "/openapi/v3/entity/dataset", `[{"urn":%[1]q,"datasetProperties":{"value":{"description":"new"}}}]`),
				request(openAPIDoor, http.MethodPost, "/openapi/v3/entity/dataset?async=true", `[{"urn":%[1]q,"datasetProperties":{"value":{"description":"new"}}}]`),
				request(openAPIDoor, http.MethodPost, "/openapi/v3/entity/generic?async=false", `{"dataset":[{"urn":%[1]q,"datasetProperties":{"value":{"description":"new"}}}]}`),
				request(openAPIDoor, http.MethodPost, "/openapi/v3/entity/dataset/%[1]s/datasetProperties?createIfNotExists=false", `{"value":{"description":"new"}}`),
				request(openAPIDoor, http.MethodPatch, "/openapi/v3/entity/dataset/%[1]s/datasetProperties", `[{"op":"add","path":"/customProperties/tier","value":"silver"}]`),
				request(openAPIDoor, http.MethodPost, "/openapi/entities/v1", `[{"entityType":"dataset","entityUrn":%[1]q,"aspect":{"__type":"DatasetProperties","description":"new"}}]`),
				request(openAPIDoor, http.MethodPost, "/openapi/platform/entities/v1", `[{"entityType":"dataset","entityUrn":%[1]q,"changeType":"UPSERT","aspectName":"datasetProperties","aspect":{"value":{"__type":"DatasetProperties","description":"new"},"contentType":"application/json"}}]`),
			},
		},
		{
			name: "write a profile", thing: matrixTable, wants: writes(model.AspectDatasetProfile, write.Changes),
			doors: []door{request(restliDoor, http.MethodPost, "/aspects?action=ingestProposal", `{"proposal":{"entityType":"dataset","entityUrn":%[1]q,"changeType":"UPSERT","aspectName":"datasetProfile","aspect":{"contentType":"application/json","value":"{\"timestampMillis\":1700000000000,\"rowCount\":7}"}}}`)},
		},
		{
			name: "write owners", thing: matrixTable, wants: writes(model.AspectOwnership, write.Changes),
			doors: []door{request(restliDoor, http.MethodPost, "/aspects?action=ingestProposal", `{"proposal":{"entityType":"dataset","entityUrn":%[1]q,"changeType":"UPSERT","aspectName":"ownership","aspect":{"contentType":"application/json","value":"{\"owners\":[]}"}}}`)},
		},
		{
			name: "describe", thing: matrixTable, wants: edits(model.AspectEditableDatasetProperties, "EDIT_ENTITY_DOCS"),
			doors: []door{
				mutation(`updateDescription(input: {description: "new", resourceUrn: %[1]q})`),
				request(restliDoor, http.MethodPost, "/entities?action=edit", `{"urn":%[1]q,"description":"new"}`),
				tool("set_description", `{"of":%[1]q,"description":"new"}`),
			},
		},
		{
			name: "tag", thing: matrixTable, wants: edits(model.AspectGlobalTags),
			doors: []door{
				mutation(`addTag(input: {tagUrn: "` + matrixTag + `", resourceUrn: %[1]q})`),
				request(restliDoor, http.MethodPost, "/entities?action=edit", `{"urn":%[1]q,"add":{"tags":["`+matrixTag+`"]}}`),
				tool("set_tags", `{"of":%[1]q,"add":["`+matrixTag+`"]}`),
			},
		},
		{
			name: "remove a tag", thing: matrixTable, wants: edits(model.AspectGlobalTags),
			doors: []door{mutation(`removeTag(input: {tagUrn: "` + matrixOld + `", resourceUrn: %[1]q})`)},
		},
		{
			name: "tag a column", thing: matrixTable, wants: edits(model.AspectEditableSchemaMetadata, "EDIT_DATASET_COL_TAGS"),
			doors: []door{mutation(`addTag(input: {tagUrn: "` + matrixTag + `", resourceUrn: %[1]q, subResource: "id", subResourceType: DATASET_FIELD})`)},
		},
		{
			name: "link a term", thing: matrixTable, wants: edits(model.AspectGlossaryTerms),
			doors: []door{mutation(`addTerm(input: {termUrn: "` + matrixTerm + `", resourceUrn: %[1]q})`), tool("set_terms", `{"of":%[1]q,"add":["`+matrixTerm+`"]}`)},
		},
		{
			name: "add an owner", thing: matrixTable, wants: edits(model.AspectOwnership),
			doors: []door{
				mutation(`addOwner(input: {ownerUrn: "urn:li:corpuser:m.reader", ownerEntityType: CORP_USER, resourceUrn: %[1]q})`),
				tool("set_owners", `{"of":%[1]q,"add":["urn:li:corpuser:m.reader"]}`),
			},
		},
		{
			name: "set the domain", thing: matrixTable, wants: edits(model.AspectDomains),
			doors: []door{mutation(`setDomain(entityUrn: %[1]q, domainUrn: "` + matrixOther + `")`)},
		},
		{
			name: "add lineage", thing: matrixTable, wants: func(u model.URN) []write.Want {
				return append(edits(model.AspectUpstreamLineage)(u), edits(model.AspectUpstreamLineage)(model.StoredURN(matrixUp))...)
			},
			doors: []door{mutation(`updateLineage(input: {edgesToAdd: [{downstreamUrn: %[1]q, upstreamUrn: "` + matrixUp + `"}], edgesToRemove: []})`)},
		},
		{
			name: "deprecate", thing: matrixTable, wants: edits(model.AspectDeprecation),
			doors: []door{mutation(`updateDeprecation(input: {urn: %[1]q, deprecated: true, note: "n"})`)},
		},
		{
			name: "set a property", thing: matrixTable, wants: edits(model.AspectStructuredProperties),
			doors: []door{
				mutation(`upsertStructuredProperties(input: {assetUrn: %[1]q, structuredPropertyInputParams: [{structuredPropertyUrn: "urn:li:structuredProperty:m", values: [{stringValue: "v"}]}]}) { properties { structuredProperty { urn } } }`),
				tool("set_properties", `{"of":%[1]q,"properties":[{"property":"urn:li:structuredProperty:m","texts":["v"]}]}`),
			},
		},
		{
			name: "delete softly", thing: matrixTable, wants: edits(model.AspectStatus),
			doors: []door{mutation(`batchUpdateSoftDeleted(input: {urns: [%[1]q], deleted: true})`)},
		},
		{
			name: "delete", thing: matrixTable, wants: writes(model.AspectDatasetKey, write.Deletes),
			doors: []door{
				request(restliDoor, http.MethodPost, "/entities?action=delete", `{"urn":%[1]q}`),
				request(openAPIDoor, http.MethodDelete, "/openapi/v3/entity/dataset/%[1]s", ""),
				request(openAPIDoor, http.MethodDelete, "/openapi/entities/v1?urns=%[1]s&soft=false", ""),
			},
		},
		{
			name: "delete an aspect", thing: matrixTable, wants: writes(model.AspectGlobalTags, write.Deletes),
			doors: []door{request(openAPIDoor, http.MethodDelete, "/openapi/v3/entity/dataset/%[1]s/globalTags", "")},
		},
		{
			name: "create a tag", thing: func(name string) string { return "urn:li:tag:" + name }, wants: writes(model.AspectTagProperties, write.Creates),
			doors: []door{mutation(`createTag(input: {id: %[2]q, name: %[2]q})`)},
		},
		{
			name: "create a policy", thing: matrixTable, platform: []string{"MANAGE_POLICIES"},
			doors: []door{
				mutation(`createPolicy(input: {type: METADATA, name: %[2]q, state: INACTIVE, privileges: ["EDIT_ENTITY"], actors: {allUsers: false, allGroups: false, resourceOwners: false}})`),
				request(restliDoor, http.MethodPost, "/access/policies/apply", `{"text":"policies: [{id: 'made.%[2]s', name: made, state: inactive, allow: [EDIT_ENTITY], who: {everybody: true}}]"}`),
				request(restliDoor, http.MethodPost, "/aspects?action=ingestProposal", `{"proposal":{"entityType":"dataHubPolicy","entityUrn":"urn:li:dataHubPolicy:raw.%[2]s","changeType":"UPSERT","aspectName":"dataHubPolicyInfo","aspect":{"contentType":"application/json","value":"{\"displayName\":\"d\",\"description\":\"d\",\"type\":\"METADATA\",\"state\":\"INACTIVE\",\"privileges\":[],\"actors\":{}}"}}}`),
			},
		},
		{
			name: "give a role", thing: matrixUser, wants: writes(model.AspectRoleMembership, write.Changes),
			doors: []door{
				request(restliDoor, http.MethodPost, "/aspects?action=ingestProposal", `{"proposal":{"entityType":"corpuser","entityUrn":%[1]q,"changeType":"UPSERT","aspectName":"roleMembership","aspect":{"contentType":"application/json","value":"{\"roles\":[\"urn:li:dataHubRole:Reader\"]}"}}}`),
				mutation(`batchAssignRole(input: {roleUrn: "urn:li:dataHubRole:Reader", actors: [%[1]q]})`),
			},
		},
		{
			name: "suspend a user", thing: matrixUser, wants: edits(model.AspectCorpUserStatus),
			doors: []door{mutation(`updateUserStatus(urn: %[1]q, status: SUSPENDED)`)},
		},
		{
			name: "remove a user", thing: matrixUser, wants: writes(model.AspectCorpUserKey, write.Deletes),
			doors: []door{mutation(`removeUser(urn: %[1]q)`)},
		},
		{
			name: "make a token of somebody", thing: matrixUser, platform: []string{"MANAGE_ACCESS_TOKENS"},
			doors: []door{mutation(`createAccessToken(input: {type: PERSONAL, actorUrn: %[1]q, duration: ONE_HOUR, name: "n"}) { accessToken }`)},
		},
		{
			name: "make a service account", thing: matrixTable, platform: []string{"MANAGE_SERVICE_ACCOUNTS"},
			doors: []door{mutation(`createServiceAccount(input: {displayName: %[2]q}) { urn }`)},
		},
		{
			name: "roll a run back", thing: matrixTable, platform: []string{"MANAGE_INGESTION"}, wants: writes(model.AspectDatasetProperties, write.Changes),
			doors: []door{request(restliDoor, http.MethodPost, "/runs?action=rollback", `{"runId":"run-%[2]s","dryRun":false,"safe":false}`)},
		},
		{
			name: "make a webhook", thing: matrixTable, platform: []string{"MANAGE_SYSTEM_OPERATIONS"}, aside: "/webhooks",
			doors: []door{request(restliDoor, http.MethodPost, "/webhooks", `{"id":"m","url":"http://127.0.0.1:1/"}`)},
		},
	}
}
