package catalog

import (
	"context"
	"time"

	"github.com/headwater-io/headwater/model"
)

// These are the statuses of an execution request that tell of its rollback.
const (
	rollingBack    = "ROLLING_BACK"
	rolledBack     = "ROLLED_BACK"
	rollbackFailed = "ROLLBACK_FAILED"
)

// rollbackStatusTimeout bounds the attempt to store the status of a failed
// rollback.
const rollbackStatusTimeout = 5 * time.Second

// setRollbackStatus sets the status of a run's execution request, if there is
// one that has a result.
func (c *Catalog) setRollbackStatus(ctx context.Context, runID, status string, o WriteOptions) error {
	if runID == "" {
		return nil
	}
	var urns []string
	for _, d := range c.registry.Dialects() {
		u, err := c.registry.ReadURN("urn:" + d.Namespace + ":" + model.EntityDataHubExecutionRequest + ":" + runID)
		if err == nil { // not every run id can be part of a URN
			urns = append(urns, u.String())
		}
	}
	found, err := c.store.LatestAspects(ctx, urns, []string{model.AspectDataHubExecutionRequestResult})
	if err != nil {
		return storeFailure(err)
	}
	for urn := range found {
		edit := Edit{URN: urn, Aspect: model.AspectDataHubExecutionRequestResult, Change: func(value Tree, _ AuditStamp) error {
			value["status"] = status
			return nil
		}}
		if err := c.edit(ctx, []Edit{edit}, nil, o.withoutWait()); err != nil {
			return err
		}
	}
	return nil
}
