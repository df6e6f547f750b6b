package call

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/internal/intake"
)

// Body decodes the JSON body of a request that is not a batch of writes. Unknown
// top-level members are ignored.
func (c *Call) Body(into any) error { return c.BodyOf(intake.Request, into) }

// BodyOf decodes the JSON body of a request.
func (c *Call) BodyOf(kind intake.Kind, into any) error {
	text, err := intake.ReadJSON(c.Request.Context(), c.Request.Body, kind)
	if err != nil {
		return err
	}
	return DecodeBody(text, into)
}

// DecodeBody decodes a JSON body. The texts of its errors are for the caller.
func DecodeBody(text []byte, into any) error {
	err := json.Unmarshal(text, into)
	var wrongType *json.UnmarshalTypeError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &wrongType):
		return catalog.Errorf(catalog.Invalid, "parameter %s: a JSON %s is not accepted here", wrongType.Field, wrongType.Value)
	case len(bytes.TrimSpace(text)) == 0:
		return catalog.Errorf(catalog.Invalid, "the request has no body")
	}
	return catalog.Errorf(catalog.Invalid, "the body is not valid JSON for this request: %w", err)
}

// HoldValues reserves memory for decoding the values of proposals. The caller must restore
// the former weight of the request's share afterwards.
func (c *Call) HoldValues(proposals []write.Proposal) error {
	ctx := c.Request.Context()
	return intake.ShareOf(ctx).HoldMore(ctx, intake.ValuesWeight(func(yield func([]byte) bool) {
		for i := range proposals {
			if proposals[i].Aspect != nil && !yield(proposals[i].Aspect.Value) {
				return
			}
		}
	}))
}

// MediaTypeLines is the content type of a body or an answer with a JSON text in each line.
const MediaTypeLines = "application/x-ndjson"

// LineError returns the error of line number of a stream, whose text names the line.
func LineError(what string, number int, err error) error {
	var (
		tooLarge *http.MaxBytesError
		slow     *intake.SlowError
		known    *catalog.Error
	)
	switch {
	case errors.As(err, &tooLarge), errors.As(err, &slow): // the error is about the whole body
		return err
	case errors.As(err, &known) && (known.Code == catalog.Invalid || known.Code == catalog.TooLarge):
		return catalog.Errorf(known.Code, "%s %d: %s", what, number, known.Message)
	case errors.As(err, &known), errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	}
	return catalog.Errorf(catalog.Invalid, "%s %d is not valid JSON for this request: %w", what, number, err)
}

// The content types of proposals.
const (
	JSONContent  = "application/json"
	PatchContent = "application/json-patch+json"
)
