package rest

import (
	"encoding/json"
	"net/http"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/internal/intake"
)

func entityEndpoints() []endpoint {
	aspects := parameter{"aspects", "list", "List(name,…): these aspects alone", false}
	ids := parameter{"ids", "list", "List(urn,…), each URN percent-encoded", true}
	return []endpoint{
		{
			method: http.MethodPost, path: "/entities", action: "ingest", tag: "Write",
			summary:    "Write a legacy snapshot: several aspects of one entity in one transaction. Answers an empty body.",
			parameters: []parameter{{"entity", "object", "{value:{<snapshot record>:{urn, aspects}}}", true}, {"systemMetadata", "object", "lastObserved, runId", false}},
			example:    example{body: `{"entity":{"value":{"com.linkedin.metadata.snapshot.CorpUserSnapshot":{"urn":"urn:li:corpuser:ada","aspects":[{"com.linkedin.identity.CorpUserInfo":{"active":true,"displayName":"Ada","fullName":"Ada Example","email":"ada@example.com"}}]}}}}`},
			handle:     (*call).ingestSnapshot,
		},
		{
			method: http.MethodPost, path: "/entities", action: "batchIngest", tag: "Write",
			summary:    "Write several legacy snapshots, each in one transaction.",
			parameters: []parameter{{"entities", "array", "snapshots as ingest takes them", true}, {"systemMetadata", "array", "one for each entity", false}},
			example:    example{body: `{"entities":[{"value":{"com.linkedin.metadata.snapshot.TagSnapshot":{"urn":"urn:li:tag:Example","aspects":[{"com.linkedin.tag.TagProperties":{"name":"Example","description":"Only an example"}}]}}}]}`},
			handle:     (*call).ingestSnapshots,
		},
		{
			method: http.MethodPost, path: "/entities", action: "listUrns", tag: "Read",
			summary:    "The entities of a type by URN, soft-deleted ones included.",
			parameters: []parameter{{"entity", "string", "the entity type", true}, {"start", "integer", "0 when left out", false}, {"count", "integer", "100 when left out, at most 10000", false}},
			example:    example{body: `{"entity":"dataset","start":0,"count":10}`},
			handle:     (*call).listURNs,
		},
		{
			method: http.MethodPost, path: "/entities", action: "exists", tag: "Read",
			summary:    "Whether anything is stored of an entity; a soft-deleted one exists.",
			parameters: []parameter{{"urn", "string", "the entity", true}},
			example:    example{body: `{"urn":"` + exampleTable + `"}`},
			handle:     (*call).exists,
		},
		{
			method: http.MethodGet, path: "/entities", tail: true, tag: "Read",
			summary: "An entity as a legacy snapshot with its key aspect.", parameters: []parameter{aspects},
			example: example{tail: exampleTableEncoded},
			handle:  (*call).snapshot,
		},
		{
			method: http.MethodGet, path: "/entities", ids: true, tag: "Read",
			summary: "Several entities as legacy snapshots; absent ones are left out.", parameters: []parameter{ids, aspects},
			example: example{query: "ids=List(" + exampleTableEncoded + ")"},
			handle:  (*call).snapshots,
		},
		{
			method: http.MethodGet, path: "/entitiesV2", tail: true, tag: "Read", versioned: true,
			summary: "An entity with its latest aspects in envelopes.", parameters: []parameter{aspects},
			example: example{tail: exampleTableEncoded, query: "aspects=List(ownership)"},
			handle:  (*call).entity,
		},
		{
			method: http.MethodGet, path: "/entitiesV2", ids: true, tag: "Read", versioned: true,
			summary: "Several entities with their latest aspects.", parameters: []parameter{ids, aspects},
			example: example{query: "ids=List(" + exampleTableEncoded + ")&aspects=List(ownership)"},
			handle:  (*call).entities,
		},
	}
}

// wireEntity is a snapshot as clients send it.
type wireEntity struct {
	Value json.RawMessage `json:"value"`
}

func (c *call) ingestSnapshot() error {
	var body struct {
		Entity *wireEntity             `json:"entity"`
		System *catalog.SystemMetadata `json:"systemMetadata"`
	}
	if err := c.bodyOf(intake.Snapshots, &body); err != nil {
		return err
	}
	if body.Entity == nil {
		return catalog.Errorf(catalog.Invalid, "parameter entity is required")
	}
	return c.writeSnapshots([]catalog.Snapshot{{Value: body.Entity.Value, System: body.System}})
}

