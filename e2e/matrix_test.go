package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/headwater-io/headwater/access/policies"
	"github.com/headwater-io/headwater/access/policies/policyfile"
	"github.com/headwater-io/headwater/internal/testing/testclock"
	"github.com/headwater-io/headwater/internal/testing/testsize"
	"github.com/headwater-io/headwater/model"
)

// matrixPolicies are added to the policies of the first start.
const matrixPolicies = `
policies:
  - id: m-stewards
    name: Stewards of m
    allow: [EDIT_ENTITY_TAGS, EDIT_ENTITY_GLOSSARY_TERMS, EDIT_ENTITY_DOCS, EDIT_DATASET_COL_TAGS]
    who: {users: [m.steward]}
    on: {domains: [m]}
  - id: m-denied
    name: No edits
    deny: [EDIT_ENTITY, EDIT_ENTITY_TAGS, EDIT_ENTITY_DOCS, DELETE_ENTITY, CREATE_ENTITY]
    who: {users: [m.denied]}
  - id: m-blind
    name: Datasets are hidden
    deny: ["*"]
    who: {users: [m.blind]}
    on: {types: [dataset]}
  - id: m-keepers
    name: Keepers of tokens
    type: platform
    allow: [MANAGE_ACCESS_TOKENS, MANAGE_INGESTION]
    who: {users: [m.keeper]}
`

// matrixActor is a caller of the matrix.
type matrixActor struct {
	name  string
	roles []string
	// inGroup: a group gives the role Editor.
	inGroup bool
	// known: requests of the actor are answered at all.
	known bool
}

var matrixActors = []matrixActor{
	{name: "nobody"},
	{name: "m.suspended", roles: []string{"Admin"}},
	{name: "m.norole", known: true},
	{name: "m.reader", roles: []string{"Reader"}, known: true},
	{name: "m.editor", roles: []string{"Editor"}, known: true},
	{name: "m.grouped", inGroup: true, known: true},
	{name: "m.owner", known: true},
	{name: "m.steward", known: true},
	{name: "m.denied", roles: []string{"Editor"}, known: true},
	{name: "m.blind", roles: []string{"Editor"}, known: true},
	{name: "m.keeper", known: true},
	{name: "m.account", roles: []string{"Editor"}, known: true},
	{name: "m.admin", roles: []string{"Admin"}, known: true},
}

// blind may do much, and may not read datasets.
var blind = &matrixActors[slices.IndexFunc(matrixActors, func(a matrixActor) bool { return a.name == "m.blind" })]

// sampleActors are the actors who try every door also in the small size.
var sampleActors = []string{"nobody", "m.norole", "m.owner", "m.steward", "m.denied", "m.blind", "m.admin"}

func (a *matrixActor) urn() string { return "urn:li:corpuser:" + a.name }

// actor is the actor as the engine of policies knows it.
func (a *matrixActor) actor() policies.Actor {
	actor := policies.Actor{URN: a.urn()}
	for _, role := range a.roles {
		actor.Roles = append(actor.Roles, "urn:li:dataHubRole:"+role)
	}
	if a.inGroup {
		actor.Groups, actor.GroupRoles = []string{matrixGroup}, []string{"urn:li:dataHubRole:Editor"}
	}
	return actor
}

const (
	matrixGroup  = "urn:li:corpGroup:m.editors"
	matrixDomain = "urn:li:domain:m"
	matrixOther  = "urn:li:domain:m.other"
	matrixTag    = "urn:li:tag:m.tag"
	matrixOld    = "urn:li:tag:m.old"
	matrixTerm   = "urn:li:glossaryTerm:m.term"
	matrixUp     = "urn:li:dataset:(urn:li:dataPlatform:hive,m.upstream,PROD)"
)

// cell is one request of the matrix.
type cell struct {
	actor *matrixActor
	thing string
	name  string
}

// door is a way to ask for an operation.
type door struct {
	kind doorKind
	name string
	ask  func(c *cell) (method, target, body string)
}

type doorKind string

const (
	graphqlDoor doorKind = "GraphQL"
	restliDoor  doorKind = "Rest.li"
	openAPIDoor doorKind = "OpenAPI"
	toolDoor    doorKind = "tool"
)

// The ways in which a request can end.
const (
	done     = "done"
	refused  = "refused"
	absent   = "absent"
	stranger = "no known caller"
)

