package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

const (
	// visibleTarget is the least rate of a caller whom 100 policies concern, as a part of the rate of one
	// who sees everything: 1.2 times the time.
	visibleTarget = 1 / 1.2
	// visibleReach is about how many datasets a walk reaches.
	visibleReach = 2000
	// visibleTime is about how long the requests of one repetition take.
	visibleTime    = 2 * time.Second
	visibleLeast   = 10
	visibleMost    = 2000
	visibleDomains = 20
)

// visibleGraph is a catalog in which each dataset has a domain, a tag, an owner, and one upstream, so that
// about visibleReach datasets derive from a dataset in the middle.
type visibleGraph struct{ datasets int }

func (g visibleGraph) urn(i int) string { return workload(g).urn(i) }

// seen returns the number of a dataset near another one that no caller misses. A search for a hidden name costs as much as one for an
// unknown name, for which similar names are looked for.
func (g visibleGraph) seen(i int) int { return i - i%visibleDomains + visibleDomains/2 }

func visibleDomain(n int) string { return fmt.Sprintf("urn:li:domain:domain%d", n) }

// batches returns bodies for ingestProposalBatch.
func (g visibleGraph) batches() ([][]byte, error) {
	var bodies [][]byte
	var items []proposal
	flush := func() error {
		body, err := json.Marshal(map[string]any{"proposals": items})
		bodies, items = append(bodies, body), nil
		return err
	}
	for n := range visibleDomains {
		p := newProposal(visibleDomain(n), "domainProperties", map[string]any{"name": fmt.Sprintf("domain%d", n)})
		p.EntityType = "domain"
		items = append(items, p)
	}
	w := workload(g)
	for i := range g.datasets {
		upstreams := []any{}
		if i > 0 {
			upstreams = append(upstreams, map[string]any{"dataset": g.urn(i / 2), "type": "TRANSFORMED", "auditStamp": map[string]any{"time": 0, "actor": "urn:li:corpuser:bench"}})
		}
		items = append(items, newProposal(g.urn(i), "datasetProperties", map[string]any{"name": fmt.Sprintf("table_%06d", i), "description": "catalogued"}),
			w.ownership(i),
			newProposal(g.urn(i), "domains", map[string]any{"domains": []string{visibleDomain(i % visibleDomains)}}),
			newProposal(g.urn(i), "globalTags", map[string]any{"tags": []any{map[string]any{"tag": fmt.Sprintf("urn:li:tag:tag%d", i%7)}}}),
			newProposal(g.urn(i), "upstreamLineage", map[string]any{"upstreams": upstreams}))
		if len(items) >= 3*batchDatasets {
			if err := flush(); err != nil {
				return nil, err
			}
		}
	}
	return bodies, flush()
}

// visibleCallers are the callers who are compared with one who sees everything, with the number of domains
// that are hidden from each.
var visibleCallers = []struct {
	name   string
	hidden int
}{{"nothing hidden", 0}, {"a fifth hidden", visibleDomains / 5}}

// visiblePolicies returns the file of the policies: 100 for each limited caller, whose users are given.
func visiblePolicies(users []string) string {
	var b strings.Builder
	b.WriteString("policies:\n")
	for c, caller := range visibleCallers {
		who := fmt.Sprintf("who: {users: [%q]}", users[c])
		for i := range 100 {
			id := fmt.Sprintf("limits-%d-%02d", c, i)
			switch {
			case i < caller.hidden:
				fmt.Fprintf(&b, "  - {id: %s, name: %[1]s, deny: [READ], %s, on: {domains: [%q]}}\n", id, who, visibleDomain(i))
			case i%4 == 0:
				fmt.Fprintf(&b, "  - {id: %s, name: %[1]s, deny: [READ], %s, on: {tags: [%q]}}\n", id, who, fmt.Sprintf("urn:li:tag:none%d", i))
			case i%4 == 1:
				fmt.Fprintf(&b, "  - {id: %s, name: %[1]s, allow: [VIEW_ENTITY_PAGE], %s, on: {domains: [%q]}}\n", id, who, fmt.Sprintf("urn:li:domain:none%d", i))
			case i%4 == 2:
				fmt.Fprintf(&b, "  - {id: %s, name: %[1]s, deny: [READ], %s, on: {owners: [%q], types: [dataset]}}\n", id, who, fmt.Sprintf("urn:li:corpuser:none%d", i))
			default:
				fmt.Fprintf(&b, "  - {id: %s, name: %[1]s, deny: [READ], %s, on: {containers: [%q], types: [dataset, chart]}}\n", id, who, fmt.Sprintf("urn:li:container:none%d", i))
			}
		}
	}
	return b.String()
}

