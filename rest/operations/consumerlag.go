package operations

import (
	"net/http"
	"slices"
	"strings"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/rest/call"
)

// lagHandlers serve the lag of the change log's readers, in the form of servers with
// message queues.
type lagHandlers struct{ catalog *services.Services }

// consumerLag is the lag of one reader of a log. A lag of -1 is unknown.
type consumerLag struct {
	Partitions map[string]partitionLag `json:"partitions"`
	Metrics    lagMetrics              `json:"metrics"`
}

type partitionLag struct {
	Lag int64 `json:"lag"`
}

type lagMetrics struct {
	Avg   int64 `json:"avgLag"`
	Max   int64 `json:"maxLag"`
	Total int64 `json:"totalLag"`
}

// messageLogs are the logs that clients ask about. This server does not queue proposals,
// and its search index reads all changes from the change log.
var messageLogs = []string{"mcp", "mcl", "mcl-timeseries"}

func (h lagHandlers) lag(c *call.Call) error {
	log := c.Parts["log"]
	if !slices.Contains(messageLogs, log) {
		return catalog.Errorf(catalog.NotFound, "there is no log %q; the logs are %s", log, strings.Join(messageLogs, ", "))
	}
	groups := map[string]map[string]consumerLag{}
	if log == "mcl" && h.catalog.Follower != nil {
		n, err := h.catalog.Follower.Lag(c.Request.Context())
		if err != nil {
			n = -1
		}
		groups["search-index"] = map[string]consumerLag{"change-log": {map[string]partitionLag{"0": {n}}, lagMetrics{n, n, n}}}
	}
	return c.JSON(http.StatusOK, struct {
		Transport string                            `json:"transport"`
		Groups    map[string]map[string]consumerLag `json:"consumerGroups"`
	}{"change-log", groups})
}
