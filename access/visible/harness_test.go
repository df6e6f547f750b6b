package visible_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/headwater-io/headwater/access/permit"
	"github.com/headwater-io/headwater/access/policies"
	"github.com/headwater-io/headwater/access/visible"
	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/internal/testing/testseed"
	"github.com/headwater-io/headwater/internal/testing/testsize"
	"github.com/headwater-io/headwater/model"
)

// piet is the actor of the tests.
const piet = "urn:li:corpuser:piet"

// secret is of a type of which piet sees nothing whatever the policies are. Lineage names it as its actor.
const secret = "urn:li:dataHubSecret:s0"

// technical is a type of ownership.
const technical = "urn:li:ownershipType:__system__technical_owner"

// chosenSets returns the names of the policy sets that a test tries: four at random, different ones in each
// run; all in the large size and when a run is repeated with its seed.
func chosenSets(t *testing.T) []string {
	t.Helper()
	names := slices.Sorted(maps.Keys(policySets))
	if os.Getenv(testseed.Variable) != "" {
		return names
	}
	testseed.Rand(t, 1).Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	return names[:testsize.Of(4, len(names))]
}

// thing is an entity of a random catalog.
type thing struct {
	urn                   string
	upstreams             []string
	owner, domain, parent string
	container, tag        string
	ownerType             string
}

// things makes a random catalog. Each entity names only earlier ones as its place, and any as its upstreams.
func things(r *rand.Rand, datasets int) []thing {
	var all []thing
	pick := func(from []string) string {
		if r.IntN(3) == 0 {
			return ""
		}
		return from[r.IntN(len(from))]
	}
	var domains, containers, tags, users []string
	for i := range 5 {
		d := thing{urn: fmt.Sprintf("urn:li:domain:d%d", i)}
		if len(domains) > 0 {
			d.parent = pick(domains)
		}
		domains, all = append(domains, d.urn), append(all, d)
	}
	for i := range 3 {
		tags = append(tags, fmt.Sprintf("urn:li:tag:t%d", i))
		users = append(users, fmt.Sprintf("urn:li:corpuser:u%d", i))
		all = append(all, thing{urn: tags[i]}, thing{urn: users[i]})
	}
	users, all = append(users, piet), append(all, thing{urn: piet}, thing{urn: technical}, thing{urn: secret})
	for i := range 4 {
		c := thing{urn: fmt.Sprintf("urn:li:container:c%d", i), domain: pick(domains)}
		if len(containers) > 0 {
			c.container = pick(containers)
		}
		containers, all = append(containers, c.urn), append(all, c)
	}
	var urns []string
	for i := range datasets {
		urns = append(urns, fmt.Sprintf("urn:li:dataset:(urn:li:dataPlatform:hive,x%d,PROD)", i))
	}
	for i, urn := range urns {
		d := thing{urn: urn, owner: pick(users), domain: pick(domains), container: pick(containers), tag: pick(tags)}
		d.ownerType = []string{"", technical}[r.IntN(2)]
		for range r.IntN(3) {
			if up := urns[r.IntN(len(urns))]; up != urns[i] && !slices.Contains(d.upstreams, up) {
				d.upstreams = append(d.upstreams, up)
			}
		}
		all = append(all, d)
	}
	return all
}

// without returns a catalog without hidden entities, and without the names of hidden entities.
func without(all []thing, hidden map[string]bool) []thing {
	var left []thing
	for _, t := range all {
		if hidden[t.urn] {
			continue
		}
		t.upstreams = slices.DeleteFunc(slices.Clone(t.upstreams), func(urn string) bool { return hidden[urn] })
		for _, at := range []*string{&t.owner, &t.domain, &t.parent, &t.container, &t.tag} {
			if hidden[*at] {
				*at = ""
			}
		}
		left = append(left, t)
	}
	return left
}

