package removal

import (
	"strings"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/removal"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/rest/call"
)

// deleteHandlers delete entities, values and references.
type deleteHandlers struct{ catalog *services.Services }

// timeSeriesDeleted is the answer if only time-series values are deleted.
type timeSeriesDeleted struct {
	URN            string `json:"urn"`
	TimeSeriesRows int64  `json:"timeseriesRows"`
}

func (h deleteHandlers) delete(c *call.Call) error {
	var body struct {
		URN    string      `json:"urn"`
		Aspect string      `json:"aspectName"`
		Start  *call.Int64 `json:"startTimeMillis"`
		End    *call.Int64 `json:"endTimeMillis"`
		DryRun call.Bool   `json:"dryRun"`
	}
	if err := c.Body(&body); err != nil {
		return err
	}
	urn, err := c.RequiredURN("urn", body.URN)
	if err != nil {
		return err
	}
	options, err := c.WriteOptions(nil)
	if err != nil {
		return err
	}
	if body.Aspect != "" {
		n, err := h.catalog.Removal.DeleteTimeSeries(c.Request.Context(), removal.TimeSeriesDeletion{
			URN: urn, Aspect: body.Aspect, Start: (*int64)(body.Start), End: (*int64)(body.End), DryRun: bool(body.DryRun),
		}, options)
		if err != nil {
			return err
		}
		return c.Answer(timeSeriesDeleted{body.URN, n})
	}
	if body.Start != nil || body.End != nil {
		return catalog.Errorf(catalog.Invalid, "a time range needs the aspectName of a time-series aspect")
	}
	deleted, err := h.catalog.Removal.Delete(c.Request.Context(), urn, bool(body.DryRun), options)
	if err != nil {
		return err
	}
	return c.Answer(deleted)
}

func (h deleteHandlers) batchDelete(c *call.Call) error {
	var body struct {
		URNs       []string                `json:"urns"`
		Soft       call.Bool               `json:"soft"`
		Undo       call.Bool               `json:"undo"`
		References call.Bool               `json:"references"`
		DryRun     call.Bool               `json:"dryRun"`
		System     *catalog.SystemMetadata `json:"systemMetadata"`
	}
	if err := c.Body(&body); err != nil {
		return err
	}
	if body.URNs == nil {
		return catalog.Errorf(catalog.Invalid, "parameter urns is required")
	}
	options, err := c.WriteOptions(nil)
	if err != nil {
		return err
	}
	urns, err := c.URNList(body.URNs)
	if err != nil {
		return err
	}
	deleted, err := h.catalog.Removal.BatchDelete(c.Request.Context(), removal.BatchDeletion{
		URNs: urns, Soft: bool(body.Soft), Undo: bool(body.Undo), References: bool(body.References), DryRun: bool(body.DryRun), System: body.System,
	}, options)
	if err != nil {
		return err
	}
	return c.Answer(deleted)
}

func (h deleteHandlers) deleteReferences(c *call.Call) error {
	var body struct {
		URN    string    `json:"urn"`
		DryRun call.Bool `json:"dryRun"`
	}
	if err := c.Body(&body); err != nil {
		return err
	}
	urn, err := c.RequiredURN("urn", body.URN)
	if err != nil {
		return err
	}
	options, err := c.WriteOptions(nil)
	if err != nil {
		return err
	}
	references, err := h.catalog.Removal.DeleteReferences(c.Request.Context(), urn, bool(body.DryRun), options)
	if err != nil {
		return err
	}
	return c.Answer(references)
}

func (h deleteHandlers) deleteAll(c *call.Call) error {
	body := struct {
		Registry string     `json:"registryId"`
		DryRun   *call.Bool `json:"dryRun"`
		Soft     call.Bool  `json:"soft"`
	}{Soft: true}
	if err := c.Body(&body); err != nil {
		return err
	}
	name, version, ok := strings.Cut(body.Registry, ":")
	switch {
	case !ok || name == "" || version == "":
		return catalog.Errorf(catalog.Invalid, "parameter registryId must be name:version, not %q", body.Registry)
	case body.DryRun == nil:
		return catalog.Errorf(catalog.Invalid, "parameter dryRun is required")
	}
	return rollBack(c, h.catalog, &removal.RollbackRequest{
		Origin: removal.Origin{Registry: removal.RegistryVersion{Name: name, Version: version}},
		DryRun: bool(*body.DryRun), Hard: !bool(body.Soft),
	})
}
