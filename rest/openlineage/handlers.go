package openlineage

import (
	"encoding/json"
	"net/http"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/internal/intake"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/rest/call"
)

type handlers struct{ catalog *services.Services }

// taken answers one event. The body is not empty: the client in Java fails on an answer without one.
type taken struct {
	Status string `json:"status"`
}

func (h handlers) one(c *call.Call) error {
	text, err := intake.ReadJSON(c.Request.Context(), c.Request.Body, intake.Request)
	if err != nil {
		return err
	}
	o, err := c.WriteOptions(nil)
	if err != nil {
		return err
	}
	if err := h.catalog.OpenLineage.Take(c.Request.Context(), text, o); err != nil {
		return err
	}
	return c.JSON(http.StatusOK, taken{"success"})
}

// batchAnswer answers a batch, as the specification's OpenLineage.yml has it.
type batchAnswer struct {
	Status  string       `json:"status"`
	Summary batchSummary `json:"summary"`
	Failed  []failedItem `json:"failed_events"`
}

type batchSummary struct {
	Received     int `json:"received"`
	Successful   int `json:"successful"`
	Failed       int `json:"failed"`
	Retriable    int `json:"retriable"`
	NonRetriable int `json:"non_retriable"`
}

type failedItem struct {
	Index     int    `json:"index"`
	Reason    string `json:"reason"`
	Retriable bool   `json:"retriable"`
}

func (h handlers) batch(c *call.Call) error {
	var events []json.RawMessage
	if err := c.BodyOf(intake.Batch, &events); err != nil {
		return err
	}
	if len(events) > limits.MaxOpenLineageEvents {
		return catalog.Errorf(catalog.TooLarge, "%d events in one request, at most %d are allowed", len(events), limits.MaxOpenLineageEvents)
	}
	o, err := c.WriteOptions(nil)
	if err != nil {
		return err
	}
	answer := batchAnswer{Status: "success", Summary: batchSummary{Received: len(events)}, Failed: []failedItem{}}
	var last error
	for i, err := range h.catalog.OpenLineage.TakeAll(c.Request.Context(), events, o) {
		if err == nil {
			answer.Summary.Successful++
			continue
		}
		last = err
		answer.fail(i, err)
	}
	switch {
	case last == nil:
	case answer.Summary.Successful == 0: // a refusal is not hidden in a 200
		return catalog.Errorf(catalog.CodeOf(last), "none of the %d events was taken; the last error is: %v", len(events), last)
	default:
		answer.Status = "partial_success"
	}
	return c.JSON(http.StatusOK, answer)
}

// fail notes an event that was not taken. The answer says that the event is worth sending again if the error
// may go away.
func (a *batchAnswer) fail(index int, err error) {
	code := catalog.CodeOf(err)
	retriable := code == catalog.Unavailable || code == catalog.Busy || code == catalog.Internal
	a.Status = "partial_success"
	a.Summary.Failed++
	if retriable {
		a.Summary.Retriable++
	} else {
		a.Summary.NonRetriable++
	}
	a.Failed = append(a.Failed, failedItem{Index: index, Reason: err.Error(), Retriable: retriable})
}

func (h handlers) getSent(c *call.Call) error {
	text, err := c.Required("urn")
	if err != nil {
		return err
	}
	urn, err := c.RequiredURN("urn", text)
	if err != nil {
		return err
	}
	sent, err := h.catalog.OpenLineage.SentAbout(c.Request.Context(), urn)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, sent)
}
