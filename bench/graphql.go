package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
)

// restRatio is the lowest acceptable rate of GraphQL compared with the same reads over
// REST: GraphQL may take one and a half times as long.
const restRatio = 1 / 1.5

// graphQLDatasets is how many datasets the comparison reads.
const graphQLDatasets = 2000

// fiveAspects are the aspects that are read of a dataset.
var fiveAspects = []string{"datasetProperties", "editableDatasetProperties", "ownership", "globalTags", "institutionalMemory"}

// onGraphQL compares GraphQL with the same reads over REST.
func (b *bench) onGraphQL(ctx context.Context) error {
	if err := b.graphQL(ctx, "embedded", "--data", filepath.Join(b.dir, "graphql")); err != nil {
		return err
	}
	if b.neo4j == "" {
		fmt.Println("no Neo4j: its comparisons are left out")
		return nil
	}
	raw, err := b.emptyNeo4j(ctx)
	if err != nil {
		return err
	}
	defer raw.driver.Close(ctx)
	return b.graphQL(ctx, "neo4j", "--data", filepath.Join(b.dir, "graphql-neo4j"), "--graph", b.neo4j)
}

// describe returns proposals for the five aspects of a dataset, and for 20 columns.
func (w workload) describe(i int) []proposal {
	var fields []any
	for f := range 20 {
		fields = append(fields, map[string]any{
			"fieldPath": fmt.Sprintf("column_%02d", f), "nativeDataType": "varchar", "description": "What the column holds.",
			"type": map[string]any{"type": map[string]any{"com.linkedin.schema.StringType": map[string]any{}}},
		})
	}
	return []proposal{
		w.properties(i, 0), w.ownership(i),
		newProposal(w.urn(i), "editableDatasetProperties", map[string]any{"description": "What people wrote about it."}),
		newProposal(w.urn(i), "globalTags", map[string]any{"tags": []any{
			map[string]any{"tag": fmt.Sprintf("urn:li:tag:tag%d", i%30)}, map[string]any{"tag": "urn:li:tag:gold"},
		}}),
		newProposal(w.urn(i), "institutionalMemory", map[string]any{"elements": []any{map[string]any{
			"url": "https://example.com/runbook", "description": "Runbook", "createStamp": map[string]any{"time": 1700000000000, "actor": w.owner(i)},
		}}}),
		newProposal(w.urn(i), "schemaMetadata", map[string]any{
			"schemaName": "s", "platform": "urn:li:dataPlatform:snowflake", "version": 0, "hash": "", "fields": fields,
			"platformSchema": map[string]any{"com.linkedin.schema.OtherSchema": map[string]any{"rawSchema": "create table"}},
		}),
	}
}

// datasetQuery reads all data of the five aspects. columnsPart replaces columnsMark to read
// the columns too.
const (
	columnsMark  = "#columns"
	datasetQuery = `query read($urn: String!) { dataset(urn: $urn) {
	urn type name
	properties { name description customProperties { key value } }
	editableProperties { description }
	ownership { owners { type owner { ... on CorpUser { urn username } ... on CorpGroup { urn name } } } lastModified { time actor } }
	tags { tags { tag { urn } } }
	institutionalMemory { elements { url label author { urn } created { time actor } } }
	#columns
} }`
	columnsPart = `schemaMetadata { name hash version fields { fieldPath nativeDataType description type nullable recursive } }`
)

const pageQuery = `query page($query: String!) { searchAcrossEntities(input: {types: [DATASET], query: $query, count: 50}) {
	start count total
	searchResults { entity { urn type ... on Dataset {
		ownership { owners { type owner { ... on CorpUser { urn username } ... on CorpGroup { urn name } } } }
		tags { tags { tag { urn } } }
	} } matchedFields { name value } }
	facets { field aggregations { value count } }
} }`

// ask sends a GraphQL query, and returns an error if the query fails.
func (s *server) ask(ctx context.Context, query string, variables map[string]any) error {
	body, err := json.Marshal(map[string]any{"query": query, "variables": variables})
	if err != nil {
		return err
	}
	answer, err := s.post(ctx, "/api/graphql", body)
	if err == nil && strings.HasPrefix(string(answer), `{"errors"`) {
		err = fmt.Errorf("%.300s", answer)
	}
	return err
}

// searchThenRead reads the same page over REST: with a search, and with one request for the
// found entities.
func (s *server) searchThenRead(ctx context.Context, input string) error {
	body, err := json.Marshal(map[string]any{"input": input, "entity": "dataset", "start": 0, "count": 50})
	if err != nil {
		return err
	}
	answer, err := s.post(ctx, "/entities?action=search", body)
	if err != nil {
		return err
	}
	var found struct {
		Value struct {
			Entities []struct{ Entity string }
		}
	}
	if err := json.Unmarshal(answer, &found); err != nil {
		return err
	}
	urns := make([]string, len(found.Value.Entities))
	for i, e := range found.Value.Entities {
		urns[i] = url.QueryEscape(e.Entity)
	}
	_, err = s.get(ctx, "/entitiesV2?ids=List("+strings.Join(urns, ",")+")&aspects=List(ownership,globalTags)")
	return err
}

func (b *bench) graphQL(ctx context.Context, name string, flags ...string) error {
	w := workload{datasets: graphQLDatasets}
	s, err := startServer(ctx, b.binary, flags...)
	if err != nil {
		return err
	}
	defer s.stop() //nolint:errcheck // the figures are taken
	for start := 0; start < w.datasets; start += 200 {
		var items []proposal
		for i := start; i < start+200; i++ {
			items = append(items, w.describe(i)...)
		}
		body, err := json.Marshal(map[string]any{"proposals": items})
		if err != nil {
			return err
		}
		if _, err := s.post(ctx, "/aspects?action=ingestProposalBatch&partial=true", body); err != nil {
			return err
		}
	}
	for _, read := range []struct {
		what, query string
		aspects     []string
	}{
		{"a dataset with five aspects", datasetQuery, fiveAspects},
		{"the same and its 20 columns", strings.Replace(datasetQuery, columnsMark, columnsPart, 1), append(fiveAspects, "schemaMetadata")},
	} {
		err := b.add(name+": "+read.what+", GraphQL beside REST", restRatio, func(int) (figure, error) {
			return s.measure(ctx, readClients, 6000, func(ctx context.Context, i int) error {
				return s.ask(ctx, read.query, map[string]any{"urn": w.urn(i * 31 % w.datasets)})
			})
		}, func(int) (figure, error) {
			return s.measure(ctx, readClients, 6000, func(ctx context.Context, i int) error {
				_, err := s.get(ctx, s.entityPath(w.urn(i*31%w.datasets), strings.Join(read.aspects, ",")))
				return err
			})
		})
		if err != nil {
			return err
		}
	}
	input := func(i int) string { return fmt.Sprintf("mart_%02d", i%50) }
	return b.add(name+": a page of 50 with owners and tags, GraphQL beside REST", restRatio, func(int) (figure, error) {
		return s.measure(ctx, readClients, 400, func(ctx context.Context, i int) error {
			return s.ask(ctx, pageQuery, map[string]any{"query": input(i)})
		})
	}, func(int) (figure, error) {
		return s.measure(ctx, readClients, 400, func(ctx context.Context, i int) error { return s.searchThenRead(ctx, input(i)) })
	})
}