// onVisible compares the speed with and without hidden entities, on the embedded store and index, and on
// Neo4j with Typesense if both are there. With Typesense alone, it serves the embedded store.
func (b *bench) onVisible(ctx context.Context) error {
	for _, size := range b.visibleSizes {
		if err := b.visibleOn(ctx, "embedded", visibleGraph{size}, "--data", filepath.Join(b.dir, fmt.Sprintf("visible-%d", size))); err != nil {
			return err
		}
		if b.typesense == "" {
			fmt.Println("no Typesense: its comparisons are left out")
			continue
		}
		search := "typesense://" + typesenseKey + "@" + strings.TrimPrefix(b.typesense, "http://")
		if b.neo4j == "" {
			if err := b.visibleOn(ctx, "Typesense", visibleGraph{size}, "--data", filepath.Join(b.dir, fmt.Sprintf("visible-typesense-%d", size)), "--search", search); err != nil {
				return err
			}
			continue
		}
		raw, err := b.emptyNeo4j(ctx)
		if err != nil {
			return err
		}
		if err := raw.driver.Close(ctx); err != nil {
			return err
		}
		if err := b.visibleOn(ctx, "Neo4j and Typesense", visibleGraph{size}, append(b.onNeo4jFlags(), "--search", search, "--request-timeout", patience)...); err != nil {
			return err
		}
	}
	return nil
}

func (b *bench) visibleOn(ctx context.Context, where string, g visibleGraph, flags ...string) (err error) {
	admin, data := filepath.Join(b.dir, "admin"), ""
	if err := os.WriteFile(admin, []byte("admin\na long password\n"), 0o600); err != nil {
		return err
	}
	for i := range flags {
		if flags[i] == "--data" {
			data = flags[i+1]
		}
	}
	s, err := startServer(ctx, b.binary, append(flags, "--auth", "on", "--first-admin-file", admin, "--caller-rate", "0", "--open-metrics")...)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.stop()) }()
	if s.token, err = b.newToken(ctx, s.base, data, "whole", "Editor"); err != nil {
		return err
	}
	began := time.Now()
	if err := s.loadVisible(ctx, g); err != nil {
		return err
	}
	fmt.Printf("%s: %d datasets loaded in %v\n", where, g.datasets, time.Since(began).Round(time.Second))
	limited, users := make([]*server, len(visibleCallers)), make([]string, len(visibleCallers))
	for c := range visibleCallers {
		as := *s
		if as.token, err = b.newToken(ctx, s.base, data, fmt.Sprintf("limited%d", c), "Editor"); err != nil {
			return err
		}
		if users[c], err = as.user(ctx); err != nil {
			return err
		}
		limited[c] = &as
	}
	policies := visiblePolicies(users)
	file := filepath.Join(b.dir, "limits.yaml")
	if err := b.applyPolicies(ctx, s, data, file, policies); err != nil {
		return err
	}
	for c, caller := range visibleCallers {
		seen, err := limited[c].visible(ctx)
		if err != nil {
			return err
		}
		if want := g.datasets - g.datasets*caller.hidden/visibleDomains; seen != want {
			return fmt.Errorf("the caller with %s sees %d datasets, not %d", caller.name, seen, want)
		}
		if err := b.hiding(ctx, fmt.Sprintf("%s, %d datasets, %s", where, g.datasets, caller.name), g, s, limited[c]); err != nil {
			return err
		}
	}
	policies += fmt.Sprintf("  - {id: limits-new, name: New, deny: [READ], who: {users: [%q]}, on: {domains: [%q]}}\n", users[0], visibleDomain(7))
	return b.untilDecided(ctx, limited[0], func() error { return b.applyPolicies(ctx, s, data, file, policies) })
}

// user returns the URN of the user who has the server's token.
func (s *server) user(ctx context.Context) (string, error) {
	answer, err := s.post(ctx, "/api/graphql", []byte(`{"query":"{ me { corpUser { urn } } }"}`))
	if err != nil {
		return "", err
	}
	var found struct {
		Data struct {
			Me struct {
				CorpUser struct{ URN string }
			}
		}
	}
	err = json.Unmarshal(answer, &found)
	return found.Data.Me.CorpUser.URN, err
}

// visible counts the datasets that a caller sees.
func (s *server) visible(ctx context.Context) (int, error) {
	answer, err := s.post(ctx, "/entities?action=searchAcrossEntities", []byte(`{"entities":["dataset"],"input":"catalogued","start":0,"count":1}`))
	if err != nil {
		return 0, err
	}
	var found struct {
		Value struct{ NumEntities int }
	}
	err = json.Unmarshal(answer, &found)
	return found.Value.NumEntities, err
}

// loadVisible loads the catalog, and waits until it can be searched.
func (s *server) loadVisible(ctx context.Context, g visibleGraph) error {
	bodies, err := g.batches()
	if err != nil {
		return err
	}
	_, err = measure(ctx, loadClients, len(bodies), func(ctx context.Context, i int) error {
		_, err := s.post(ctx, "/aspects?action=ingestProposalBatch&partial=true", bodies[i])
		return err
	})
	if err != nil {
		return err
	}
	return s.settle(ctx)
}

