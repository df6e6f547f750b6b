package rest

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/internal/intake"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

// exampleTable is the dataset that the examples write and read.
const (
	exampleTable        = "urn:li:dataset:(urn:li:dataPlatform:kafka,example.orders,PROD)"
	exampleTableEncoded = "urn%3Ali%3Adataset%3A%28urn%3Ali%3AdataPlatform%3Akafka%2Cexample.orders%2CPROD%29"
)

func aspectEndpoints() []endpoint {
	return []endpoint{
		{
			method: http.MethodPost, path: "/aspects", action: "ingestProposal", tag: "Write", versioned: true,
			summary: "Change one aspect of one entity: UPSERT, CREATE, PATCH or DELETE. Answers the URN when the change is durable.",
			parameters: []parameter{
				{"proposal", "object", "entityType, entityUrn or entityKeyAspect, changeType, aspectName, aspect{value, contentType}, systemMetadata", true},
				{"async", "string", "accepted; the write is durable before the answer all the same", false},
			},
			example: example{body: `{"proposal":{"entityType":"dataset","entityUrn":"` + exampleTable + `","changeType":"UPSERT","aspectName":"ownership","aspect":{"value":"{\"owners\":[{\"owner\":\"urn:li:corpuser:ada\",\"type\":\"DATAOWNER\"}],\"lastModified\":{\"time\":0,\"actor\":\"urn:li:corpuser:ada\"}}","contentType":"application/json"}}}`},
			handle:  (*call).ingestProposal,
		},
		{
			method: http.MethodPost, path: "/aspects", action: "ingestProposalBatch", tag: "Write",
			summary: "Change many aspects, all of them or none: when one is refused nothing is written, and the error names each refused one. Also takes application/x-ndjson, one proposal a line, of which those that are not refused are written as they come.",
			parameters: []parameter{
				{"proposals", "array", "proposals as ingestProposal takes them", true},
				{"async", "string", "as for ingestProposal", false},
			},
			query:   []parameter{{"partial", "boolean", "each proposal is judged by itself and has its result, in an answer of 200", false}},
			example: example{body: `{"proposals":[{"entityType":"dataset","entityUrn":"` + exampleTable + `","changeType":"UPSERT","aspectName":"datasetProperties","aspect":{"value":"{\"description\":\"One message per order\"}","contentType":"application/json"}}]}`},
			handle:  (*call).ingestProposalBatch,
		},
		{
			method: http.MethodPost, path: "/aspects", action: "getTimeseriesAspectValues", tag: "Read",
			summary: "Values of a time-series aspect, newest first.",
			parameters: []parameter{
				{"urn", "string", "the entity", true},
				{"entity", "string", "the entity's type", true},
				{"aspect", "string", "a time-series aspect", true},
				{"startTimeMillis", "integer", "earliest timestampMillis, included", false},
				{"endTimeMillis", "integer", "latest timestampMillis, included", false},
				{"limit", "integer", "at most 10000, the default", false},
				{"latestValue", "boolean", "the newest value alone", false},
				{"filter", "object", "{or:[{and:[{field, value, values, condition, negated}]}]}", false},
				{"sort", "object", "{field, order: ASCENDING or DESCENDING}", false},
			},
			example: example{body: `{"urn":"` + exampleTable + `","entity":"dataset","aspect":"datasetProfile","startTimeMillis":0,"limit":10}`},
			handle:  (*call).timeSeries,
		},
		{
			method: http.MethodPost, path: "/aspects", action: "getCount", tag: "Read",
			summary: "How many entities have an aspect.",
			parameters: []parameter{
				{"aspect", "string", "the aspect", true},
				{"urnLike", "string", "SQL LIKE pattern that the URN must match", false},
			},
			example: example{body: `{"aspect":"ownership","urnLike":"urn:li:dataset:%"}`},
			handle:  (*call).countAspects,
		},
		{
			method: http.MethodGet, path: "/aspects", tail: true, tag: "Read",
			summary: "One version of an aspect: 0 is the latest, 1 the oldest and rising, -1 the newest archived one.",
			parameters: []parameter{
				{"aspect", "string", "the aspect's name", true},
				{"version", "integer", "the version, 0 when left out", false},
			},
			example: example{tail: exampleTableEncoded, query: "aspect=ownership&version=0"},
			handle:  (*call).versionedAspect,
		},
	}
}

// wireProposal is a proposal as clients send it.
type wireProposal struct {
	EntityType      string                  `json:"entityType"`
	EntityURN       string                  `json:"entityUrn"`
	EntityKeyAspect *model.GenericContent   `json:"entityKeyAspect"`
	ChangeType      string                  `json:"changeType"`
	AspectName      string                  `json:"aspectName"`
	Aspect          *model.GenericContent   `json:"aspect"`
	System          *catalog.SystemMetadata `json:"systemMetadata"`
}

