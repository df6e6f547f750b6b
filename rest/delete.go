package rest

import (
	"net/http"
	"strings"

	"github.com/headwater-io/headwater/catalog"
)

func deleteEndpoints() []endpoint {
	return []endpoint{
		{
			method: http.MethodPost, path: "/entities", action: "delete", tag: "Delete", long: true,
			summary: "Delete an entity wholly: versions, time series, edges, search document. What others say of it stays. With aspectName, values of that time-series aspect alone.",
			parameters: []parameter{
				{"urn", "string", "the entity", true},
				{"aspectName", "string", "a time-series aspect", false},
				{"startTimeMillis", "integer", "earliest timestampMillis, included", false},
				{"endTimeMillis", "integer", "latest timestampMillis, included", false},
				{"dryRun", "boolean", "count, and delete nothing", false},
			},
			example: example{body: `{"urn":"urn:li:tag:Nobody","dryRun":true}`},
			handle:  (*call).delete,
		},
		{
			method: http.MethodPost, path: "/entities", action: "batchDelete", tag: "Delete", long: true,
			summary: "Delete up to 1000 entities, wholly or, with soft, by a mark that hides them and can be taken back. May be repeated.",
			parameters: []parameter{
				{"urns", "array", "the entities", true},
				{"soft", "boolean", "mark them as removed", false},
				{"undo", "boolean", "with soft: take the mark away", false},
				{"references", "boolean", "take them out of what others say, too", false},
				{"dryRun", "boolean", "count, and change nothing", false},
				{"systemMetadata", "object", "lastObserved and runId of the marks", false},
			},
			example: example{body: `{"urns":["urn:li:tag:Nobody"],"soft":true,"dryRun":true}`},
			handle:  (*call).batchDelete,
		},
		{
			method: http.MethodPost, path: "/entities", action: "deleteReferences", tag: "Delete", long: true,
			summary: "Take an entity out of what others say of it. The entity itself stays.",
			parameters: []parameter{
				{"urn", "string", "the entity", true},
				{"dryRun", "boolean", "count, and change nothing", false},
			},
			example: example{body: `{"urn":"urn:li:tag:Nobody","dryRun":true}`},
			handle:  (*call).deleteReferences,
		},
		{
			method: http.MethodPost, path: "/entities", action: "deleteAll", tag: "Delete", long: true,
			summary: "Take back everything that was written under a version of a model's registry, as a rollback of a run does.",
			parameters: []parameter{
				{"registryId", "string", "name:version", true},
				{"dryRun", "boolean", "count, and change nothing", false},
				{"soft", "boolean", "soft-delete the entities made under it; true when left out", false},
			},
			example: example{body: `{"registryId":"mycompany-model:0.0.1","dryRun":true}`},
			handle:  (*call).deleteAll,
		},
	}
}

// timeSeriesDeleted is the answer where only values are deleted.
type timeSeriesDeleted struct {
	URN            string `json:"urn"`
	TimeSeriesRows int64  `json:"timeseriesRows"`
}

func (c *call) delete() error {
	var body struct {
		URN    string `json:"urn"`
		Aspect string `json:"aspectName"`
		Start  *int64 `json:"startTimeMillis"`
		End    *int64 `json:"endTimeMillis"`
		DryRun bool   `json:"dryRun"`
	}
	if err := c.body(&body); err != nil {
		return err
	}
	if body.URN == "" {
		return catalog.Errorf(catalog.Invalid, "parameter urn is required")
	}
	options, err := c.writeOptions(nil)
	if err != nil {
		return err
	}
	if body.Aspect != "" {
		n, err := c.catalog.DeleteTimeSeries(c.Request.Context(), catalog.TimeSeriesDeletion{
			URN: body.URN, Aspect: body.Aspect, Start: body.Start, End: body.End, DryRun: body.DryRun,
		}, options)
		if err != nil {
			return err
		}
		return c.value(timeSeriesDeleted{body.URN, n})
	}
	if body.Start != nil || body.End != nil {
		return catalog.Errorf(catalog.Invalid, "a time range needs the aspectName of a time-series aspect")
	}
	deleted, err := c.catalog.Delete(c.Request.Context(), body.URN, body.DryRun, options)
	if err != nil {
		return err
	}
	return c.value(deleted)
}

func (c *call) batchDelete() error {
	var body struct {
		URNs       []string                `json:"urns"`
		Soft       bool                    `json:"soft"`
		Undo       bool                    `json:"undo"`
		References bool                    `json:"references"`
		DryRun     bool                    `json:"dryRun"`
		System     *catalog.SystemMetadata `json:"systemMetadata"`
	}
	if err := c.body(&body); err != nil {
		return err
	}
	if body.URNs == nil {
		return catalog.Errorf(catalog.Invalid, "parameter urns is required")
	}
	options, err := c.writeOptions(nil)
	if err != nil {
		return err
	}
	deleted, err := c.catalog.BatchDelete(c.Request.Context(), catalog.BatchDeletion{
		URNs: body.URNs, Soft: body.Soft, Undo: body.Undo, References: body.References, DryRun: body.DryRun, System: body.System,
	}, options)
	if err != nil {
		return err
	}
	return c.value(deleted)
}

func (c *call) deleteReferences() error {
	var body struct {
		URN    string `json:"urn"`
		DryRun bool   `json:"dryRun"`
	}
	if err := c.body(&body); err != nil {
		return err
	}
	if body.URN == "" {
		return catalog.Errorf(catalog.Invalid, "parameter urn is required")
	}
	options, err := c.writeOptions(nil)
	if err != nil {
		return err
	}
	references, err := c.catalog.DeleteReferences(c.Request.Context(), body.URN, body.DryRun, options)
	if err != nil {
		return err
	}
	return c.value(references)
}

func (c *call) deleteAll() error {
	body := struct {
		Registry string `json:"registryId"`
		DryRun   *bool  `json:"dryRun"`
		Soft     bool   `json:"soft"`
	}{Soft: true}
	if err := c.body(&body); err != nil {
		return err
	}
	name, version, ok := strings.Cut(body.Registry, ":")
	switch {
	case !ok || name == "" || version == "":
		return catalog.Errorf(catalog.Invalid, "parameter registryId must be name:version, not %q", body.Registry)
	case body.DryRun == nil:
		return catalog.Errorf(catalog.Invalid, "parameter dryRun is required")
	}
	return c.rollBack(&catalog.RollbackRequest{
		Origin: catalog.Origin{Registry: catalog.RegistryVersion{Name: name, Version: version}},
		DryRun: *body.DryRun, Hard: !body.Soft,
	})
}
