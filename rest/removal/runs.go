package removal

import (
	"strconv"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/removal"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/rest/call"
)

// runHandlers list runs and roll them back.
type runHandlers struct{ catalog *services.Services }

func (h runHandlers) listRuns(c *call.Call) error {
	body := runsBody{Size: limits.DefaultRuns}
	if err := c.Body(&body); err != nil {
		return err
	}
	list := h.currentRuns
	switch {
	case bool(body.Overview):
		list = h.overviewOfRuns
	case bool(body.Bookkeeping) || body.Pipeline != "" || body.RunID != "":
		return catalog.Errorf(catalog.Invalid, "bookkeeping, pipeline and runId are parameters of an overview: set overview too")
	}
	runs, total, err := list(c, &body)
	if err != nil {
		return err
	}
	c.Header("X-Total-Count", strconv.FormatInt(total, 10))
	return c.Answer(runs)
}

type runsBody struct {
	Offset      call.Int  `json:"pageOffset"`
	Size        call.Int  `json:"pageSize"`
	IncludeSoft call.Bool `json:"includeSoft"`
	Overview    call.Bool `json:"overview"`
	Bookkeeping call.Bool `json:"bookkeeping"`
	Pipeline    string    `json:"pipeline"`
	RunID       string    `json:"runId"`
}

func (h runHandlers) currentRuns(c *call.Call, body *runsBody) ([]removal.RunSummary, int64, error) {
	return h.catalog.Removal.Runs(c.Request.Context(), int(body.Offset), int(body.Size), bool(body.IncludeSoft))
}

func (h runHandlers) overviewOfRuns(c *call.Call, body *runsBody) ([]removal.RunSummary, int64, error) {
	if body.RunID != "" {
		run, _, err := h.catalog.Removal.RunNamed(c.Request.Context(), body.RunID)
		if run == nil || err != nil {
			return []removal.RunSummary{}, 0, err
		}
		return []removal.RunSummary{run.Summary(bool(body.IncludeSoft))}, 1, nil
	}
	found, total, err := h.catalog.Removal.ListRuns(c.Request.Context(), removal.RunsRequest{
		Start: int(body.Offset), Count: int(body.Size), Pipeline: body.Pipeline, Bookkeeping: bool(body.Bookkeeping), WithoutRemoved: !bool(body.IncludeSoft),
	})
	runs := make([]removal.RunSummary, len(found))
	for i := range found {
		runs[i] = found[i].Summary(bool(body.IncludeSoft))
	}
	return runs, total, err
}

func (h runHandlers) describeRun(c *call.Call) error {
	body := struct {
		RunID         string    `json:"runId"`
		Start         call.Int  `json:"start"`
		Count         call.Int  `json:"count"`
		IncludeSoft   call.Bool `json:"includeSoft"`
		IncludeAspect call.Bool `json:"includeAspect"`
	}{Count: limits.DefaultRunRows}
	if err := c.Body(&body); err != nil {
		return err
	}
	rows, err := h.catalog.Removal.DescribeRun(c.Request.Context(), removal.RunQuery{
		RunID: body.RunID, Start: int(body.Start), Count: int(body.Count), IncludeSoft: bool(body.IncludeSoft), IncludeAspect: bool(body.IncludeAspect),
	})
	if err != nil {
		return err
	}
	return c.Answer(rows)
}

func (h runHandlers) rollbackRun(c *call.Call) error {
	var body struct {
		RunID  string     `json:"runId"`
		DryRun *call.Bool `json:"dryRun"`
		Safe   *call.Bool `json:"safe"`
		Hard   call.Bool  `json:"hardDelete"`
		Limit  call.Int   `json:"limit"`
		After  string     `json:"after"`
	}
	if err := c.Body(&body); err != nil {
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
	return rollBack(c, h.catalog, &removal.RollbackRequest{
		Origin: removal.Origin{RunID: body.RunID}, DryRun: bool(*body.DryRun), Hard: bool(body.Hard), Limit: int(body.Limit), After: body.After,
	})
}

// rollBack rolls a run back and answers with the result.
func rollBack(c *call.Call, rules *services.Services, request *removal.RollbackRequest) error {
	options, err := c.WriteOptions(nil)
	if err != nil {
		return err
	}
	result, err := rules.Removal.Rollback(c.Request.Context(), *request, options)
	if err != nil {
		return err
	}
	return c.Answer(result)
}