// verdict reads how a request ended. A refusal in the shape of another door does not count as a refusal.
func (k doorKind) verdict(status int, answer any) string {
	told := text(answer)
	if status == http.StatusUnauthorized && strings.Contains(told, "Unauthorized to perform this action.") {
		return stranger
	}
	code := at(answer, "status")
	switch k {
	case graphqlDoor:
		errors, _ := at(answer, "errors").([]any)
		switch code := at(answer, "errors", 0, "extensions", "code"); {
		case status == http.StatusOK && len(errors) == 0:
			return done
		case status == http.StatusOK && code == float64(http.StatusForbidden):
			return refused
		case status == http.StatusOK && (code == float64(http.StatusNotFound) || code == float64(http.StatusBadRequest)):
			return absent
		}
	case restliDoor:
		switch {
		case status >= 200 && status < 300:
			return done
		case status == http.StatusForbidden && code == float64(status) && strings.HasPrefix(fmt.Sprint(at(answer, "message")), "Unauthorized to perform this action."):
			return refused
		case status == http.StatusNotFound && code == float64(status):
			return absent
		}
	case openAPIDoor:
		switch {
		case status >= 200 && status < 300:
			return done
		case status == http.StatusForbidden && strings.Contains(told, "Unauthorized to perform this action."):
			return refused
		case status == http.StatusNotFound:
			return absent
		}
	case toolDoor:
		switch {
		case status == http.StatusOK && !strings.Contains(told, `"isError":true`):
			return done
		case status == http.StatusOK && strings.Contains(told, "Unauthorized to perform this action."):
			return refused
		case status == http.StatusOK:
			return absent
		}
	}
	return fmt.Sprintf("%d %.400s", status, told)
}

// matrix is a server with the actors.
type matrix struct {
	t       *testing.T
	nobody  *server
	system  *server
	callers map[string]*server
	set     *policies.Set
	cursor  string
	counts  map[string]int
}

// proposals writes aspects as the system client, in one request.
func (m *matrix) proposals(all [][3]string, run string) {
	m.t.Helper()
	for part := range slices.Chunk(all, 500) {
		var list []any
		for _, p := range part {
			list = append(list, map[string]any{
				"entityType": model.StoredURN(p[0]).EntityType(), "entityUrn": p[0], "changeType": "UPSERT", "aspectName": p[1],
				"aspect": map[string]string{"value": p[2], "contentType": "application/json"}, "systemMetadata": map[string]any{"runId": run, "lastObserved": 5},
			})
		}
		body, err := json.Marshal(map[string]any{"proposals": list})
		if err != nil {
			m.t.Fatal(err)
		}
		if status, answer := m.system.send(http.MethodPost, "/aspects?action=ingestProposalBatch", string(body)); status != http.StatusOK {
			m.t.Fatalf("%d %.1000s", status, text(answer))
		}
	}
}

func newMatrix(t *testing.T, flags []string) *matrix {
	t.Helper()
	m := &matrix{t: t, callers: map[string]*server{}, counts: map[string]int{}}
	m.nobody, m.system, _ = startKnowing(t, append(flags, "--platforms=false", "--mcp-writes", "--caller-rate", "0", "--webhook-private")...)
	stamp := `{"time":0,"actor":"urn:li:corpuser:m.admin"}`
	some := [][3]string{
		{matrixDomain, "domainProperties", `{"name":"m"}`},
		{matrixOther, "domainProperties", `{"name":"m other"}`},
		{matrixTag, "tagProperties", `{"name":"m.tag"}`},
		{matrixOld, "tagProperties", `{"name":"m.old"}`},
		{matrixTerm, "glossaryTermInfo", `{"name":"m.term","definition":"d","termSource":"INTERNAL"}`},
		{matrixUp, "datasetProperties", `{"name":"upstream"}`},
		{matrixGroup, "corpGroupInfo", `{"displayName":"m editors","admins":[],"members":[],"groups":[]}`},
		{matrixGroup, "roleMembership", `{"roles":["urn:li:dataHubRole:Editor"]}`},
		{"urn:li:structuredProperty:m", "propertyDefinition", `{"qualifiedName":"m","displayName":"m","valueType":"urn:li:dataType:datahub.string","entityTypes":["urn:li:entityType:datahub.dataset"]}`},
	}
	for i := range matrixActors {
		a := &matrixActors[i]
		some = append(some, [3]string{a.urn(), "corpUserInfo", `{"active":true,"displayName":"` + a.name + `"}`})
		if a.roles != nil {
			some = append(some, [3]string{a.urn(), "roleMembership", `{"roles":["urn:li:dataHubRole:` + a.roles[0] + `"]}`})
		}
		if a.inGroup {
			some = append(some, [3]string{a.urn(), "nativeGroupMembership", `{"nativeGroups":["` + matrixGroup + `"]}`})
		}
		if a.name == "m.account" {
			some = append(some, [3]string{a.urn(), "subTypes", `{"typeNames":["SERVICE_ACCOUNT"]}`})
		}
	}
	m.proposals(some, "matrix-actors")
	file, err := policyfile.Parse("matrix.yaml", []byte(matrixPolicies), nil)
	if err != nil {
		t.Fatal(err)
	}
	m.set = policies.Compile(slices.Concat(policyfile.Defaults(), file.Policies), time.Now())
	body, err := json.Marshal(map[string]string{"text": matrixPolicies})
	if err != nil {
		t.Fatal(err)
	}
	if status, answer := m.system.send(http.MethodPost, "/access/policies/apply", string(body)); status != http.StatusOK {
		t.Fatal(status, answer)
	}
	for i := range matrixActors {
		a := &matrixActors[i]
		if a.name == "nobody" {
			m.callers[a.name] = m.nobody
			continue
		}
		kind := "PERSONAL"
		if a.name == "m.account" {
			kind = "SERVICE_ACCOUNT"
		}
		made := m.system.graphQL(`mutation($in: CreateAccessTokenInput!) { createAccessToken(input: $in) { accessToken } }`,
			map[string]any{"in": map[string]any{"type": kind, "actorUrn": a.urn(), "duration": "ONE_DAY", "name": "matrix"}})
		m.callers[a.name] = m.nobody.bearer(fmt.Sprint(at(made, "createAccessToken", "accessToken")))
	}
	m.proposals([][3]string{{"urn:li:corpuser:m.suspended", "corpUserStatus", `{"status":"SUSPENDED","lastModified":` + stamp + `}`}}, "matrix-actors")
	return m
}

