package history

import (
	"maps"
	"net/http"
	"slices"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/read"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/catalog/traces"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/rest/call"
)

// traceHandlers answer questions about the outcome of writes.
type traceHandlers struct{ catalog *services.Services }

// storageState is the state of a write in the store or in the index.
type storageState struct {
	Status     read.WriteState  `json:"writeStatus"`
	Message    string           `json:"writeMessage,omitempty"`
	Exceptions []traceException `json:"writeExceptions,omitempty"`
}

// traceException is the reason why a write was refused.
type traceException struct {
	Message string `json:"message"`
}

func tracedAspectOf(w *read.TracedWrite) tracedAspect {
	a := tracedAspect{Success: !w.Failed(), Primary: storageState{Status: w.Store}, Search: storageState{Status: w.Search, Message: w.SearchMessage}}
	if w.Reason != "" {
		a.Primary.Exceptions = []traceException{{w.Reason}}
	}
	return a
}

// tracedAspect is the outcome of a write for one aspect.
type tracedAspect struct {
	Success bool         `json:"success"`
	Primary storageState `json:"primaryStorage"`
	Search  storageState `json:"searchStorage"`
}

func (h traceHandlers) writes(c *call.Call) error {
	trace, err := traces.Parse(c.Parts["traceId"])
	if err != nil {
		return err
	}
	p := &call.Reader{Call: c}
	onlyErrors := call.Argument(p, c.Boolean, "onlyIncludeErrors")
	call.Argument(p, c.Boolean, "detailed")
	call.Argument(p, c.Boolean, "skipCache")
	if p.Err != nil {
		return p.Err
	}
	var body map[string][]string
	if err := c.Body(&body); err != nil {
		return err
	}
	if err := catalog.TooMany("entities", len(body), limits.MaxListItems); err != nil {
		return err
	}
	ctx := c.Request.Context()
	searched := read.WritePending
	if h.catalog.Follower == nil {
		searched = read.WriteUntraced
	} else if h.catalog.Follower.CatchUp(ctx, limits.DefaultSearchWait) == 0 {
		searched = read.WriteActive
	}
	refused, err := h.catalog.Failed.Refused(ctx, trace)
	if err != nil {
		return err
	}
	answer := map[string]map[string]tracedAspect{}
	for _, text := range slices.Sorted(maps.Keys(body)) {
		urn, err := c.URN(text)
		if err != nil {
			return err
		}
		writes, err := h.catalog.Traced(ctx, trace, urn, body[text], refused.Of(urn, body[text]), searched)
		if err != nil {
			return err
		}
		traced := map[string]tracedAspect{}
		for name, w := range writes {
			if !onlyErrors || w.Failed() {
				traced[name] = tracedAspectOf(&w)
			}
		}
		if len(traced) > 0 || !onlyErrors {
			answer[text] = traced
		}
	}
	return c.JSON(http.StatusOK, answer)
}
