package rest

import (
	"strconv"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/removal"
	"github.com/headwater-io/headwater/catalog/services"
)

// runHandlers list runs and roll them back.
type runHandlers struct{ catalog *services.Services }

func (h runHandlers) listRuns(c *call) error {
	body := struct {
		Offset      int  `json:"pageOffset"`
		Size        int  `json:"pageSize"`
		IncludeSoft bool `json:"includeSoft"`
	}{Size: 100}
	if err := c.body(&body); err != nil {
		return err
	}
	runs, total, err := h.catalog.Removal.Runs(c.Request.Context(), body.Offset, body.Size, body.IncludeSoft)
	if err != nil {
		return err
	}
	c.Header("X-Total-Count", strconv.FormatInt(total, 10))
	return c.value(runs)
}

func (h runHandlers) describeRun(c *call) error {
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
	rows, err := h.catalog.Removal.DescribeRun(c.Request.Context(), removal.RunQuery(body))
	if err != nil {
		return err
	}
	return c.value(rows)
}

func (h runHandlers) rollbackRun(c *call) error {
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
	return rollBack(c, h.catalog, &removal.RollbackRequest{
		Origin: catalog.Origin{RunID: body.RunID}, DryRun: *body.DryRun, Hard: body.Hard, Limit: body.Limit, After: body.After,
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
