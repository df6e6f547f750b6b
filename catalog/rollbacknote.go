package catalog

import (
	"context"
	"time"
)

// What an execution request says of its rollback.
const (
	rollingBack    = "ROLLING_BACK"
	rolledBack     = "ROLLED_BACK"
	rollbackFailed = "ROLLBACK_FAILED"
)

// rollbackStatusTimeout bounds how long the end of a failed rollback is tried to be noted.
const rollbackStatusTimeout = 5 * time.Second

// The result of an ingestion that was asked for through the catalog.
const (
	executionRequest       = "dataHubExecutionRequest"
	executionRequestResult = "dataHubExecutionRequestResult"
)

// setRollbackStatus says on the execution request of a run, where there is one that
// has a result, how its rollback stands.
func (c *Catalog) setRollbackStatus(ctx context.Context, runID, status string, o WriteOptions) error {
	if runID == "" {
		return nil
	}
	var urns []string
	for _, d := range c.registry.Dialects() {
		u, err := c.registry.ReadURN("urn:" + d.Namespace + ":" + executionRequest + ":" + runID)
		if err == nil { // not every run id can be part of a URN
			urns = append(urns, u.String())
		}
	}
	found, err := c.store.LatestAspects(ctx, urns, []string{executionRequestResult})
	if err != nil {
		return storeFailure(err)
	}
	for urn := range found {
		edit := Edit{URN: urn, Aspect: executionRequestResult, Change: func(value Tree, _ AuditStamp) error {
			value["status"] = status
			return nil
		}}
		if err := c.edit(ctx, []Edit{edit}, nil, o.withoutWait()); err != nil {
			return err
		}
	}
	return nil
}
