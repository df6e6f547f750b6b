package operations

import (
	"net/http"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/secrets"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/rest/call"
)

// secretHandlers serve the maintenance of secrets.
type secretHandlers struct{ catalog *services.Services }

// rotationAnswer is the result of encrypting a page of secrets again.
type rotationAnswer struct {
	// Total counts all secrets, Looked the secrets of the page.
	Total  int `json:"total"`
	Looked int `json:"looked"`
	// Rotated counts the secrets of the page that were encrypted again.
	Rotated int `json:"rotated"`
	// Failed are the secrets of the page that cannot be decrypted.
	Failed []failedSecret `json:"failed"`
	// Next is the value of the parameter start for the next page, absent after the last page.
	Next int `json:"next,omitempty"`
}

type failedSecret struct {
	URN    string `json:"urn"`
	Reason string `json:"reason"`
}

func (h secretHandlers) endpoints() []call.Endpoint {
	return []call.Endpoint{{
		Method: http.MethodPost, Path: "/secrets/rotate", Tag: "Service", Long: true, Needs: []string{secrets.Manage},
		Summary: "Encrypt a page of secrets again with the first key, those that have another one. Secrets that no key decrypts stay as they are and are listed.",
		Parameters: []call.Parameter{
			{Name: "start", Kind: "integer", Help: "how many secrets to leave out: the member next of the answer before"},
		},
		Example: call.Example{Query: "start=0", Body: `{}`},
		Handle:  h.rotate,
	}}
}

func (h secretHandlers) rotate(c *call.Call) error {
	start, err := c.Integer("start", 0)
	if err != nil {
		return err
	}
	if err := h.catalog.RequireWritable(c.Request.Context()); err != nil {
		return err
	}
	by, err := c.Actor()
	if err != nil {
		return err
	}
	r, err := h.catalog.Secrets.Rotate(c.Request.Context(), int(start), catalog.WriteOptions{Actor: by})
	if err != nil {
		return err
	}
	answer := rotationAnswer{Total: r.Total, Looked: r.Looked, Rotated: r.Rotated, Failed: make([]failedSecret, len(r.Failed))}
	for i, one := range r.Failed {
		answer.Failed[i] = failedSecret(one)
	}
	if end := r.Start + r.Looked; r.Looked > 0 && end < r.Total {
		answer.Next = end
	}
	return c.JSON(http.StatusOK, answer)
}
