package operations

import (
	"context"
	"net/http"
	"time"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/rest/call"
)

// readyTimeout bounds the health check of one backend.
const readyTimeout = 5 * time.Second

func (h serviceHandlers) ready(c *call.Call) error {
	ctx, cancel := context.WithTimeout(c.Request.Context(), readyTimeout)
	defer cancel()
	status, backends := http.StatusOK, map[string]*backendHealth{"graph": {Status: "ok"}}
	down := func(name string, err error) {
		status, backends[name] = http.StatusServiceUnavailable, &backendHealth{Status: "down", Error: catalog.MessageOf(err)}
	}
	if err := h.catalog.Ping(ctx); err != nil {
		down("graph", err)
	}
	if search, ok := h.searchHealth(ctx); ok {
		backends["search"] = search
		if err := h.catalog.Follower.Ping(ctx); err != nil {
			status = http.StatusServiceUnavailable
			search.Status, search.Error = "down", catalog.MessageOf(err)
		}
	}
	replica, is := h.catalog.Replica.Status()
	answer := map[string]any{"ready": status == http.StatusOK, "backends": backends}
	if h.catalog.ReadOnly() {
		answer["readOnly"] = true
	}
	if is {
		answer["replica"] = replica
	}
	if ahead, err := h.catalog.LogAhead(ctx); err == nil && ahead > 0 {
		answer["clock"] = clockHealth{Status: "ahead", AheadMillis: ahead.Milliseconds()}
	}
	return c.JSON(status, answer)
}

// clockHealth is part of the answer if the newest change is ahead of the machine's clock.
// It does not make the server unhealthy.
type clockHealth struct {
	Status      string `json:"status"`
	AheadMillis int64  `json:"aheadMillis"`
}

// backendHealth is the health of a backend. Lag and the members after it are about the
// search index.
type backendHealth struct {
	Status string `json:"status"`
	Error  string `json:"error,omitempty"`
	// Lag counts the changes that are not indexed yet.
	Lag      *int64 `json:"lag,omitempty"`
	Building bool   `json:"building,omitempty"`
	Done     int64  `json:"done,omitempty"`
	Total    int64  `json:"total,omitempty"`
	// Broken is why the index must be rebuilt, "" if it need not. During the rebuild it
	// answers with the data that it has.
	Broken string `json:"broken,omitempty"`
}

// searchHealth returns the health of the search index. It returns false if there is no
// index.
func (h serviceHandlers) searchHealth(ctx context.Context) (*backendHealth, bool) {
	status, ok := h.catalog.Follower.Status()
	if !ok {
		return nil, false
	}
	health := &backendHealth{Status: "ok", Error: status.Failure, Building: status.Building, Done: status.Done, Total: status.Total, Broken: status.Broken}
	if lag, err := h.catalog.Follower.Lag(ctx); err == nil {
		health.Lag = &lag
	}
	return health, true
}
