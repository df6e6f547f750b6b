package restli

import (
	"encoding/json"
	"net/http"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/internal/intake"
	"github.com/headwater-io/headwater/rest/call"
)

// snapshotHandlers write and read entities in the legacy form.
type snapshotHandlers struct{ catalog *services.Services }

// wireEntity is a snapshot as clients send it.
type wireEntity struct {
	Value json.RawMessage `json:"value"`
}

func (h snapshotHandlers) ingestSnapshot(c *call.Call) error {
	var body struct {
		Entity *wireEntity             `json:"entity"`
		System *catalog.SystemMetadata `json:"systemMetadata"`
	}
	if err := c.BodyOf(intake.Snapshots, &body); err != nil {
		return err
	}
	if body.Entity == nil {
		return catalog.Errorf(catalog.Invalid, "parameter entity is required")
	}
	return h.writeSnapshots(c, []write.Snapshot{{Value: body.Entity.Value, System: body.System}})
}

func (h snapshotHandlers) ingestSnapshots(c *call.Call) error {
	var body struct {
		Entities []wireEntity              `json:"entities"`
		System   []*catalog.SystemMetadata `json:"systemMetadata"`
	}
	if err := c.BodyOf(intake.Snapshots, &body); err != nil {
		return err
	}
	if body.Entities == nil {
		return catalog.Errorf(catalog.Invalid, "parameter entities is required")
	}
	if body.System != nil && len(body.System) != len(body.Entities) {
		return catalog.Errorf(catalog.Mismatch, "entities and systemMetadata length must match")
	}
	snapshots := make([]write.Snapshot, len(body.Entities))
	for i, entity := range body.Entities {
		snapshots[i].Value = entity.Value
		if body.System != nil {
			snapshots[i].System = body.System[i]
		}
	}
	return h.writeSnapshots(c, snapshots)
}

func (h snapshotHandlers) writeSnapshots(c *call.Call, snapshots []write.Snapshot) error {
	options, err := c.WriteOptions(nil)
	if err != nil {
		return err
	}
	wanted, err := c.Boolean("results")
	if err != nil {
		return err
	}
	written, err := h.catalog.IngestSnapshots(c.Request.Context(), snapshots, options)
	if err != nil {
		return err
	}
	if !wanted { // older clients expect an empty body
		return c.Nothing()
	}
	result := batchResult{Results: make([]itemResult, len(written)), Succeeded: len(written)}
	for i := range written {
		result.Results[i] = resultOf(&written[i])
	}
	return c.Answer(&result)
}

// valueAnswer is the answer of legacy reads.
type valueAnswer struct {
	Value json.RawMessage `json:"value"`
}

func (h snapshotHandlers) snapshot(c *call.Call) error {
	urn, aspects, err := readEntityRequest(c, "/entities")
	if err != nil {
		return err
	}
	found, err := h.catalog.Snapshot(c.Request.Context(), urn, aspects)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, valueAnswer{found})
}

func (h snapshotHandlers) snapshots(c *call.Call) error {
	urns, aspects, err := readIDsRequest(c)
	if err != nil {
		return err
	}
	found, err := h.catalog.Snapshots(c.Request.Context(), urns, aspects)
	if err != nil {
		return err
	}
	results := make(map[string]valueAnswer, len(found))
	for urn, snapshot := range found {
		results[urn] = valueAnswer{snapshot}
	}
	return c.JSON(http.StatusOK, newBatchAnswer(results))
}
