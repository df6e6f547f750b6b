package write

import (
	"context"
	"encoding/json"
	"strconv"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

// RollbacksURN is the URN under which the records of rollbacks are stored, see [catalog.RollbacksSeries].
// Readers of the catalog do not see this entity. The records belong to no entity of the run, because the
// rollback may delete all of them. The URN is the same in every dialect.
const RollbacksURN = "urn:li:" + model.EntityDataHubUpgrade + ":headwater-rollbacks"

// RollbackRecord describes a rollback of a run, or of a part of one, when no value of the run is current any
// more.
type RollbackRecord struct {
	RunID string `json:"runId"`
	Hard  bool   `json:"hard,omitempty"`
	// Rows and TimeSeriesRows count the latest versions and the values that were rolled back.
	// Entities counts the entities that had any of them when the rollback began.
	Rows           int64 `json:"rows"`
	TimeSeriesRows int64 `json:"timeseriesRows,omitempty"`
	Entities       int64 `json:"entities"`
	// First and Latest are when the run wrote the first and the last of the rows, epoch
	// milliseconds, 0 if that is not known. Actor wrote them, in a run of Pipeline.
	First    int64  `json:"first,omitempty"`
	Latest   int64  `json:"latest,omitempty"`
	Actor    string `json:"actor,omitempty"`
	Pipeline string `json:"pipeline,omitempty"`
	// Finished: the rollback came to its end. The same request would roll back nothing more of the
	// run.
	Finished bool `json:"finished,omitempty"`

	// At is when the rollback, or the part, began, epoch milliseconds, and By the actor
	// who did it.
	At int64  `json:"-"`
	By string `json:"-"`
}

// checkRollbackRecords refuses writes about [RollbacksURN], which would make the entity exist.
func (w *Writer) checkRollbackRecords(u model.URN) error {
	if u.String() == RollbacksURN {
		return catalog.Errorf(catalog.Invalid, "the urn %s is that of the records of rollbacks; nothing can be written about it", u)
	}
	return nil
}

// RecordRollback stores the record of a rollback. A record without At is new, and gets the time and
// the actor. A record with At replaces the stored one.
func (w *Writer) RecordRollback(ctx context.Context, r *RollbackRecord, actor string) error {
	const urn = RollbacksURN
	value, err := json.Marshal(r)
	if err != nil {
		return catalog.Errorf(catalog.Internal, "the record of a rollback: %w", err)
	}
	var at int64
	err = w.commit(ctx, []string{urn}, func(tx graphstore.Tx) error {
		if at = r.At; at == 0 {
			at = tx.Now()
		}
		stored := graphstore.TimeSeriesValue{
			URN: urn, Aspect: catalog.RollbacksSeries, Key: strconv.FormatInt(at, 10) + " " + r.RunID, Timestamp: at,
			Value: value, CreatedOn: at, CreatedBy: actor,
		}
		return tx.Write(graphstore.Batch{
			Nodes:         []graphstore.NodeUpdate{{URN: urn, Type: model.EntityDataHubUpgrade}},
			PutTimeSeries: []graphstore.TimeSeriesValue{stored},
			Changes:       []graphstore.Change{noteOf(&stored, model.EntityDataHubUpgrade, tx.Now(), actor)},
		})
	})
	if err == nil {
		w.written.Signal()
	}
	r.At, r.By = at, actor
	return catalog.StoreFailure(err)
}

// RollbackRecords returns the newest records of rollbacks, limits.MaxRollbackRecords at most, the
// newest first. A record that cannot be read is logged and left out.
func (w *Writer) RollbackRecords(ctx context.Context) ([]RollbackRecord, error) {
	values, err := w.store.TimeSeries(ctx, graphstore.TimeSeriesQuery{
		URN: RollbacksURN, Aspect: catalog.RollbacksSeries, Limit: limits.MaxRollbackRecords,
	})
	if err != nil {
		return nil, catalog.StoreFailure(err)
	}
	records := make([]RollbackRecord, 0, len(values))
	for i := range values {
		record := RollbackRecord{}
		if err := json.Unmarshal(values[i].Value, &record); err != nil {
			w.logger.WarnContext(ctx, "the record of a rollback cannot be read", "key", values[i].Key, "error", err)
			continue
		}
		record.At, record.By = values[i].Timestamp, values[i].CreatedBy
		records = append(records, record)
	}
	return records, nil
}
