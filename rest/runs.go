package rest

import (
	"strconv"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/removal"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/internal/limits"
)

// runHandlers list runs and roll them back.
type runHandlers struct{ catalog *services.Services }

func (h runHandlers) listRuns(c *call) error {
	body := runsBody{Size: limits.DefaultRuns}
	if err := c.body(&body); err != nil {
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
	return c.value(runs)
}

type runsBody struct {
	Offset      wireInt  `json:"pageOffset"`
	Size        wireInt  `json:"pageSize"`
	IncludeSoft wireBool `json:"includeSoft"`
	Overview    wireBool `json:"overview"`
	Bookkeeping wireBool `json:"bookkeeping"`
	Pipeline    string   `json:"pipeline"`
	RunID       string   `json:"runId"`
}

func (h runHandlers) currentRuns(c *call, body *runsBody) ([]removal.RunSummary, int64, error) {
	return h.catalog.Removal.Runs(c.Request.Context(), int(body.Offset), int(body.Size), bool(body.IncludeSoft))
}

func (h runHandlers) overviewOfRuns(c *call, body *runsBody) ([]removal.RunSummary, int64, error) {
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

func (h runHandlers) describeRun(c *call) error {
	body := struct {
		RunID         string   `json:"runId"`
		Start         wireInt  `json:"start"`
		Count         wireInt  `json:"count"`
		IncludeSoft   wireBool `json:"includeSoft"`
		IncludeAspect wireBool `json:"includeAspect"`
	}{Count: limits.DefaultRunRows}
	if err := c.body(&body); err != nil {
		return err
	}
	rows, err := h.catalog.Removal.DescribeRun(c.Request.Context(), removal.RunQuery{
		RunID: body.RunID, Start: int(body.Start), Count: int(body.Count), IncludeSoft: bool(body.IncludeSoft), IncludeAspect: bool(body.IncludeAspect),
	})
	if err != nil {
		return err
	}
	return c.value(rows)
}

func (h runHandlers) rollbackRun(c *call) error {
	var body struct {
		RunID  string    `json:"runId"`
		DryRun *wireBool `json:"dryRun"`
		Safe   *wireBool `json:"safe"`
		Hard   wireBool  `json:"hardDelete"`
		Limit  wireInt   `json:"limit"`
		After  string    `json:"after"`
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
	return rollBack(c, h.catalog, &removal.RollbackRequest{
		Origin: catalog.Origin{RunID: body.RunID}, DryRun: bool(*body.DryRun), Hard: bool(body.Hard), Limit: int(body.Limit), After: body.After,
	})
}

// rollBack rolls back and answers with the result.
func rollBack(c *call, rules *services.Services, request *removal.RollbackRequest) error {
	options, err := c.writeOptions(nil)
	if err != nil {
		return err
	}
	result, err := rules.Removal.Rollback(c.Request.Context(), *request, options)
	if err != nil {
		return err
	}
	return c.value(result)
}
