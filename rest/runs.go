package rest

import (
	"net/http"
	"strconv"

	"github.com/headwater-io/headwater/catalog"
)

func runEndpoints() []endpoint {
	const exampleRun = "example-run"
	return []endpoint{
		{
			method: http.MethodPost, path: "/runs", action: "list", tag: "Runs",
			summary: "Ingestion runs of which something is current, the newest first. The header X-Total-Count has their number.",
			parameters: []parameter{
				{"pageOffset", "integer", "0 when left out", false},
				{"pageSize", "integer", "100 when left out, at most 10000", false},
				{"includeSoft", "boolean", "count what soft-deleted entities have, too", false},
			},
			example: example{body: `{"pageOffset":0,"pageSize":10}`},
			handle:  (*call).listRuns,
		},
		{
			method: http.MethodPost, path: "/runs", action: "describe", tag: "Runs",
			summary: "What a run wrote that is current.",
			parameters: []parameter{
				{"runId", "string", "the run", true},
				{"start", "integer", "0 when left out", false},
				{"count", "integer", "100 when left out, at most 10000", false},
				{"includeSoft", "boolean", "of soft-deleted entities, too", false},
				{"includeAspect", "boolean", "with the values", false},
			},
			example: example{body: `{"runId":"` + exampleRun + `","start":0,"count":10}`},
			handle:  (*call).describeRun,
		},
		{
			method: http.MethodPost, path: "/runs", action: "rollback", tag: "Runs", long: true,
			summary: "Take a run back: older versions take the place of its own with their own stamps, what it made is soft-deleted or, unless safe, deleted. May be repeated after an interruption.",
			parameters: []parameter{
				{"runId", "string", "the run", true},
				{"dryRun", "boolean", "count, and change nothing", true},
				{"safe", "boolean", "soft-delete the entities that the run made; true when left out", false},
				{"hardDelete", "boolean", "the opposite of safe, of older clients", false},
				{"limit", "integer", "end after about so many rows; the answer's next is where to go on", false},
				{"after", "string", "an earlier answer's next", false},
			},
			example: example{body: `{"runId":"` + exampleRun + `","dryRun":true,"safe":true}`},
			handle:  (*call).rollbackRun,
		},
	}
}

func (c *call) listRuns() error {
	body := struct {
		Offset      int  `json:"pageOffset"`
		Size        int  `json:"pageSize"`
		IncludeSoft bool `json:"includeSoft"`
	}{Size: 100}
	if err := c.body(&body); err != nil {
		return err
	}
	runs, total, err := c.catalog.Runs(c.Request.Context(), body.Offset, body.Size, body.IncludeSoft)
	if err != nil {
		return err
	}
	c.Header("X-Total-Count", strconv.FormatInt(total, 10))
	return c.value(runs)
}

func (c *call) describeRun() error {
	body := struct {
		RunID         string `json:"runId"`
		Start         int    `json:"start"`
		Count         int    `json:"count"`
		IncludeSoft   bool   `json:"includeSoft"`
		IncludeAspect bool   `json:"includeAspect"`
	}{Count: 100}
	if err := c.body(&body); err != nil {
		return err
	}
	rows, err := c.catalog.DescribeRun(c.Request.Context(), catalog.RunQuery(body))
	if err != nil {
		return err
	}
	return c.value(rows)
}

func (c *call) rollbackRun() error {
	var body struct {
		RunID  string `json:"runId"`
		DryRun *bool  `json:"dryRun"`
		Safe   *bool  `json:"safe"`
		Hard   bool   `json:"hardDelete"`
		Limit  int    `json:"limit"`
		After  string `json:"after"`
	}
	if err := c.body(&body); err != nil {
		return err
	}
	switch {
	case body.RunID == "":
		return catalog.Errorf(catalog.Invalid, "parameter runId is required")
	case body.DryRun == nil:
		return catalog.Errorf(catalog.Invalid, "parameter dryRun is required")
	case body.Safe != nil:
		body.Hard = !*body.Safe
	}
	return c.rollBack(&catalog.RollbackRequest{
		Origin: catalog.Origin{RunID: body.RunID}, DryRun: *body.DryRun, Hard: body.Hard, Limit: body.Limit, After: body.After,
	})
}

func (c *call) rollBack(request *catalog.RollbackRequest) error {
	options, err := c.writeOptions(nil)
	if err != nil {
		return err
	}
	result, err := c.catalog.Rollback(c.Request.Context(), *request, options)
	if err != nil {
		return err
	}
	return c.value(result)
}
