// Package ingestion has the calls by which executors take runs of ingestion sources, tell how they go on, and
// end them.
package ingestion

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/ingestion"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/rest/call"
	"github.com/headwater-io/headwater/rest/sse"
)

// Path begins the paths of all calls of executors.
const Path = "/ingestion"

type handlers struct {
	catalog *services.Services
	// closing ends when the server closes.
	closing context.Context
}

func (h handlers) claim(c *call.Call) error {
	var body struct {
		ingestion.Claim
		// Wait is how many seconds to wait for a run.
		Wait int `json:"wait"`
	}
	if err := c.Body(&body); err != nil {
		return err
	}
	if most := int(limits.IngestionWait / time.Second); body.Wait < 0 || body.Wait > most {
		return catalog.Errorf(catalog.Invalid, "wait must be 0 to %d seconds", most)
	}
	ctx, cancel := sse.UntilClosing(c, h.closing)
	defer cancel()
	run, err := h.catalog.Ingestion.Await(ctx, body.Claim, time.Duration(body.Wait)*time.Second)
	if err != nil && ctx.Err() != nil && c.Request.Context().Err() == nil {
		run, err = nil, nil // the server is closing, and no run came while the caller waited
	}
	if err != nil {
		return err
	}
	if run == nil {
		c.Status(http.StatusNoContent)
		c.Writer.WriteHeaderNow()
		return nil
	}
	return c.JSON(http.StatusOK, run)
}

func (h handlers) renew(c *call.Call) error {
	var body ingestion.Progress
	if err := c.Body(&body); err != nil {
		return err
	}
	renewed, err := h.catalog.Ingestion.Renew(c.Request.Context(), body)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, renewed)
}

func (h handlers) end(c *call.Call) error {
	var body ingestion.Outcome
	if err := c.Body(&body); err != nil {
		return err
	}
	if err := h.catalog.Ingestion.End(c.Request.Context(), body); err != nil {
		return err
	}
	return c.Nothing()
}

func (h handlers) secrets(c *call.Call) error {
	var body ingestion.Leased
	if err := c.Body(&body); err != nil {
		return err
	}
	found, err := h.catalog.Ingestion.SecretsOf(c.Request.Context(), body.Lease)
	if err != nil {
		return err
	}
	c.Header("Cache-Control", "no-store")
	return c.JSON(http.StatusOK, found)
}

func text(help string) call.Object { return call.Object{"type": "string", "description": help} }

var lease = text("the lease of the run, as the claim answered it")

// exampleLease has the shape of a lease; that of a run is in the answer to its claim.
const exampleLease = "QWERTYUIOP234567ASDFGHJKLZ.source/urn:li:dataHubIngestionSource:shop"

// Endpoints returns the endpoints of executors. closing ends when the server closes.
func Endpoints(rules *services.Services, closing context.Context) []call.Endpoint {
	h := handlers{rules, closing}
	const tag = "Ingestion"
	needs := []string{call.ManageIngestion}
	return []call.Endpoint{
		{
			Method: http.MethodPost, Path: Path + "/claim", Tag: tag, Needs: needs, Long: true, Status: http.StatusNoContent,
			Summary: "Take the oldest run that waits for one of some executor IDs: 200 with the run, or 204 if none came. The caller has the run for a minute, and longer if it renews the lease.",
			Content: call.Object{
				"type": "object", "required": []string{"worker"},
				"properties": call.Object{
					"worker":    text("a name of the process that asks, for people who look at its runs"),
					"executors": call.Object{"type": "array", "items": call.Object{"type": "string"}, "maxItems": limits.IngestionExecutors, "description": "the executor IDs whose runs the caller takes; default when left out"},
					"wait":      call.Object{"type": "integer", "description": fmt.Sprintf("how many seconds to wait for a run, at most %d", int(limits.IngestionWait.Seconds()))},
				},
			},
			Example: call.Example{Body: `{"worker":"example-host","executors":["default"]}`}, Handle: h.claim,
		},
		{
			Method: http.MethodPost, Path: Path + "/renew", Tag: tag, Needs: needs,
			Summary: "Renew the lease of a run, and store the end of its log, at most every 10 seconds. The answer says whether to stop the run. 410 tells that the caller does not have the run any more.",
			Content: call.Object{"type": "object", "required": []string{"lease"}, "properties": call.Object{"lease": lease, "log": text("the end of the log so far; left out if it has not changed")}},
			Example: call.Example{Body: `{"lease":"` + exampleLease + `","log":"42 tables are read"}`}, Handle: h.renew,
		},
		{
			Method: http.MethodPost, Path: Path + "/end", Tag: tag, Needs: needs,
			Summary: "End a run with its log and its report. May be repeated until it succeeds or answers 410.",
			Content: call.Object{
				"type": "object", "required": []string{"lease", "status"},
				"properties": call.Object{
					"lease": lease, "log": text("the log of the run, without the values of secrets"),
					"status":     call.Object{"type": "string", "enum": []string{ingestion.StatusSuccess, ingestion.StatusFailure, ingestion.StatusCancelled, ingestion.StatusTimeout}},
					"report":     text("the structured report, JSON"),
					"reportType": text("the kind of the report; the task of the run when left out"),
					"retry":      call.Object{"type": "boolean", "description": "another attempt may help"},
				},
			},
			Example: call.Example{Body: `{"lease":"` + exampleLease + `","status":"SUCCESS","log":"42 tables are read","report":"{\"events\":42}"}`}, Handle: h.end,
		},
		{
			Method: http.MethodPost, Path: Path + "/secrets", Tag: tag, Needs: needs,
			Summary: "The secrets that the recipe of a run names, in clear text, for the executor that has the run. Those that the catalog does not have are left out.",
			Content: call.Object{"type": "object", "required": []string{"lease"}, "properties": call.Object{"lease": lease}},
			Example: call.Example{Body: `{"lease":"` + exampleLease + `"}`}, Handle: h.secrets,
		},
	}
}
