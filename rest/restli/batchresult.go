package restli

import (
	"cmp"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/rest/call"
)

// batchResult is the answer of ingestProposalBatch.
type batchResult struct {
	Results   []itemResult `json:"results"`
	Succeeded int          `json:"succeeded"`
	Failed    int          `json:"failed"`

	refusals catalog.RefusedMembers
}

// itemResult is the result of one proposal or snapshot. Its status is ok, unchanged or
// error. Created: the aspect had no value before.
type itemResult struct {
	URN     string          `json:"urn,omitempty"`
	Status  string          `json:"status"`
	Created bool            `json:"created,omitempty"`
	Error   *call.ItemError `json:"error,omitempty"`
}

func resultOf(written *write.Result) itemResult {
	r := itemResult{URN: written.URN, Status: "unchanged"}
	if written.Changed {
		r.Status, r.Created = "ok", written.Created
	}
	return r
}

// note records the errors of refused items. The caller must call it before it adds the
// items.
func (r *batchResult) note(proposals []write.Proposal, items []write.BatchItem) {
	for i, item := range items {
		if item.Err != nil {
			r.refusals.Add(catalog.RefusedMember{
				Index: len(r.Results) + i, URN: cmp.Or(item.URN, proposals[i].EntityURN), Aspect: proposals[i].AspectName, Err: item.Err,
			})
		}
	}
}

func (r *batchResult) add(items []write.BatchItem) {
	for i := range items {
		result := resultOf(&items[i].Result)
		if err := items[i].Err; err != nil {
			status, body := call.StatusAndBody(err)
			result.Status, result.Error = "error", &call.ItemError{Status: status, Message: body.Message}
			r.Failed++
		} else {
			r.Succeeded++
		}
		r.Results = append(r.Results, result)
	}
}
