package operations

import (
	"net/http"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/follower"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/rest/call"
)

// indexHandlers show and rebuild the search index.
type indexHandlers struct{ catalog *services.Services }

// indexAnswer is the state of the search index.
type indexAnswer struct {
	// Lag counts the changes that are not indexed yet, -1 if unknown.
	Lag       int64  `json:"lag"`
	Error     string `json:"error,omitempty"`
	Documents int64  `json:"documentsWritten"`
	Building  bool   `json:"building"`
	Builds    int64  `json:"builds"`
	Done      int64  `json:"done"`
	Total     int64  `json:"total"`
	// BuildError is why the last build failed.
	BuildError string `json:"buildError,omitempty"`
	// BuildReason is why the last build was started. Broken is why a build that
	// has not ended yet is needed.
	BuildReason string `json:"buildReason,omitempty"`
	Broken      string `json:"broken,omitempty"`
	// Refused lists documents that the search engine refuses, RefusedCount is
	// their number.
	Refused      []follower.RefusedDocument `json:"refused"`
	RefusedCount int64                      `json:"refusedCount"`
}

func (h indexHandlers) indexStatus(c *call.Call) error {
	status, ok := h.catalog.Follower.Status()
	if !ok {
		return catalog.Errorf(catalog.Unavailable, "this server has no search index")
	}
	a := indexAnswer{
		Error: status.Failure, Documents: status.Documents, Building: status.Building, Builds: status.Builds,
		Done: status.Done, Total: status.Total, BuildError: status.BuildFailure,
		BuildReason: status.Reason, Broken: status.Broken,
		Refused: append([]follower.RefusedDocument{}, status.Refused.Documents...), RefusedCount: status.Refused.Count(),
	}
	var err error
	if a.Lag, err = h.catalog.Follower.Lag(c.Request.Context()); err != nil {
		a.Lag = -1
	}
	return c.JSON(http.StatusOK, a)
}

func (h indexHandlers) rebuildIndex(c *call.Call) error {
	if err := h.catalog.Follower.Reindex(); err != nil {
		return err
	}
	return h.indexStatus(c)
}
