package operations

import (
	"net/http"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/follower"
	"github.com/headwater-io/headwater/catalog/permission"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/rest/call"
)

// indexHandlers show the state of the search index and rebuild it.
type indexHandlers struct{ catalog *services.Services }

// indexAnswer is the state of the search index.
type indexAnswer struct {
	// Lag counts the changes that are not indexed yet; -1 if that is unknown.
	Lag       int64  `json:"lag"`
	Error     string `json:"error,omitempty"`
	Documents int64  `json:"documentsWritten"`
	Building  bool   `json:"building"`
	Builds    int64  `json:"builds"`
	Done      int64  `json:"done"`
	Total     int64  `json:"total"`
	// BuildError is the error of the last rebuild, "" if it succeeded.
	BuildError string `json:"buildError,omitempty"`
	// BuildReason is why the last rebuild was started. Broken is why the index needs a
	// rebuild that has not ended yet.
	BuildReason string `json:"buildReason,omitempty"`
	Broken      string `json:"broken,omitempty"`
	// Refused lists documents that the search engine refuses. RefusedCount is the number of
	// all of them.
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
	if !permission.SeesWhole(c.Request.Context()) {
		a.Refused, a.RefusedCount, a.Documents, a.Done, a.Total = []follower.RefusedDocument{}, 0, 0, 0, 0
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