// write writes a catalog. It also writes empty lists, which stand for lists whose entities are all hidden.
func write(h *catalogtest.SearchHarness, all, whole []thing) {
	named := map[string]thing{}
	for _, t := range whole {
		named[t.urn] = t
	}
	actor := "urn:li:corpuser:nobody"
	if slices.ContainsFunc(all, func(t thing) bool { return t.urn == secret }) {
		actor = secret
	}
	for _, t := range all {
		was := named[t.urn]
		run := fmt.Sprintf("run%d", len(t.urn)%3)
		say := func(aspect, value string) { h.Run(run, t.urn, aspect, value) }
		list := func(had, has bool, aspect, empty, value string) {
			if has {
				say(aspect, value)
			} else if had && empty != "" {
				say(aspect, empty)
			}
		}
		if typeOf(t.urn) == "dataHubSecret" {
			continue // only a server can encrypt its value
		}
		if typeOf(t.urn) != "domain" && typeOf(t.urn) != "tag" {
			say("status", `{"removed":false}`)
		}
		switch typeOf(t.urn) {
		case "domain":
			value := fmt.Sprintf(`{"name":%q}`, name(t.urn))
			if t.parent != "" {
				value = fmt.Sprintf(`{"name":%q,"parentDomain":%q}`, name(t.urn), t.parent)
			}
			say("domainProperties", value)
		case "ownershipType":
			say("ownershipTypeInfo", `{"name":"technical","created":{"time":0,"actor":"urn:li:corpuser:nobody"},"lastModified":{"time":0,"actor":"urn:li:corpuser:nobody"}}`)
		case "tag":
			say("tagProperties", fmt.Sprintf(`{"name":%q}`, name(t.urn)))
		case "corpuser":
			say("corpUserInfo", fmt.Sprintf(`{"active":true,"displayName":%q}`, name(t.urn)))
		case "container":
			say("containerProperties", fmt.Sprintf(`{"name":%q}`, name(t.urn)))
		case "dataset":
			say("datasetProperties", fmt.Sprintf(`{"name":"table %s"}`, name(t.urn)))
			say("schemaMetadata", `{"schemaName":"x","platform":"urn:li:dataPlatform:hive","version":0,"hash":"","platformSchema":{"com.linkedin.schema.OtherSchema":{"rawSchema":""}},"fields":[{"fieldPath":"a","nativeDataType":"int","type":{"type":{"com.linkedin.schema.NumberType":{}}}}]}`)
			say("datasetProfile", `{"timestampMillis":1700000000000,"rowCount":7}`)
			var ups []string
			for _, up := range t.upstreams {
				ups = append(ups, fmt.Sprintf(`{"dataset":%q,"type":"VIEW","auditStamp":{"time":0,"actor":%q}}`, up, actor))
			}
			list(len(was.upstreams) > 0, len(ups) > 0, "upstreamLineage", `{"upstreams":[]}`, `{"upstreams":[`+strings.Join(ups, ",")+`]}`)
		}
		owner := fmt.Sprintf(`{"owner":%q,"type":"TECHNICAL_OWNER"`, t.owner)
		if t.ownerType != "" {
			owner += fmt.Sprintf(`,"typeUrn":%q`, t.ownerType)
		}
		list(was.owner != "", t.owner != "", "ownership", `{"owners":[]}`, `{"owners":[`+owner+`}]}`)
		list(was.domain != "", t.domain != "", "domains", `{"domains":[]}`, fmt.Sprintf(`{"domains":[%q]}`, t.domain))
		list(was.container != "", t.container != "", "container", "", fmt.Sprintf(`{"container":%q}`, t.container))
		list(was.tag != "", t.tag != "", "globalTags", `{"tags":[]}`, fmt.Sprintf(`{"tags":[{"tag":%q}]}`, t.tag))
	}
	h.Await()
}

func typeOf(urn string) string { return model.StoredURN(urn).EntityType() }

func name(urn string) string {
	key := model.StoredURN(urn).Key()
	return strings.Trim(strings.ReplaceAll(strings.ReplaceAll(key, "urn:li:dataPlatform:hive,", ""), ",PROD", ""), "()")
}

// policySets has, by name, the policies that decide what piet may see.
var policySets = map[string][]policies.Policy{
	"all but secrets":       {allow()},
	"all but a domain":      {allow(), deny(criterion("DOMAIN", policies.Equals, "urn:li:domain:d1"))},
	"all but a tag":         {allow(criterion("TAG", policies.NotEquals, "urn:li:tag:t1"))},
	"all but a container":   {allow(), deny(criterion("CONTAINER", policies.Equals, "urn:li:container:c0"))},
	"all but a user":        {allow(criterion("URN", policies.NotEquals, "urn:li:corpuser:u1"))},
	"what begins":           {allow(), deny(criterion("DOMAIN", policies.StartsWith, "urn:li:domain:d"))},
	"one's own":             {allow(criterion("TYPE", policies.NotEquals, "dataset")), owned(nil)},
	"one's own of a type":   {allow(criterion("TYPE", policies.NotEquals, "dataset")), owned([]string{technical})},
	"only datasets":         {allow(criterion("TYPE", policies.Equals, "dataset"))},
	"only URNs":             {allow(criterion("URN", policies.StartsWith, "urn:li:dataset:(urn:li:dataPlatform:hive,x1", "urn:li:tag"))},
	"nothing":               {},
	"a domain, and no tags": {allow(criterion("DOMAIN", policies.Equals, "urn:li:domain:d0")), deny(criterion("TYPE", policies.Equals, "tag"))},
}

