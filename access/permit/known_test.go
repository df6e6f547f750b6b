package permit_test

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/headwater-io/headwater/access/permit"
	"github.com/headwater-io/headwater/access/policies"
	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/removal"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/testing/testclock"
	"github.com/headwater-io/headwater/internal/testing/testseed"
	"github.com/headwater-io/headwater/internal/testing/testsize"
	"github.com/headwater-io/headwater/model"
)

const piet = "urn:li:corpuser:piet"

// reading is a policy that allows or denies piet to read the entities that fulfil a criterion.
func reading(effect policies.Effect, field policies.Field, condition policies.Condition, values ...string) policies.Policy {
	p := policies.Policy{ID: fmt.Sprint(effect, field, condition, values), Type: policies.Metadata, State: policies.Active, Effect: effect, Privileges: []string{policies.ViewEntityPage}}
	p.Actors.Users = []string{piet}
	p.Resources = &policies.Resources{}
	if field != "" {
		p.Resources.Filter = []policies.Criterion{{Field: string(field), Condition: condition, Values: values}}
	}
	return p
}

// facts are policies about each fact, and about URNs.
var facts = []policies.Policy{
	reading(policies.Allow, policies.FieldDomain, policies.Equals, "urn:li:domain:e0"),
	reading(policies.Allow, policies.FieldDomain, policies.StartsWith, "urn:li:domain:e1"),
	reading(policies.Allow, policies.FieldContainer, policies.Equals, "urn:li:container:e0"),
	reading(policies.Allow, policies.FieldTerm, policies.Equals, "urn:li:glossaryNode:e0"),
	reading(policies.Allow, policies.FieldTag, policies.Equals, "urn:li:tag:e0"),
	reading(policies.Allow, policies.FieldOwner, policies.Equals, piet),
	reading(policies.Allow, policies.FieldGroup, policies.Equals, "urn:li:corpGroup:e0"),
	reading(policies.Deny, policies.FieldTag, policies.Equals, "urn:li:tag:e1"),
	reading(policies.Deny, policies.FieldURN, policies.Equals, "urn:li:dataset:(urn:li:dataPlatform:hive,e0,PROD)", "urn:li:domain:e2"),
	reading(policies.Allow, policies.FieldURN, policies.StartsWith, "urn:li:dataset:(urn:li:dataPlatform:hive,e1", "urn:li:container:e1"),
}

// changing is a catalog that changes at random, and how piet sees it at two servers over one store.
type changing struct {
	*services.Services
	t      *testing.T
	random *rand.Rand
	store  graphstore.Store
	now    time.Time
	// here is the server that writes, there another one.
	here, there *permit.Permissions
	bare        *permit.Permissions
	entities    []string
}

func newChanging(t *testing.T, store graphstore.Store, stream uint64) *changing {
	t.Helper()
	c := &changing{t: t, random: testseed.Rand(t, stream), store: store, now: time.Date(2026, 11, 27, 12, 0, 0, 0, time.UTC)}
	c.Services = services.New(services.Options{Store: store, Now: testclock.Now})
	var set []policies.Policy
	for _, p := range facts {
		if c.random.IntN(2) == 0 {
			set = append(set, p)
		}
	}
	if c.random.IntN(2) == 0 {
		set = append(set, reading(policies.Allow, "", ""))
	}
	rights := policies.Compile(set, c.now).Rights(policies.Actor{URN: piet})
	service := func() *permit.Service {
		return permit.New(permit.Options{Store: store, Now: func() time.Time { return c.now }, Logger: slog.New(slog.DiscardHandler)})
	}
	here := service()
	c.OnCommit(here.Changed)
	c.here, c.there, c.bare = here.With(rights), service().With(rights), permit.NewPermissions(rights, store)
	for i := range 4 {
		for _, kind := range []string{"domain:e%d", "container:e%d", "glossaryNode:e%d", "glossaryTerm:e%d", "corpuser:e%d", "dataset:(urn:li:dataPlatform:hive,e%d,PROD)"} {
			c.entities = append(c.entities, "urn:li:"+fmt.Sprintf(kind, i))
		}
	}
	return c
}

