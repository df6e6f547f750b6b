package restli

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"mime"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/internal/intake"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/rest/call"
)

// proposalHandlers write aspects, one by one and in batches.
type proposalHandlers struct {
	catalog *services.Services
	// maxBody is the longest line of a stream, in bytes.
	maxBody int64
}

func (h proposalHandlers) ingestProposal(c *call.Call) error {
	var body struct {
		Proposal *write.ProposalJSON `json:"proposal"`
		Async    any                 `json:"async"`
	}
	if err := c.Body(&body); err != nil {
		return err
	}
	if body.Proposal == nil {
		return catalog.Errorf(catalog.Invalid, "parameter proposal is required")
	}
	options, err := c.WriteOptions(body.Async)
	if err != nil {
		return err
	}
	proposal := body.Proposal.Proposal()
	if err := c.HoldValues([]write.Proposal{proposal}); err != nil {
		return err
	}
	result, err := h.catalog.Ingest(c.Request.Context(), proposal, options)
	if err != nil {
		return err
	}
	return c.Answer(result.URN)
}

func (h proposalHandlers) ingestProposalBatch(c *call.Call) error {
	partial, err := c.Boolean("partial")
	if err != nil {
		return err
	}
	result := &batchResult{Results: []itemResult{}}
	mediaType, _, err := mime.ParseMediaType(c.GetHeader("Content-Type"))
	if err == nil && mediaType == "application/x-ndjson" {
		err = h.ingestLines(c, partial, result)
	} else {
		err = h.ingestList(c, partial, result)
	}
	if err != nil {
		return err
	}
	return c.Answer(result)
}

func (h proposalHandlers) ingestList(c *call.Call, partial bool, result *batchResult) error {
	var body struct {
		Proposals []write.ProposalJSON `json:"proposals"`
		Async     any                  `json:"async"`
	}
	if err := c.BodyOf(intake.Batch, &body); err != nil {
		return err
	}
	if body.Proposals == nil {
		return catalog.Errorf(catalog.Invalid, "parameter proposals is required")
	}
	options, err := c.WriteOptions(body.Async)
	if err != nil {
		return err
	}
	write := h.catalog.IngestWhole
	if partial {
		write = h.ingestApart
	}
	return h.ingestWire(c, body.Proposals, options, write, result)
}

// batchWriter writes some proposals.
type batchWriter = func(context.Context, []write.Proposal, catalog.WriteOptions) ([]write.BatchItem, error)

// ingestApart writes each proposal independently of the others. It returns an error only if
// the store is not available.
func (h proposalHandlers) ingestApart(ctx context.Context, proposals []write.Proposal, options catalog.WriteOptions) ([]write.BatchItem, error) {
	items, err := h.catalog.IngestBatch(ctx, proposals, options)
	if err == nil {
		err = allUnavailable(items)
	}
	return items, err
}

func (h proposalHandlers) ingestWire(c *call.Call, wire []write.ProposalJSON, options catalog.WriteOptions, writeBatch batchWriter, result *batchResult) error {
	proposals := make([]write.Proposal, len(wire))
	for i := range wire {
		proposals[i] = wire[i].Proposal()
	}
	before := intake.ShareOf(c.Request.Context()).Weight()
	if err := c.HoldValues(proposals); err != nil {
		return err
	}
	items, err := writeBatch(c.Request.Context(), proposals, options)
	if err != nil {
		return err
	}
	result.note(proposals, items)
	result.add(items)
	return intake.ShareOf(c.Request.Context()).Hold(c.Request.Context(), before)
}

// allUnavailable returns an error if every item failed because the store is not available,
// so that the caller retries the whole batch.
func allUnavailable(items []write.BatchItem) error {
	for _, item := range items {
		if catalog.CodeOf(item.Err) != catalog.Unavailable {
			return nil
		}
	}
	if len(items) == 0 {
		return nil
	}
	return items[0].Err
}

// linesAtOnce is how many lines of a stream are written together.
const linesAtOnce = 2000

// ingestLines writes a stream of proposals as it arrives. A line that is not a proposal
// ends the stream with an error; the proposals before it remain written. If proposals are
// refused, the others are written, and the error follows at the end of the stream.
func (h proposalHandlers) ingestLines(c *call.Call, partial bool, result *batchResult) error {
	options, err := c.WriteOptions(nil)
	if err != nil {
		return err
	}
	ctx := c.Request.Context()
	stream := intake.NewStream(ctx, c.Request.Body, intake.Proposal, h.maxBody)
	var wire []write.ProposalJSON
	for number := 1; ; number++ {
		text, err := stream.Next(ctx)
		if errors.Is(err, io.EOF) {
			break
		}
		if number > limits.MaxProposals {
			return catalog.Errorf(catalog.Invalid, "the request has more than %d proposals, the limit", limits.MaxProposals)
		}
		var p write.ProposalJSON
		if err == nil {
			err = json.Unmarshal(text, &p)
		}
		if err != nil {
			return call.LineError("proposal", number, err)
		}
		stream.Keep()
		if wire = append(wire, p); len(wire) == linesAtOnce {
			if err := h.ingestWire(c, wire, options, h.ingestApart, result); err != nil {
				return err
			}
			wire = wire[:0]
			stream.Drop(int64(number) * intake.ResultCost)
		}
	}
	if err := h.ingestWire(c, wire, options, h.ingestApart, result); err != nil || partial {
		return err
	}
	return result.refusals.Err(len(result.Results), "the others were written")
}