// cells returns the cells of an operation at one of its doors.
func (m *matrix) cells(o *operation, number int) []*cell {
	var found []*cell
	for i := range matrixActors {
		a := &matrixActors[i]
		if number > 0 && testsize.Of(0, 1) == 0 && !slices.Contains(sampleActors, a.name) {
			continue
		}
		name := fmt.Sprintf("%s.%s.%d", a.name, strings.ReplaceAll(o.name, " ", "-"), number)
		found = append(found, &cell{actor: a, thing: o.thing(name), name: name})
	}
	return found
}

// prepare writes the entities of all cells.
func (m *matrix) prepare(operations []operation) {
	m.t.Helper()
	var some [][3]string
	for i := range operations {
		for number := range operations[i].doors {
			for _, c := range m.cells(&operations[i], number) {
				if operations[i].prepare != nil {
					operations[i].prepare(m, c)
					continue
				}
				switch model.StoredURN(c.thing).EntityType() {
				case model.EntityDataset:
					some = append(some,
						[3]string{c.thing, "ownership", `{"owners":[{"owner":"urn:li:corpuser:m.owner","type":"DATAOWNER"}]}`},
						[3]string{c.thing, "domains", `{"domains":["` + matrixDomain + `"]}`},
						[3]string{c.thing, "globalTags", `{"tags":[{"tag":"` + matrixOld + `"}]}`},
						[3]string{c.thing, "schemaMetadata", `{"schemaName":"x","platform":"urn:li:dataPlatform:hive","version":0,"hash":"","platformSchema":{"com.linkedin.schema.OtherSchema":{"rawSchema":""}},"fields":[{"fieldPath":"id","nativeDataType":"int","type":{"type":{"com.linkedin.schema.NumberType":{}}}}]}`})
					if operations[i].name == "roll a run back" {
						m.proposals([][3]string{{c.thing, "datasetProperties", `{"description":"by a run"}`}}, "run-"+c.name)
					}
				case model.EntityCorpuser:
					some = append(some, [3]string{c.thing, "corpUserInfo", `{"active":true,"displayName":"victim"}`})
				}
			}
		}
	}
	m.proposals(some, "matrix-things")
}

// changes returns the changes in the log since the last call.
func (m *matrix) changes() []any {
	m.t.Helper()
	_, answer := m.system.send(http.MethodGet, "/events?limit=1000&from="+url.QueryEscape(m.cursor), "")
	m.cursor, _ = at(answer, "next").(string)
	events, _ := at(answer, "events").([]any)
	return events
}

// state is the stored state of a cell.
func (m *matrix) state(o *operation, c *cell) string {
	m.t.Helper()
	target := "/entitiesV2/" + url.PathEscape(c.thing)
	if o.aside != "" {
		target = o.aside
	}
	status, answer := m.system.send(http.MethodGet, target, "")
	return fmt.Sprint(status, momentOfAnswer.ReplaceAllString(text(answer), "0"))
}