func (c *changing) some(kind string) string {
	return fmt.Sprintf("urn:li:%s:e%d", kind, c.random.IntN(4))
}

// value returns a random aspect of an entity that has facts or parents.
func (c *changing) value(entityType string) (aspect, value string) {
	switch entityType {
	case model.EntityDomain:
		return model.AspectDomainProperties, fmt.Sprintf(`{"name":"x","parentDomain":%q}`, c.some("domain"))
	case model.EntityGlossaryNode:
		return model.AspectGlossaryNodeInfo, fmt.Sprintf(`{"definition":"x","parentNode":%q}`, c.some("glossaryNode"))
	case model.EntityGlossaryTerm:
		return model.AspectGlossaryTermInfo, fmt.Sprintf(`{"definition":"x","termSource":"x","parentNode":%q}`, c.some("glossaryNode"))
	case model.EntityCorpuser:
		return model.AspectGroupMembership, fmt.Sprintf(`{"groups":[%q]}`, c.some("corpGroup"))
	case model.EntityContainer:
		if c.random.IntN(2) == 0 {
			return model.AspectContainer, fmt.Sprintf(`{"container":%q}`, c.some("container"))
		}
	}
	switch c.random.IntN(5) {
	case 0:
		return model.AspectContainer, fmt.Sprintf(`{"container":%q}`, c.some("container"))
	case 1:
		return model.AspectGlobalTags, fmt.Sprintf(`{"tags":[{"tag":%q}]}`, c.some("tag"))
	case 2:
		return model.AspectGlossaryTerms, fmt.Sprintf(`{"terms":[{"urn":%q}],"auditStamp":{"time":0,"actor":%q}}`, c.some("glossaryTerm"), piet)
	case 3:
		return model.AspectOwnership, fmt.Sprintf(`{"owners":[{"owner":%q,"type":"DATAOWNER"}],"lastModified":{"time":0,"actor":%q}}`, []string{piet, "urn:li:corpuser:e0"}[c.random.IntN(2)], piet)
	}
	return model.AspectDomains, fmt.Sprintf(`{"domains":[%q]}`, c.some("domain"))
}

// step makes one random change, which may be refused.
func (c *changing) step() string {
	c.t.Helper()
	ctx, options := context.Background(), catalog.WriteOptions{Actor: piet}
	u := c.entities[c.random.IntN(len(c.entities))]
	run := fmt.Sprintf("run%d", c.random.IntN(3))
	did, err := "", error(nil)
	switch n := c.random.IntN(100); {
	case n < 70:
		aspect, value := c.value(urn(c.t, u).EntityType())
		did = "write " + aspect + " " + value + " of " + u
		_, err = c.Ingest(ctx, catalogtest.InRun(run, u, aspect, value), options)
	case n < 78:
		aspect, _ := c.value(urn(c.t, u).EntityType())
		p := catalogtest.InRun("", u, aspect, "")
		p.ChangeType, p.Aspect = write.Delete, nil
		did = "delete " + aspect + " of " + u
		_, err = c.Ingest(ctx, p, options)
	case n < 83:
		did = "delete " + u
		_, err = c.Removal.Delete(ctx, urn(c.t, u), false, options)
	case n < 88:
		did = "mark " + u
		_, err = c.MarkRemoved(ctx, []model.URN{urn(c.t, u)}, write.Mark{Removed: n < 86}, options)
	case n < 92:
		did = "trim the log"
		_, err = c.store.TrimChanges(ctx, graphstore.LogTrim{Keep: 1, Limit: 1000})
	default:
		did = "roll back " + run
		_, err = c.Removal.Rollback(ctx, removal.RollbackRequest{Origin: catalogtest.OfRun(run), Hard: n < 96}, options)
	}
	if err != nil && catalog.CodeOf(err) == catalog.Internal {
		c.t.Fatalf("%s: %v", did, err)
	}
	return did
}

