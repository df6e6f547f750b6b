package main

import (
	"encoding/json"
	"fmt"
	"strings"
)

// workload describes a catalog of datasets. Each has properties of about 2 KB, one of a
// thousand owners, and two upstreams.
type workload struct {
	datasets int
}

const ownerCount = 1000

func (w workload) urn(i int) string {
	return fmt.Sprintf("urn:li:dataset:(urn:li:dataPlatform:snowflake,warehouse.mart_%02d.table_%06d,PROD)", i%50, i)
}

func (w workload) owner(i int) string {
	return fmt.Sprintf("urn:li:corpuser:user%04d", i%ownerCount)
}

// upstreams returns the upstreams of dataset i: two datasets with lower numbers, so that
// lineage has layers.
func (w workload) upstreams(i int) []string {
	if i == 0 {
		return nil
	}
	return []string{w.urn(i / 2), w.urn(i - 1)}
}

// proposal is one proposal in the form of the interface.
type proposal struct {
	EntityType string       `json:"entityType"`
	EntityURN  string       `json:"entityUrn"`
	ChangeType string       `json:"changeType"`
	AspectName string       `json:"aspectName"`
	Aspect     genericValue `json:"aspect"`

	System map[string]any `json:"systemMetadata,omitempty"`
}

type genericValue struct {
	Value       string `json:"value"`
	ContentType string `json:"contentType"`
}

func newProposal(urn, aspect string, value any) proposal {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err) // encoding maps and strings cannot fail
	}
	return proposal{
		EntityType: "dataset", EntityURN: urn, ChangeType: "UPSERT", AspectName: aspect,
		Aspect: genericValue{Value: string(text), ContentType: "application/json"},
	}
}

var filler = strings.Repeat("Orders joined to customers and refunds, one row per order line. ", 28)

func (w workload) properties(i, revision int) proposal {
	return newProposal(w.urn(i), "datasetProperties", map[string]any{
		"name":             fmt.Sprintf("table_%06d", i),
		"description":      fmt.Sprintf("revision %d of %d. %s", revision, i, filler),
		"customProperties": map[string]string{"team": fmt.Sprintf("team-%d", i%20), "tier": "gold"},
		"tags":             []string{},
	})
}

func (w workload) ownership(i int) proposal {
	return newProposal(w.urn(i), "ownership", map[string]any{
		"owners":       []any{map[string]any{"owner": w.owner(i), "type": "DATAOWNER"}},
		"lastModified": map[string]any{"time": 1700000000000, "actor": "urn:li:corpuser:bench"},
	})
}

func (w workload) lineage(i int) proposal {
	var upstreams []any
	for _, u := range w.upstreams(i) {
		upstreams = append(upstreams, map[string]any{
			"dataset": u, "type": "TRANSFORMED",
			"auditStamp": map[string]any{"time": 1700000000000, "actor": "urn:li:corpuser:bench"},
		})
	}
	if upstreams == nil {
		upstreams = []any{}
	}
	return newProposal(w.urn(i), "upstreamLineage", map[string]any{"upstreams": upstreams})
}

// batches returns bodies for ingestProposalBatch. Each has the three aspects of size
// datasets.
func (w workload) batches(size int) ([][]byte, error) {
	var bodies [][]byte
	for start := 0; start < w.datasets; start += size {
		var items []proposal
		for i := start; i < min(start+size, w.datasets); i++ {
			items = append(items, w.properties(i, 0), w.ownership(i), w.lineage(i))
		}
		body, err := json.Marshal(map[string]any{"proposals": items})
		if err != nil {
			return nil, err
		}
		bodies = append(bodies, body)
	}
	return bodies, nil
}
