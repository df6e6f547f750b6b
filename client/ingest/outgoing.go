package ingest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/headwater-io/headwater/client"
)

// Outgoing is a proposal to send, with its result.
type Outgoing struct {
	// Name is the proposal's name in messages. Key names its entity: proposals with the same
	// key are written in their order.
	Name, Key string
	Body      json.RawMessage
	// Refusal is why the server refused the proposal, "" if it did not.
	Refusal string
	// Result is the server's answer about the proposal.
	Result Result
}

// Result is the server's answer about one proposal or snapshot.
type Result struct {
	Status  string        `json:"status"`
	Created bool          `json:"created"`
	Error   *client.Error `json:"error"`
}

// statusUnchanged is the status of a value that was already stored.
const statusUnchanged = "unchanged"

// results is the server's answer about a batch.
type results struct {
	Value struct {
		Results []Result `json:"results"`
	} `json:"value"`
}

// SendProposals sends proposals in one request, or in several if one would be too large. It
// sends proposals again for which the server is too busy. It sets the Refusal of each
// refused proposal; the others are written. If it returns an error, some proposals may not
// be written.
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

// unanswered records the refusals of a batch. It returns the proposals to send again, and
// the reason. These are the proposals with a temporary failure, and the later ones for the
// same entities, so that the last proposal of an entity is still written last.
func unanswered(batch []*Outgoing, results []Result) (resend []*Outgoing, reason error) {
	delayed := map[string]bool{}
	for i, one := range batch {
		failure := results[i].Error
		passing := failure != nil && failure.Temporary()
		switch {
		case passing || delayed[one.Key]:
			delayed[one.Key] = true
			resend = append(resend, one)
			if passing && reason == nil {
				reason = fmt.Errorf("%s: %w", one.Name, failure)
			}
		case failure != nil:
			one.Refusal = failure.Message
		default:
			one.Result = results[i]
		}
	}
	return resend, reason
}