// momentOfAnswer matches a moment in answers about entities that do not exist.
var momentOfAnswer = regexp.MustCompile(`\b\d{13}\b`)

// try makes a request, and compares the answer and the changes with the decision of the engine.
func (m *matrix) try(o *operation, d *door, c *cell) {
	m.t.Helper()
	want := refused
	switch {
	case !c.actor.known:
		want = stranger
	case o.allowed(m.set.Rights(c.actor.actor()), c):
		want = done
	case o.reads:
		want = absent
	}
	before := m.state(o, c)
	method, target, body := d.ask(c)
	headers := []string{"X-RestLi-Protocol-Version", "2.0.0"}
	if d.kind == toolDoor {
		headers = []string{"Accept", "application/json, text/event-stream"}
	}
	status, answer := m.callers[c.actor.name].send(method, target, body, headers...)
	got := d.kind.verdict(status, answer)
	changes, after := m.changes(), m.state(o, c)
	m.counts[want]++
	if o.reads && got == done && !strings.Contains(text(answer), `"fieldPath`) && !strings.Contains(text(answer), "columns") {
		got = absent // GraphQL and lists say nothing of a hidden entity
	}
	mayBeAbsent := c.actor.name == "m.blind" && want == refused && got == absent // a hidden entity does not exist for the actor
	if got != want && !mayBeAbsent {
		m.t.Errorf("%s by %s through %s: %s, want %s: %.600s", o.name, c.actor.name, d.name, got, want, text(answer))
	}
	changed := len(changes) > 0 || before != after
	if changed != (want == done && !o.reads && !o.keeps) {
		m.t.Errorf("%s by %s through %s (%s) changed something: %t %.600s", o.name, c.actor.name, d.name, want, changed, text(changes))
	}
}

// alike compares the answer about a hidden entity with the answer about an entity that does not exist:
// status, headers and body are the same except for the name.
func (m *matrix) alike(o *operation, d *door, actor *matrixActor) {
	m.t.Helper()
	tell := func(name string) string {
		method, target, body := d.ask(&cell{actor: actor, thing: o.thing(name), name: name})
		headers := []string{"X-RestLi-Protocol-Version", "2.0.0"}
		if d.kind == toolDoor {
			headers = []string{"Accept", "application/json, text/event-stream"}
		}
		status, answer, header, err := m.callers[actor.name].tryWith(httpClient, method, target, body, headers...)
		if err != nil {
			m.t.Fatal(err)
		}
		for _, varies := range []string{"Date", "X-Request-Id", "Traceparent"} {
			header.Del(varies)
		}
		return strings.ReplaceAll(fmt.Sprintln(status, header)+momentOfAnswer.ReplaceAllString(text(answer), "0"), name, "NAME")
	}
	stored, unknown := actor.name+".read.0", actor.name+".dead.0"
	if hidden, none := tell(stored), tell(unknown); hidden != none {
		m.t.Errorf("%s through %s is told of the hidden\n%.800s\nand of the unknown\n%.800s", o.name, d.name, hidden, none)
	}
}

// TestMatrix: every actor tries every operation, and the answer agrees with the policies. A refused request
// has the form of its door and changes nothing. Some actors try every door, all of them in the large size.
func TestMatrix(t *testing.T) {
	for _, b := range backends() {
		t.Run(b.name, func(t *testing.T) {
			m := newMatrix(t, b.flags(t))
			operations := slices.Concat(matrixOperations(), managedOperations())
			m.prepare(operations)
			_, answer := m.system.send(http.MethodGet, "/events?from=now", "")
			m.cursor, _ = at(answer, "next").(string)
			testclock.Await(t, "the policies hold", func() bool {
				status, _ := m.callers["m.blind"].send(http.MethodGet, "/aspects/"+url.PathEscape(matrixUp)+"?aspect=datasetProperties&version=0", "")
				return status == http.StatusNotFound
			})
			for i := range operations {
				o := &operations[i]
				for number := range o.doors {
					for _, c := range m.cells(o, number) {
						m.try(o, &o.doors[number], c)
					}
				}
			}
			for i := range operations {
				if o := &operations[i]; model.StoredURN(o.thing("x")).EntityType() == model.EntityDataset {
					for number := range o.doors {
						m.alike(o, &o.doors[number], blind)
					}
				}
			}
			t.Logf("%v", m.counts)
			for verdict, least := range map[string]int{done: 100, refused: 100, stranger: 40, absent: 4} {
				if m.counts[verdict] < least {
					t.Errorf("%d requests were to end as %q", m.counts[verdict], verdict)
				}
			}
			m.nobody.stop()
		})
	}
}
