package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// suggestQuery is the query that the page sends for each letter.
const suggestQuery = `query suggest($text: String!) { suggest(input: {text: $text}) { kind text column entity { urn type name platformName removed } } }`

// typedSearches is how many texts are typed letter by letter.
const typedSearches = 60

// onSuggest measures search-as-you-type in a catalog of datasets with columns, people,
// tags, terms and domains, on the embedded store and index: the waits of one person who
// types names, columns and people.
func (b *bench) onSuggest(ctx context.Context) error {
	s, err := startServer(ctx, b.binary, "--data", filepath.Join(b.dir, "suggest"))
	if err != nil {
		return err
	}
	defer s.stop() //nolint:errcheck // the figures are taken
	w := searchWorkload{datasets: b.searchSize}
	if err := s.fillNames(ctx, w); err != nil {
		return err
	}
	if err := s.settle(ctx); err != nil {
		return err
	}
	byLength := map[int][]time.Duration{}
	var all []time.Duration
	for i := range typedSearches {
		text := w.typed(i)
		for end := 1; end <= len(text); end++ {
			taken, err := s.suggested(ctx, text[:end])
			if err != nil {
				return err
			}
			all, byLength[min(end, 4)] = append(all, taken), append(byLength[min(end, 4)], taken)
		}
	}
	show := func(name string, taken []time.Duration) {
		slices.Sort(taken)
		at := func(p float64) time.Duration {
			return taken[int(p*float64(len(taken)-1))].Round(100 * time.Microsecond)
		}
		fmt.Printf("suggest %d: %s: %d requests, p50 %v, p95 %v, p99 %v\n", w.datasets, name, len(taken), at(0.5), at(0.95), at(0.99))
	}
	show("all", all)
	for length, name := range []string{1: "one letter", 2: "two letters", 3: "three letters", 4: "four and more"} {
		if name != "" {
			show(name, byLength[length])
		}
	}
	return nil
}

// typed returns the i-th typed text: the name of a dataset or its end, a column, a person,
// or a tag.
func (w searchWorkload) typed(i int) string {
	r := rand.New(rand.NewPCG(uint64(i), 11))
	d := w.dataset(r.IntN(w.datasets))
	switch i % 5 {
	case 0:
		return d.columns[r.IntN(len(d.columns))]
	case 1:
		return fmt.Sprintf("user %d", r.IntN(2000))
	case 2:
		return fmt.Sprintf("tag%d", r.IntN(200))
	case 3:
		return d.name
	}
	return d.name[strings.LastIndexByte(d.name, '.')+1:]
}

// suggested requests suggestions and returns the time of the request.
func (s *server) suggested(ctx context.Context, text string) (time.Duration, error) {
	body, err := json.Marshal(map[string]any{"query": suggestQuery, "variables": map[string]any{"text": text}})
	if err != nil {
		return 0, err
	}
	began := time.Now()
	answer, err := s.post(ctx, "/api/graphql", body)
	taken := time.Since(began)
	if err != nil {
		return 0, err
	}
	var found struct {
		Data   struct{ Suggest []any }
		Errors []any
	}
	if err := json.Unmarshal(answer, &found); err != nil || len(found.Errors) > 0 {
		return 0, fmt.Errorf("%q: %v %w", text, found.Errors, err)
	}
	if len(found.Data.Suggest) == 0 {
		return 0, fmt.Errorf("nothing is suggested for %q", text)
	}
	return taken, nil
}

// fillNames loads the datasets and the other entities with names.
func (s *server) fillNames(ctx context.Context, w searchWorkload) error {
	var named []proposal
	add := func(entityType, id, aspect string, value map[string]any) {
		p := newProposal("urn:li:"+entityType+":"+id, aspect, value)
		p.EntityType = entityType
		named = append(named, p)
	}
	for i := range 2000 {
		add("corpuser", fmt.Sprint("user", i), "corpUserInfo", map[string]any{"active": true, "displayName": fmt.Sprint("User ", i)})
	}
	for i := range 200 {
		add("tag", fmt.Sprint("tag", i), "tagProperties", map[string]any{"name": fmt.Sprint("tag", i)})
		add("glossaryTerm", fmt.Sprint("term", i), "glossaryTermInfo", map[string]any{
			"name": nameWords[i%len(nameWords)] + fmt.Sprint(" term ", i), "definition": "", "termSource": "INTERNAL",
		})
	}
	for i, name := range nameWords {
		add("domain", fmt.Sprint("domain", i), "domainProperties", map[string]any{"name": name})
	}
	if err := s.propose(ctx, named); err != nil {
		return err
	}
	const step = 300
	_, err := s.measure(ctx, loadClients, (w.datasets+step-1)/step, func(ctx context.Context, i int) error {
		var batch []proposal
		for _, d := range w.make(i*step, min((i+1)*step, w.datasets)) {
			for name, value := range d.values {
				if name != "datasetKey" {
					batch = append(batch, newProposal(d.urn, name, value))
				}
			}
		}
		return s.propose(ctx, batch)
	})
	return err
}

// propose sends a batch of proposals.
func (s *server) propose(ctx context.Context, batch []proposal) error {
	body, err := json.Marshal(map[string]any{"proposals": batch})
	if err != nil {
		return err
	}
	answer, err := s.post(ctx, "/aspects?action=ingestProposalBatch&partial=true", body)
	if err != nil {
		return err
	}
	var result struct{ Value struct{ Failed int } }
	if err := json.Unmarshal(answer, &result); err != nil || result.Value.Failed > 0 {
		return fmt.Errorf("%d proposals failed: %.500s %w", result.Value.Failed, answer, err)
	}
	return nil
}
