package ingest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/headwater-io/headwater/client"
)

// Outgoing is a proposal to send, and what became of it.
type Outgoing struct {
	// Name is what messages call the proposal. Key names its entity: proposals of one entity
	// are written in their order.
	Name, Key string
	Body      json.RawMessage
	// Refusal is why the server did not write it, "" if it did.
	Refusal string
	// Result is what the server answered about it.
	Result Result
}

// Result is what the server answers about one proposal or snapshot.
type Result struct {
	Status  string        `json:"status"`
	Created bool          `json:"created"`
	Error   *client.Error `json:"error"`
}

// statusUnchanged is the status of what is stored already.
const statusUnchanged = "unchanged"

// results is the answer about a batch.
type results struct {
	Value struct {
		Results []Result `json:"results"`
	} `json:"value"`
}

// SendProposals sends proposals in one request, or in several if they are too large for
// one. Proposals that the server has no time for are sent again. One that is refused has
// its Refusal set; the others are written. An error means that some of them may not be
// written.
func SendProposals(ctx context.Context, to *client.Client, batch []*Outgoing) error {
	left := batch
	err := client.Patiently(ctx, func() error {
		results, err := postProposals(ctx, to, left)
		if err != nil {
			return err
		}
		left, err = unanswered(left, results)
		return err
	})
	var refused *client.Error
	switch {
	case !errors.As(err, &refused) || !refused.TooLarge():
		return err
	case len(left) == 1:
		left[0].Refusal = refused.Message
		return nil
	}
	half := len(left) / 2
	if err := SendProposals(ctx, to, left[:half]); err != nil {
		return err
	}
	return SendProposals(ctx, to, left[half:])
}

func postProposals(ctx context.Context, to *client.Client, batch []*Outgoing) ([]Result, error) {
	bodies := make([]json.RawMessage, len(batch))
	for i, one := range batch {
		bodies[i] = one.Body
	}
	var answer results
	if err := to.Post(ctx, "/aspects?action=ingestProposalBatch&partial=true", object(member{"proposals", bodies}), &answer); err != nil {
		return nil, err
	}
	if got := len(answer.Value.Results); got != len(batch) {
		return nil, fmt.Errorf("the server returned %d results for %d proposals", got, len(batch))
	}
	return answer.Value.Results, nil
}

// unanswered records the refusals in a batch, and returns the proposals to send again
// with the reason: those with a transient failure, and what comes after them for the
// same entity, so that the last one remains the last.
func unanswered(batch []*Outgoing, results []Result) (again []*Outgoing, reason error) {
	delayed := map[string]bool{}
	for i, one := range batch {
		failure := results[i].Error
		passing := failure != nil && failure.Temporary()
		switch {
		case passing || delayed[one.Key]:
			delayed[one.Key] = true
			again = append(again, one)
			if passing && reason == nil {
				reason = fmt.Errorf("%s: %w", one.Name, failure)
			}
		case failure != nil:
			one.Refusal = failure.Message
		default:
			one.Result = results[i]
		}
	}
	return again, reason
}