func criterion(field string, condition policies.Condition, values ...string) policies.Criterion {
	return policies.Criterion{Field: field, Condition: condition, Values: values}
}

func policy(criteria ...policies.Criterion) policies.Policy {
	p := policies.Policy{ID: fmt.Sprint(criteria), Type: policies.Metadata, State: policies.Active, Privileges: []string{policies.ViewEntityPage}}
	p.Resources = &policies.Resources{Filter: criteria}
	return p
}

func allow(criteria ...policies.Criterion) policies.Policy {
	p := policy(criteria...)
	p.Actors.Everybody = true
	return p
}

func deny(criteria ...policies.Criterion) policies.Policy {
	p := allow(criteria...)
	p.Effect, p.Privileges = policies.Deny, []string{policies.EveryPrivilege}
	return p
}

func owned(types []string) policies.Policy {
	p := policy()
	p.Actors.Owners, p.Actors.OwnerTypes = true, types
	return p
}

// seen is a catalog as piet sees it.
type seen struct {
	*catalogtest.SearchHarness
	all    []thing
	hidden map[string]bool
	store  *visible.Store
	index  *visible.Index
	ctx    context.Context
}

// see writes a catalog, and looks at it with the rights of some policies.
func see(t testing.TB, all []thing, set []policies.Policy) *seen {
	t.Helper()
	s := look(t, catalogtest.NewSearchHarness(t), all, set)
	second := slices.Clone(all)
	for i := range second {
		if t := &second[i]; !s.hidden[t.urn] && s.hidden[t.container] {
			t.container = "" // an aspect of which nothing is left is still counted
		}
		if t := &second[i]; !s.hidden[t.urn] && (s.hidden[t.owner] || s.hidden[technical]) {
			t.ownerType = "" // ownership with a type has an edge to the type
		}
	}
	if !reflect.DeepEqual(second, all) {
		return see(t, second, set)
	}
	return s
}

// look writes a catalog into a harness, and looks at it with the rights of some policies.
func look(t testing.TB, h *catalogtest.SearchHarness, all []thing, set []policies.Policy) *seen {
	t.Helper()
	write(h, all, all)
	s := &seen{SearchHarness: h, all: all, hidden: map[string]bool{}}
	s.store = visible.NewStore(h.Store, model.Default())
	s.index = visible.NewIndex(h.Index, h.Store, model.Default())
	s.as(set)
	var urns []string
	for _, thing := range all {
		urns = append(urns, thing.urn)
	}
	found, err := s.permissions(set).Visible(context.Background(), urns)
	if err != nil {
		t.Fatal(err)
	}
	for _, urn := range urns {
		s.hidden[urn] = !found[urn]
	}
	return s
}

// lesser writes a catalog that contains only the entities that piet may see.
func (s *seen) lesser(t testing.TB) *catalogtest.SearchHarness {
	t.Helper()
	h := catalogtest.NewSearchHarness(t)
	write(h, without(s.all, s.hidden), s.all)
	return h
}

func (s *seen) permissions(set []policies.Policy) *permit.Permissions {
	permits := permit.New(permit.Options{Store: s.Store, Now: time.Now, Logger: slog.New(slog.DiscardHandler)})
	return permits.With(policies.Compile(set, time.Now()).Rights(policies.Actor{URN: piet}))
}

func (s *seen) as(set []policies.Policy) {
	s.ctx = visible.With(context.Background(), s.permissions(set))
}

var actors = regexp.MustCompile(`urn:li:corpuser:(ada|nobody|unknown)`)

var varying = regexp.MustCompile(`\d{12,}|"(Seq|Cursor|PreviousSeq)":\d+`)

// text returns a value as text, without the numbers and times that depend on other writes.
func text(value any) string {
	encoded, err := json.Marshal(value)
	if err != nil {
		return err.Error()
	}
	var tree any
	if err := json.Unmarshal(encoded, &tree); err != nil {
		return err.Error()
	}
	if encoded, err = json.Marshal(tree); err != nil { // Marshal puts the members of the tree into order
		return err.Error()
	}
	encoded = bytes.ReplaceAll(encoded, []byte("null"), []byte("[]"))
	return actors.ReplaceAllString(varying.ReplaceAllString(string(encoded), "0"), "somebody")
}