func (c *call) ingestSnapshots() error {
	var body struct {
		Entities []wireEntity              `json:"entities"`
		System   []*catalog.SystemMetadata `json:"systemMetadata"`
	}
	if err := c.bodyOf(intake.Snapshots, &body); err != nil {
		return err
	}
	if body.Entities == nil {
		return catalog.Errorf(catalog.Invalid, "parameter entities is required")
	}
	if body.System != nil && len(body.System) != len(body.Entities) {
		return catalog.Errorf(catalog.Precondition, "entities and systemMetadata length must match")
	}
	snapshots := make([]catalog.Snapshot, len(body.Entities))
	for i, entity := range body.Entities {
		snapshots[i].Value = entity.Value
		if body.System != nil {
			snapshots[i].System = body.System[i]
		}
	}
	return c.writeSnapshots(snapshots)
}

func (c *call) writeSnapshots(snapshots []catalog.Snapshot) error {
	options, err := c.writeOptions(nil)
	if err != nil {
		return err
	}
	if err := c.catalog.IngestSnapshots(c.Request.Context(), snapshots, options); err != nil {
		return err
	}
	return c.nothing()
}

func (c *call) listURNs() error {
	body := struct {
		Entity string `json:"entity"`
		Start  int    `json:"start"`
		Count  int    `json:"count"`
	}{Count: 100}
	if err := c.body(&body); err != nil {
		return err
	}
	if body.Entity == "" {
		return catalog.Errorf(catalog.Invalid, "parameter entity is required")
	}
	page, err := c.catalog.ListURNs(c.Request.Context(), body.Entity, body.Start, body.Count)
	if err != nil {
		return err
	}
	return c.value(page)
}

func (c *call) exists() error {
	var body struct {
		URN string `json:"urn"`
	}
	if err := c.body(&body); err != nil {
		return err
	}
	if body.URN == "" {
		return catalog.Errorf(catalog.Invalid, "parameter urn is required")
	}
	found, err := c.catalog.Exists(c.Request.Context(), body.URN)
	if err != nil {
		return err
	}
	return c.value(found)
}

// entityRequest reads the entity in the path and the aspects asked for.
func (c *call) entityRequest(prefix string) (urn string, aspects []string, err error) {
	if urn, err = c.tail(prefix); err != nil {
		return "", nil, err
	}
	aspects, err = c.list("aspects")
	return urn, aspects, err
}

func (c *call) idsRequest() (urns, aspects []string, err error) {
	if urns, err = c.list("ids"); err != nil {
		return nil, nil, err
	}
	if err = catalog.CheckIDs(urns); err != nil {
		return nil, nil, err
	}
	aspects, err = c.list("aspects")
	return urns, aspects, err
}

// valueAnswer is the member under which legacy reads answer.
type valueAnswer struct {
	Value json.RawMessage `json:"value"`
}

func (c *call) snapshot() error {
	urn, aspects, err := c.entityRequest("/entities")
	if err != nil {
		return err
	}
	found, err := c.catalog.Snapshot(c.Request.Context(), urn, aspects)
	if err != nil {
		return err
	}
	return c.json(http.StatusOK, valueAnswer{found})
}

// batchAnswer is the answer to a request by ids.
type batchAnswer[T any] struct {
	Results  map[string]T      `json:"results"`
	Statuses map[string]int    `json:"statuses"`
	Errors   map[string]string `json:"errors"`
}

func newBatchAnswer[T any](results map[string]T) batchAnswer[T] {
	return batchAnswer[T]{Results: results, Statuses: map[string]int{}, Errors: map[string]string{}}
}

func (c *call) snapshots() error {
	urns, aspects, err := c.idsRequest()
	if err != nil {
		return err
	}
	found, err := c.catalog.Snapshots(c.Request.Context(), urns, aspects)
	if err != nil {
		return err
	}
	results := make(map[string]valueAnswer, len(found))
	for urn, snapshot := range found {
		results[urn] = valueAnswer{snapshot}
	}
	return c.json(http.StatusOK, newBatchAnswer(results))
}

func (c *call) entity() error {
	urn, aspects, err := c.entityRequest("/entitiesV2")
	if err != nil {
		return err
	}
	found, err := c.catalog.Entity(c.Request.Context(), urn, aspects)
	if err != nil {
		return err
	}
	return c.json(http.StatusOK, found)
}

func (c *call) entities() error {
	urns, aspects, err := c.idsRequest()
	if err != nil {
		return err
	}
	found, err := c.catalog.Entities(c.Request.Context(), urns, aspects)
	if err != nil {
		return err
	}
	return c.json(http.StatusOK, newBatchAnswer(found))
}
