package e2e

import (
	"strings"

	"github.com/headwater-io/headwater/internal/limits"
)

// clientSteps come last. They are the requests of client packages that are not about
// entities: ingestion sources, version sets, roles, tokens, connections, and operations
// that are refused.
var clientSteps = []graphStep{
	// Ingestion sources and their executions.
	{`mutation { updateIngestionSource(urn: @source, input: {name: "Gql nightly", type: "snowflake", schedule: {interval: "0 0 * * *", timezone: "UTC"}, config: {recipe: "{\"source\":{\"type\":\"snowflake\"}}", executorId: "default"}}) }`, `@source`, 0},
	{`mutation { updateIngestionSource(urn: @source, input: {name: "Gql nightly", type: "snowflake", schedule: {interval: "0 0 * *", timezone: "UTC"}, config: {recipe: "{\"source\":{\"type\":\"snowflake\"}}", executorId: "default"}}) }`, ``, 400},
	{`mutation { updateIngestionSource(urn: @source, input: {name: "Gql nightly", type: "snowflake", config: {recipe: "{}", executorId: "default"}}) }`, ``, 400},
	{`mutation { createIngestionSource(input: {name: "Gql", type: "snowflake", config: {recipe: "{}", executorId: "default"}}) }`, ``, 400},
	{`{ ingestionSource(urn: @source) { name type schedule { interval timezone } config { recipe executorId } executions { total executionRequests { id result { status } } } } }`, `{"name":"Gql nightly","type":"snowflake","schedule":{"interval":"0 0 * * *","timezone":"UTC"},"config":{"recipe":"{\"source\":{\"type\":\"snowflake\"}}","executorId":"default"},"executions":{"total":1,"executionRequests":[{"id":"gqlrun","result":{"status":"SUCCESS"}}]}}`, 0},
	{`mutation { createIngestionSource(input: {name: "Gql", type: "snowflake", config: {recipe: "{\"source\":{\"type\":\"snowflake\"}}", executorId: "default"}}) }`, `*`, 0},
	{`mutation { createIngestionExecutionRequest(input: {ingestionSourceUrn: @orders}) }`, ``, 400},
	{`mutation { createIngestionExecutionRequest(input: {ingestionSourceUrn: @nosource}) }`, ``, 404},
	{`mutation { cancelIngestionExecutionRequest(input: {ingestionSourceUrn: "", executionRequestUrn: @asked}) }`, `@asked`, 0},
	{`mutation { cancelIngestionExecutionRequest(input: {ingestionSourceUrn: @source, executionRequestUrn: @run}) }`, ``, 409},
	{`mutation { createTestConnectionRequest(input: {recipe: "{}"}) }`, ``, 400},
	{`mutation { createTestConnectionRequest(input: {recipe: "{\"source\":{\"type\":\"snowflake\"}}"}) }`, `*`, 0},
	{`{ listExecutionRequests(input: {filters: [{field: "ingestionSource", values: [@source]}]}) { total executionRequests { urn source { urn } } } }`, `{"total":1,"executionRequests":[{"urn":@run,"source":{"urn":@source}}]}`, 0},
	{`{ listExecutionRequests(input: {start: -1}) { total } }`, ``, 400},
	{`{ ingestionSource(urn: @orders) { urn } }`, ``, 400},
	{`{ listIngestionSources(input: {filters: [{field: "name", values: ["Gql nightly"]}]}) { total ingestionSources { urn } } }`, `{"total":1,"ingestionSources":[{"urn":@source}]}`, 0},
	{`{ listIngestionSources(input: {start: -1}) { total } }`, ``, 400},
	{`{ executionRequest(urn: @run) { id input { task source { ingestionSource } } result { status } } }`, `{"id":"gqlrun","input":{"task":"RUN_INGEST","source":{"ingestionSource":@source}},"result":{"status":"SUCCESS"}}`, 0},
	{`{ executionRequest(urn: @orders) { urn } }`, ``, 400},
	{`mutation { createIngestionExecutionRequest(input: {ingestionSourceUrn: @source}) }`, `*`, 0},
	{`mutation { deleteIngestionSource(urn: @source) }`, `@source`, 0},
	{`mutation { deleteIngestionSource(urn: @source) }`, ``, 404},

	// Version sets.
	{`mutation { linkAssetVersion(input: {versionSet: @versions, linkedEntity: @raw, version: "1"}) { urn latestVersion { urn } } }`, `{"urn":@versions,"latestVersion":{"urn":@raw}}`, 0},
	{`mutation { linkAssetVersion(input: {versionSet: @versions, linkedEntity: @customers, version: "2"}) { latestVersion { urn } } }`, `{"latestVersion":{"urn":@customers}}`, 0},
	{`{ versionSet(urn: @versions) { urn latestVersion { urn } } }`, `{"urn":@versions,"latestVersion":{"urn":@customers}}`, 0},
	{`mutation { unlinkAssetVersion(input: {versionSet: @versions, unlinkedEntity: @customers}) { latestVersion { urn } } }`, `{"latestVersion":{"urn":@raw}}`, 0},
	{`mutation { linkAssetVersion(input: {versionSet: @orders, linkedEntity: @raw, version: "1"}) { urn } }`, ``, 400},
	{`mutation { unlinkAssetVersion(input: {versionSet: @versions}) { urn } }`, ``, 400},
	{`{ versionSet(urn: @orders) { urn } }`, ``, 400},

	// Roles, tokens, connections, dynamic assignments of forms.
	{`mutation { batchAssignRole(input: {roleUrn: @role, actors: [@bob]}) }`, `true`, 0},
	{`mutation { batchAssignRole(input: {roleUrn: @role, actors: [@orders]}) }`, ``, 400},
	{`mutation { revokeAccessToken(tokenId: "gqltoken") }`, `true`, 0},
	{`mutation { revokeAccessToken(tokenId: "gqltoken") }`, ``, 404},
	{`{ connection(urn: @connection) { details { type name } } }`, `{"details":{"type":"JSON","name":"Gql"}}`, 0},
	{`{ connection(urn: @orders) { urn } }`, ``, 400},
	{`mutation { createForm(input: {id: "gqldynamic", name: "Dynamic", type: COMPLETION}) { urn } }`, `{"urn":@dynamic}`, 0},
	{`mutation { createDynamicFormAssignment(input: {formUrn: @dynamic, orFilters: [{and: [{field: "platform", values: ["hive"]}]}]}) }`, `true`, 0},
	{`mutation { createDynamicFormAssignment(input: {formUrn: @noform, orFilters: [{and: [{field: "platform", values: ["hive"]}]}]}) }`, ``, 404},

	// Secrets, settings and announcements.
	{`mutation { createSecret(input: {name: "gqlsecret", value: "b", description: "d"}) }`, `"urn:<ns>:dataHubSecret:gqlsecret"`, 0},
	{`mutation { createSecret(input: {name: "gqlsecret", value: "b"}) }`, ``, 409},
	{`{ listSecrets(input: {query: "gqlsecret"}) { total secrets { urn name description } } }`, `{"total":1,"secrets":[{"urn":"urn:<ns>:dataHubSecret:gqlsecret","name":"gqlsecret","description":"d"}]}`, 0},
	{`{ listSecrets(input: {start: -1}) { total } }`, ``, 400},
	{`mutation { updateSecret(input: {urn: "urn:<ns>:dataHubSecret:gqlsecret", name: "gqlsecret", value: "c"}) }`, `"urn:<ns>:dataHubSecret:gqlsecret"`, 0},
	{`mutation { updateSecret(input: {urn: "urn:<ns>:dataHubSecret:gqlsecret", name: "other", value: "c"}) }`, ``, 400},
	{`{ getSecretValues(input: {secrets: ["gqlsecret", "gqlnone"]}) { name value } }`, `[{"name":"gqlsecret","value":"c"}]`, 0},
	{`{ getSecretValues(input: {secrets: [` + strings.Repeat(`"n",`, limits.MaxSecretsRead) + `"n"]}) { name } }`, ``, 400},
	{`mutation { deleteSecret(urn: "urn:<ns>:dataHubSecret:gqlsecret") }`, `"urn:<ns>:dataHubSecret:gqlsecret"`, 0},
	{`mutation { deleteSecret(urn: "urn:<ns>:dataHubSecret:gqlsecret") }`, ``, 404},
	{`mutation { updateDocPropagationSettings(input: {docColumnPropagation: true}) }`, `true`, 0},
	{`{ docPropagationSettings { docColumnPropagation } }`, `{"docColumnPropagation":true}`, 0},
	{`mutation { updateApplicationsSettings(input: {enabled: true}) }`, `true`, 0},
	{`{ globalHomePageSettings { defaultTemplate { urn } } }`, `{"defaultTemplate":null}`, 0},
	{`mutation { updateUserHomePageSettings(input: {newDismissedAnnouncements: ["urn:<ns>:post:gqlread"]}) }`, `true`, 0},
	{`mutation { updateUserHomePageSettings(input: {pageTemplate: @orders}) }`, ``, 400},
	{`mutation { updateCorpUserLocaleSettings(input: {language: "de"}) }`, `true`, 0},
	{`mutation { updateCorpUserLocaleSettings(input: {language: "a language with a very long name and tag"}) }`, ``, 400},
	{`mutation { createPost(input: {postType: ENTITY_ANNOUNCEMENT, content: {contentType: TEXT, title: "Gqllate"}, resourceUrn: @raw}) }`, `true`, 0},
	{`{ listPosts(input: {resourceUrn: @raw}) { total posts { postType content { title } } } }`, `{"total":1,"posts":[{"postType":"ENTITY_ANNOUNCEMENT","content":{"title":"Gqllate"}}]}`, 0},
	{`mutation { updatePost(input: {urn: @orders, postType: HOME_PAGE_ANNOUNCEMENT, content: {contentType: TEXT, title: "t"}}) }`, ``, 400},

	// Missing features are refused with a reason, see neverWork.
	{`{ semanticSearchAcrossEntities(input: {query: "*"}) { total } }`, ``, 400},
	{`{ getInviteToken(input: {}) { inviteToken } }`, ``, 400},
	{`{ getAccessTokenMetadata(token: "x") { id } }`, ``, 400},
	{`{ getAccessToken(input: {type: PERSONAL, actorUrn: @ada, duration: ONE_HOUR}) { accessToken } }`, ``, 400},
	{`mutation { createInviteToken(input: {}) { inviteToken } }`, ``, 400},
	{`mutation { acceptRole(input: {inviteToken: "x"}) }`, ``, 400},
	{`mutation { createNativeUserResetToken(input: {userUrn: @ada}) { resetToken } }`, ``, 400},
	{`mutation { createServiceAccount(input: {displayName: "gqlrobot"}) { displayName } }`, `{"displayName":"gqlrobot"}`, 0},
	{`mutation { deleteServiceAccount(urn: @ada) }`, ``, 400},
	{`mutation { updateServiceAccountDefaultView(input: {urn: @ada}) }`, ``, 400},
	{`{ listServiceAccounts(input: {query: "gqlrobotnone"}) { total serviceAccounts { urn } } }`, `{"total":0,"serviceAccounts":[]}`, 0},
	{`{ listServiceAccounts(input: {start: -1}) { total } }`, ``, 400},
	{`{ getServiceAccount(urn: @ada) { urn } }`, `null`, 0},
	{`{ getServiceAccount(urn: "x") { urn } }`, ``, 400},
	{`{ auditTrail(input: {actor: "urn:li:corpuser:gqlnobody"}) { entries { kind } } }`, `{"entries":[]}`, 0},
	{`{ auditTrail(input: {limit: 5000}) { entries { kind } } }`, ``, 400},
	{`mutation { createAccessToken(input: {type: PERSONAL, actorUrn: @ada, duration: ONE_HOUR, name: "n"}) { accessToken } }`, ``, 400},
	{`mutation { runAssertion(urn: @assertion) { type } }`, ``, 400},
	{`mutation { runAssertions(urns: [@assertion]) { passingCount } }`, ``, 400},
	{`mutation { runAssertionsForAsset(urn: @orders) { passingCount } }`, ``, 400},
	{`mutation { upsertConnection(input: {id: "gqlconnection", type: JSON, platformUrn: @hive, json: {blob: "{}"}}) { details { json { blob } } } }`, `{"details":{"json":{"blob":"{}"}}}`, 0},
	{`mutation { upsertConnection(input: {id: "gqlother", type: JSON, platformUrn: @hive}) { urn } }`, ``, 400},
	{`{ connection(urn: "urn:<ns>:dataHubConnection:gqlconnection") { platform { urn } } }`, `{"platform":{"urn":@hive}}`, 0},
}

// neverWork are operations that clients know and this server refuses: it runs nothing,
// issues no tokens and does not search by meaning.
var neverWork = []string{
	"semanticSearchAcrossEntities", "getInviteToken", "createAccessToken", "getAccessTokenMetadata", "getAccessToken", "createInviteToken", "acceptRole", "createNativeUserResetToken",
	// The answer of createPolicy is a random URN; gql/policies_test.go tests it.
	"createPolicy",
	// These mutations need the URN of a service account, which has a random id; gql/serviceaccounts_test.go tests them.
	"deleteServiceAccount", "updateServiceAccountDefaultView",
	"runAssertion", "runAssertions", "runAssertionsForAsset",
}
