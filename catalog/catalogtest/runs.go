package catalogtest

import (
	"context"
	"strings"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/removal"
	"github.com/headwater-io/headwater/catalog/write"
)

// InRun is a proposal of a run.
func InRun(run, urn, aspect, value string) write.Proposal {
	entityType, _, _ := strings.Cut(strings.TrimPrefix(urn, "urn:li:"), ":")
	return write.Proposal{
		EntityType: entityType, EntityURN: urn, AspectName: aspect,
		System: &catalog.SystemMetadata{RunID: run, LastObserved: 7, PipelineName: "pipeline of " + run, SchemaVersion: 2},
		Aspect: &write.GenericAspect{Value: []byte(value), ContentType: "application/json"},
	}
}

func (h *Harness) Run(run, urn, aspect, value string) {
	h.T.Helper()
	h.Attempt("", InRun(run, urn, aspect, value))
}

func (h *Harness) Rollback(want catalog.Code, r removal.RollbackRequest) *removal.Rollback {
	h.T.Helper()
	result, err := h.Removal.Rollback(context.Background(), r, catalog.WriteOptions{Actor: Ada})
	h.Want(want, err)
	return result
}

func OfRun(run string) removal.Origin { return removal.Origin{RunID: run} }

const ProfileValue = `{"timestampMillis":%d,"rowCount":1}`