// agree compares the decisions of permissions with the decisions that they would make without remembered
// facts.
func (c *changing) agree(did string, where string, p *permit.Permissions) {
	c.t.Helper()
	urns := slices.Clone(c.entities)
	c.random.Shuffle(len(urns), func(i, j int) { urns[i], urns[j] = urns[j], urns[i] })
	urns = urns[:1+c.random.IntN(len(urns))]
	want, err := c.bare.Visible(c.t.Context(), urns)
	if err != nil {
		c.t.Fatal(err)
	}
	got, err := p.Sees(c.t.Context(), urns)
	if err != nil {
		c.t.Fatal(err)
	}
	for i, u := range urns {
		if got[i] != want[u] {
			c.t.Fatalf("%s after %q: %s is seen: %t, want %t", where, did, u, got[i], want[u])
		}
	}
}

// TestKnown: after any change, remembered facts lead to the same decisions as stored facts: at once at the
// server that writes, and a moment later at another server.
func TestKnown(t *testing.T) {
	catalogtest.BothStores(t, func(t *testing.T, store graphstore.Store) {
		for round := range testsize.Of(2, 40) {
			c := newChanging(t, store, uint64(round))
			for range 60 {
				did := c.step()
				c.agree(did, "here", c.here)
				if c.random.IntN(3) > 0 {
					c.now = c.now.Add(time.Second)
					c.agree(did, "there", c.there)
				}
			}
		}
	})
}

// meanwhile is a store that runs a function between the reading of facts and their use.
type meanwhile struct {
	graphstore.Store
	do func()
}

func (m *meanwhile) LatestAspects(ctx context.Context, urns, names []string) (map[string][]graphstore.Aspect, error) {
	found, err := m.Store.LatestAspects(ctx, urns, names)
	if do := m.do; do != nil {
		m.do = nil
		do()
	}
	return found, err
}

// TestReadBeforeAChange: facts that were read before a change, and arrive after the change was known, are not
// remembered. The same holds for parents.
func TestReadBeforeAChange(t *testing.T) {
	h := catalogtest.NewHarness(t)
	store := &meanwhile{Store: h.Store}
	service := permit.New(permit.Options{Store: store, Now: testclock.Now, Logger: slog.New(slog.DiscardHandler)})
	h.OnCommit(service.Changed)
	set := []policies.Policy{reading(policies.Allow, policies.FieldDomain, policies.Equals, "urn:li:domain:top")}
	p := service.With(policies.Compile(set, time.Time{}).Rights(policies.Actor{URN: piet}))
	place := func(domain string) func() {
		return func() { h.Run("r", orders, "domains", fmt.Sprintf(`{"domains":[%q]}`, "urn:li:domain:"+domain)) }
	}
	move := func(below string) func() {
		return func() {
			h.Run("r", "urn:li:domain:low", "domainProperties", fmt.Sprintf(`{"name":"x","parentDomain":%q}`, "urn:li:domain:"+below))
		}
	}
	sees := func() bool {
		t.Helper()
		seen, err := p.Sees(t.Context(), []string{orders})
		if err != nil {
			t.Fatal(err)
		}
		return seen[0]
	}
	// Another reader looks at the log after the change and before the facts that were read are used.
	during := func(change func()) func() {
		return func() {
			change()
			if _, err := p.Sees(t.Context(), []string{secrets}); err != nil {
				t.Fatal(err)
			}
		}
	}
	place("elsewhere")()
	store.do = during(place("top"))
	sees()
	if !sees() {
		t.Error("the dataset is hidden after it came into the domain")
	}
	place("low")()
	move("elsewhere")()
	sees() // the parent is known
	move("nowhere")()
	store.do = during(move("top"))
	sees()
	if !sees() {
		t.Error("the dataset is hidden after its domain came below the visible one")
	}
}

// TestManyAsk: callers who ask while facts change see the stored facts in the end.
func TestManyAsk(t *testing.T) {
	h := catalogtest.NewHarness(t)
	c := newChanging(t, h.Store, 1)
	ended := make(chan struct{})
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			for {
				select {
				case <-ended:
					return
				default:
				}
				if _, err := c.here.Sees(t.Context(), c.entities); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	var did []string
	for range 100 {
		did = append(did, c.step())
	}
	close(ended)
	group.Wait()
	c.agree(strings.Join(did, "; "), "here", c.here)
}