// applyPolicies applies a file of policies with the server's secrets.
func (b *bench) applyPolicies(ctx context.Context, s *server, data, file, text string) error {
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		return err
	}
	var said bytes.Buffer
	c := exec.CommandContext(ctx, b.binary, "policies", "apply", file, "--server", s.base, "--keys", filepath.Join(data, "keys.json"))
	c.Stdout, c.Stderr = &said, &said
	if err := c.Run(); err != nil {
		return fmt.Errorf("policies apply: %w: %.500s", err, said.String())
	}
	return nil
}

// hiding compares the searches and walks of a limited caller with the same requests of a caller who sees
// everything.
func (b *bench) hiding(ctx context.Context, where string, g visibleGraph, whole, limited *server) error {
	from := g.seen(g.datasets / visibleReach)
	walk := func(ctx context.Context, s *server, i int) error {
		return s.graphql(ctx, fmt.Sprintf(`{ searchAcrossLineage(input: {urn: %q, direction: DOWNSTREAM, count: 20, orFilters: [{and: [{field: "degree", values: ["1", "2", "3+"]}]}]}) { total } }`, g.urn(from+i%3)))
	}
	rows := []struct {
		what string
		call func(ctx context.Context, s *server, i int) error
	}{
		{"walks", walk},
		{"searches for a word in all", func(ctx context.Context, s *server, _ int) error { return s.searchWord(ctx, "catalogued") }},
		{"searches for a name", func(ctx context.Context, s *server, i int) error {
			return s.searchWord(ctx, fmt.Sprintf("table_%06d", g.seen(i*31%g.datasets)))
		}},
	}
	// The first walk reads the facts of all entities that it reaches. The memory of the server is read with
	// the credentials of a caller who sees everything: others may not read the metrics.
	first, err := whole.measure(ctx, 1, 1, func(ctx context.Context, _ int) error { return walk(ctx, limited, 0) })
	if err != nil {
		return err
	}
	second, err := whole.measure(ctx, 1, 1, func(ctx context.Context, _ int) error { return walk(ctx, whole, 0) })
	if err != nil {
		return err
	}
	fmt.Printf("%s: a first walk takes %v, that of one who sees everything %v\n", where, first.elapsed.Round(100*time.Microsecond), second.elapsed.Round(100*time.Microsecond))
	for _, r := range rows {
		n, err := requestsOf(ctx, func(ctx context.Context, i int) error { return r.call(ctx, whole, i) })
		if err != nil {
			return err
		}
		costs := map[*server][]float64{}
		of := func(s *server) func(int) (figure, error) {
			return func(int) (figure, error) {
				f, cost, err := whole.costed(ctx, 1, n, func(ctx context.Context, i int) error { return r.call(ctx, s, i) })
				costs[s] = append(costs[s], float64(cost))
				return f, err
			}
		}
		name := r.what + ", " + where
		if err := b.add("hiding: "+name, visibleTarget, of(limited), of(whole)); err != nil {
			return err
		}
		with, without := time.Duration(median(costs[limited])), time.Duration(median(costs[whole]))
		fmt.Printf("hiding: %s: %d µs of processor time, %d µs without: %.2f times\n", name, with.Microseconds(), without.Microseconds(), float64(with)/float64(without))
	}
	return nil
}

// requestsOf returns how many requests take about visibleTime, between visibleLeast and visibleMost, so that
// quick requests are not judged by a few and slow ones end.
func requestsOf(ctx context.Context, call func(ctx context.Context, i int) error) (int, error) {
	f, err := measure(ctx, 1, visibleLeast, call)
	if err != nil {
		return 0, err
	}
	return min(max(int(visibleTime.Seconds()*f.rate()), visibleLeast), visibleMost), nil
}

func (s *server) searchWord(ctx context.Context, word string) error {
	return s.graphql(ctx, fmt.Sprintf(`{ searchAcrossEntities(input: {query: %q, start: 0, count: 10}) { total facets { field } } }`, word))
}

// graphql asks a query whose answer must have no errors.
func (s *server) graphql(ctx context.Context, query string) error {
	body, err := json.Marshal(map[string]string{"query": query})
	if err != nil {
		return err
	}
	answer, err := s.post(ctx, "/api/graphql", body)
	if err == nil && bytes.Contains(answer, []byte(`"errors"`)) {
		err = fmt.Errorf("%.300s", answer)
	}
	return err
}

// decidedWithin bounds how long a changed policy may take to hold.
const decidedWithin = 30 * time.Second

// untilDecided prints how long a policy that hides more takes to hold for a caller who asks all the time.
func (b *bench) untilDecided(ctx context.Context, limited *server, apply func() error) error {
	before, err := limited.visible(ctx)
	if err != nil {
		return err
	}
	if err := apply(); err != nil {
		return err
	}
	began := time.Now()
	for after := before; after == before; {
		if after, err = limited.visible(ctx); err != nil {
			return err
		}
		if time.Since(began) > decidedWithin {
			return fmt.Errorf("a changed policy does not hold after %v", decidedWithin)
		}
	}
	fmt.Printf("a changed policy held %v after it was answered\n", time.Since(began).Round(time.Millisecond))
	return nil
}