func (p *wireProposal) proposal() catalog.Proposal {
	return catalog.Proposal{
		EntityType: p.EntityType, EntityURN: p.EntityURN, EntityKeyAspect: genericAspect(p.EntityKeyAspect),
		ChangeType: p.ChangeType, AspectName: p.AspectName, Aspect: genericAspect(p.Aspect), System: p.System,
	}
}

func genericAspect(content *model.GenericContent) *catalog.GenericAspect {
	if content == nil {
		return nil
	}
	return &catalog.GenericAspect{Value: []byte(content.Value), ContentType: content.ContentType}
}

func (c *call) ingestProposal() error {
	var body struct {
		Proposal *wireProposal `json:"proposal"`
		Async    any           `json:"async"`
	}
	if err := c.body(&body); err != nil {
		return err
	}
	if body.Proposal == nil {
		return catalog.Errorf(catalog.Invalid, "parameter proposal is required")
	}
	options, err := c.writeOptions(body.Async)
	if err != nil {
		return err
	}
	proposal := body.Proposal.proposal()
	if err := c.holdValues([]catalog.Proposal{proposal}); err != nil {
		return err
	}
	result, err := c.catalog.Ingest(c.Request.Context(), proposal, options)
	if err != nil {
		return err
	}
	return c.value(result.URN)
}

// batchResult is the answer of ingestProposalBatch.
type batchResult struct {
	Results   []itemResult `json:"results"`
	Succeeded int          `json:"succeeded"`
	Failed    int          `json:"failed"`

	refusals catalog.RefusedMembers
}

// note keeps what is to be told of refused items that are about to be added.
func (r *batchResult) note(proposals []catalog.Proposal, items []catalog.BatchItem) {
	for i, item := range items {
		if item.Err != nil {
			r.refusals.Add(catalog.RefusedMember{
				Index: len(r.Results) + i, URN: cmp.Or(item.URN, proposals[i].EntityURN), Aspect: proposals[i].AspectName, Err: item.Err,
			})
		}
	}
}

// itemResult is one proposal's result: status is ok, unchanged or error.
type itemResult struct {
	URN    string     `json:"urn,omitempty"`
	Status string     `json:"status"`
	Error  *itemError `json:"error,omitempty"`
}

type itemError struct {
	Status  int    `json:"status"`
	Message string `json:"message"`
}

func (r *batchResult) add(items []catalog.BatchItem) {
	for _, item := range items {
		result := itemResult{URN: item.URN, Status: "ok"}
		switch {
		case item.Err != nil:
			status, body := statusAndBody(item.Err)
			result.Status, result.Error = "error", &itemError{Status: status, Message: body.Message}
			r.Failed++
		case !item.Changed:
			result.Status = "unchanged"
			r.Succeeded++
		default:
			r.Succeeded++
		}
		r.Results = append(r.Results, result)
	}
}

func (c *call) ingestProposalBatch() error {
	partial, err := c.boolean("partial")
	if err != nil {
		return err
	}
	result := &batchResult{Results: []itemResult{}}
	mediaType, _, err := mime.ParseMediaType(c.GetHeader("Content-Type"))
	if err == nil && mediaType == "application/x-ndjson" {
		err = c.ingestLines(partial, result)
	} else {
		err = c.ingestList(partial, result)
	}
	if err != nil {
		return err
	}
	return c.value(result)
}

func (c *call) ingestList(partial bool, result *batchResult) error {
	var body struct {
		Proposals []wireProposal `json:"proposals"`
		Async     any            `json:"async"`
	}
	if err := c.bodyOf(intake.Batch, &body); err != nil {
		return err
	}
	if body.Proposals == nil {
		return catalog.Errorf(catalog.Invalid, "parameter proposals is required")
	}
	options, err := c.writeOptions(body.Async)
	if err != nil {
		return err
	}
	write := c.catalog.IngestWhole
	if partial {
		write = c.ingestApart
	}
	return c.ingestWire(body.Proposals, options, write, result)
}

// ingestApart writes proposals, each judged by itself, unless the store is down.
func (c *call) ingestApart(ctx context.Context, proposals []catalog.Proposal, options catalog.WriteOptions) ([]catalog.BatchItem, error) {
	items, err := c.catalog.IngestBatch(ctx, proposals, options)
	if err == nil {
		err = allUnavailable(items)
	}
	return items, err
}

// batchWriter writes some proposals.
type batchWriter = func(context.Context, []catalog.Proposal, catalog.WriteOptions) ([]catalog.BatchItem, error)

func (c *call) ingestWire(wire []wireProposal, options catalog.WriteOptions, write batchWriter, result *batchResult) error {
	proposals := make([]catalog.Proposal, len(wire))
	for i := range wire {
		proposals[i] = wire[i].proposal()
	}
	before := intake.ShareOf(c.Request.Context()).Weight()
	if err := c.holdValues(proposals); err != nil {
		return err
	}
	items, err := write(c.Request.Context(), proposals, options)
	if err != nil {
		return err
	}
	result.note(proposals, items)
	result.add(items)
	return intake.ShareOf(c.Request.Context()).Hold(c.Request.Context(), before)
}

