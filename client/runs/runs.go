// Package runs has the calls of executors, which take runs of ingestion sources from a server, tell how they go
// on, and end them.
package runs

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/headwater-io/headwater/catalog/ingestion"
	"github.com/headwater-io/headwater/client"
)

// Queue is the queue of runs of a server. It is safe for concurrent use.
type Queue struct{ server *client.Client }

// New returns the queue of a server. The timeout of the client must be longer than the waits of claims.
func New(server *client.Client) *Queue { return &Queue{server} }

// Claim takes a run, and waits for one for up to wait, in full seconds, at most limits.IngestionWait. It
// returns nil if none came.
func (q *Queue) Claim(ctx context.Context, claim ingestion.Claim, wait time.Duration) (*ingestion.Run, error) {
	run := &ingestion.Run{}
	err := q.post(ctx, "claim", struct {
		ingestion.Claim
		Wait int `json:"wait,omitempty"`
	}{claim, int(wait / time.Second)}, run)
	if err != nil || run.URN == "" {
		return nil, err
	}
	return run, nil
}

// Renew renews the lease of a run and tells how it goes on. Its error satisfies [IsGone] if the caller does
// not have the run any more.
func (q *Queue) Renew(ctx context.Context, p ingestion.Progress) (*ingestion.Renewed, error) {
	renewed := &ingestion.Renewed{}
	if err := q.post(ctx, "renew", p, renewed); err != nil {
		return nil, err
	}
	return renewed, nil
}

// End ends a run. It may be repeated until it succeeds, or until its error satisfies [IsGone].
func (q *Queue) End(ctx context.Context, o ingestion.Outcome) error {
	return q.post(ctx, "end", o, nil)
}

// Secrets returns the secrets that the recipe of a run names.
func (q *Queue) Secrets(ctx context.Context, lease string) ([]ingestion.Secret, error) {
	var found ingestion.Secrets
	err := q.post(ctx, "secrets", ingestion.Leased{Lease: lease}, &found)
	return found.Secrets, err
}

// IsGone reports whether the server has answered that the caller does not have a run any more: it has ended,
// or its lease has.
func IsGone(err error) bool {
	var answer *client.Error
	return errors.As(err, &answer) && answer.Gone()
}

func (q *Queue) post(ctx context.Context, action string, value, into any) error {
	body, err := json.Marshal(value)
	if err != nil {
		return err
	}
	return q.server.Post(ctx, "/ingestion/"+action, body, into)
}
