package removal

import (
	"context"
	"time"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/model"
)

// These are the statuses that a rollback gives to the execution request of its run.
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
func (s *Service) setRollbackStatus(ctx context.Context, runID, status string, o catalog.WriteOptions) error {
	if runID == "" {
		return nil
	}
	found, err := s.store.LatestAspects(ctx, model.RequestsOfRun(s.names.Registry(), runID), []string{model.AspectDataHubExecutionRequestResult})
	if err != nil {
		return catalog.StoreFailure(err)
	}
	for urn := range found {
		edit := write.Edit{URN: model.StoredURN(urn), Aspect: model.AspectDataHubExecutionRequestResult, Change: func(value catalog.Tree, _ catalog.AuditStamp) error {
			value["status"] = status
			return nil
		}}
		if err := s.writer.EditWith(ctx, []write.Edit{edit}, nil, o.WithoutWait()); err != nil {
			return err
		}
	}
	return nil
}