// allUnavailable returns the error of a batch of which nothing could be
// written because the store is down, so that the caller tries it again whole.
func allUnavailable(items []catalog.BatchItem) error {
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

// ingestLines writes a stream of proposals as it comes in. A line that is no
// proposal ends it with an error; what came before stays written. So does what
// was not refused when some were, of which the error is told at the end.
func (c *call) ingestLines(partial bool, result *batchResult) error {
	options, err := c.writeOptions(nil)
	if err != nil {
		return err
	}
	ctx := c.Request.Context()
	stream := intake.NewStream(ctx, c.Request.Body, intake.Proposal, c.MaxBodyBytes)
	var wire []wireProposal
	for number := 1; ; number++ {
		text, err := stream.Next(ctx)
		if errors.Is(err, io.EOF) {
			break
		}
		if number > limits.MaxProposals {
			return catalog.Errorf(catalog.Invalid, "the request has more than %d proposals, the limit", limits.MaxProposals)
		}
		var p wireProposal
		if err == nil {
			err = json.Unmarshal(text, &p)
		}
		if err != nil {
			return lineError("proposal", number, err)
		}
		stream.Keep()
		if wire = append(wire, p); len(wire) == linesAtOnce {
			if err := c.ingestWire(wire, options, c.ingestApart, result); err != nil {
				return err
			}
			wire = wire[:0]
			stream.Drop(int64(number) * intake.ResultCost)
		}
	}
	if err := c.ingestWire(wire, options, c.ingestApart, result); err != nil || partial {
		return err
	}
	return result.refusals.Err(len(result.Results), "the others were written")
}

// lineError is what is wrong with one line of a stream.
func lineError(what string, number int, err error) error {
	var (
		tooLarge *http.MaxBytesError
		slow     *intake.SlowError
		known    *catalog.Error
	)
	switch {
	case errors.As(err, &tooLarge), errors.As(err, &slow): // of the whole body
		return err
	case errors.As(err, &known) && (known.Code == catalog.Invalid || known.Code == catalog.TooLarge):
		return catalog.Errorf(known.Code, "%s %d: %s", what, number, known.Message)
	case errors.As(err, &known), errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	}
	return catalog.Errorf(catalog.Invalid, "%s %d is not the JSON it should be: %w", what, number, err)
}

func (c *call) versionedAspect() error {
	urn, err := c.tail("/aspects")
	if err != nil {
		return err
	}
	name, err := c.required("aspect")
	if err != nil {
		return err
	}
	version, err := c.integer("version", 0)
	if err != nil {
		return err
	}
	found, err := c.catalog.Aspect(c.Request.Context(), urn, name, version)
	if err != nil {
		return err
	}
	return c.json(http.StatusOK, struct {
		Version int64                      `json:"version"`
		Aspect  map[string]json.RawMessage `json:"aspect"`
	}{found.Version, map[string]json.RawMessage{found.Record: found.Value}})
}

func (c *call) timeSeries() error {
	var body struct {
		URN    string          `json:"urn"`
		Entity string          `json:"entity"`
		Aspect string          `json:"aspect"`
		Start  *int64          `json:"startTimeMillis"`
		End    *int64          `json:"endTimeMillis"`
		Limit  *int            `json:"limit"`
		Latest bool            `json:"latestValue"`
		Filter *catalog.Filter `json:"filter"`
		Sort   *struct {
			Field string `json:"field"`
			Order string `json:"order"`
		} `json:"sort"`
	}
	if err := c.body(&body); err != nil {
		return err
	}
	for _, p := range []struct{ name, value string }{{"urn", body.URN}, {"entity", body.Entity}, {"aspect", body.Aspect}} {
		if p.value == "" {
			return catalog.Errorf(catalog.Invalid, "parameter %s is required", p.name)
		}
	}
	request := catalog.TimeSeriesRequest{
		URN: body.URN, Entity: body.Entity, Aspect: body.Aspect, Start: body.Start, End: body.End,
		Limit: body.Limit, Latest: body.Latest, Filter: body.Filter,
	}
	if body.Sort != nil {
		switch body.Sort.Order {
		case "ASCENDING", "DESCENDING":
			request.Sort = &catalog.Sort{Field: body.Sort.Field, Descending: body.Sort.Order == "DESCENDING"}
		default:
			return catalog.Errorf(catalog.Invalid, "parameter sort: order must be ASCENDING or DESCENDING, not %q", body.Sort.Order)
		}
	}
	found, err := c.catalog.TimeSeries(c.Request.Context(), request)
	if err != nil {
		return err
	}
	return c.value(found)
}

func (c *call) countAspects() error {
	var body struct {
		Aspect  string `json:"aspect"`
		URNLike string `json:"urnLike"`
	}
	if err := c.body(&body); err != nil {
		return err
	}
	if body.Aspect == "" {
		return catalog.Errorf(catalog.Invalid, "parameter aspect is required")
	}
	n, err := c.catalog.CountAspects(c.Request.Context(), body.Aspect, body.URNLike)
	if err != nil {
		return err
	}
	return c.value(n)
}
