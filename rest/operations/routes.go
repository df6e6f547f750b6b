// Package operations has the calls for operators and for clients that ask about the
// server: health, settings, the search index, followers, failed proposals, maintenance,
// export and import.
package operations

import (
	"log/slog"
	"net/http"
	"slices"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/cypher/browser"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/rest/call"
)

// Index returns the endpoints about the search index.
func Index(rules *services.Services) []call.Endpoint {
	return indexHandlers{rules}.endpoints()
}

// Followers returns the endpoints about the followers of the change log and about failed
// proposals.
func Followers(rules *services.Services) []call.Endpoint {
	return slices.Concat(
		followerHandlers{rules}.endpoints(),
		failedHandlers{rules}.endpoints(),
	)
}

// Maintenance returns the endpoints that repair, truncate, export, import, and encrypt secrets again. maxBody is
// the largest body in bytes, except for streams.
func Maintenance(rules *services.Services, logger *slog.Logger, maxBody int64) []call.Endpoint {
	return slices.Concat(
		operationHandlers{rules}.endpoints(),
		transferHandlers{rules, logger, maxBody}.endpoints(),
		secretHandlers{rules}.endpoints(),
	)
}

// Server has the data that a server tells about itself.
type Server struct {
	Catalog *services.Services
	// Version and Commit are the version and the commit of this binary.
	Version, Commit string
	// Neo4j is the place at which analysts find the graph.
	Neo4j browser.Place
	// Settings, if set, returns the settings of the server, without secrets.
	Settings func() []Setting
}

// State returns the endpoints with which clients and operators ask about the server.
func State(s Server) []call.Endpoint {
	return slices.Concat(
		serviceHandlers{s.Catalog, s.Version, s.Commit, s.Neo4j}.endpoints(),
		settingHandlers{s.Catalog, s.Version, s.Settings}.endpoints(),
		modelHandlers{s.Catalog}.endpoints(),
		lagHandlers{s.Catalog}.endpoints(),
	)
}

func (h failedHandlers) endpoints() []call.Endpoint {
	return []call.Endpoint{{
		Method: http.MethodGet, Path: "/proposals/failed", Tag: "Events", Needs: []string{call.ManageSystem},
		Summary: "The newest proposals of Kafka, and of callers who did not wait, that could not be written, the newest first, with the reason.",
		Parameters: []call.Parameter{
			{Name: "limit", Kind: "integer", Help: limits.LeftOutMost(limits.DefaultFailedPage, limits.MaxFailedPage)},
			{Name: "after", Kind: "string", Help: "the member next of the answer before"},
		},
		Example: call.Example{Query: "limit=5"},
		Handle:  h.list,
	}}
}

func (h operationHandlers) endpoints() []call.Endpoint {
	restore := call.Endpoint{
		Method: http.MethodPost, Path: "/operations", Action: "restoreIndices", Tag: "Search", Long: true, Needs: []string{call.Reindex, call.ManageSystem},
		Summary: "Write documents of the search index again, those of a page of entities. Edges need no such thing: they are written with the aspects that state them.",
		Parameters: []call.Parameter{
			{Name: "urn", Kind: "string", Help: "one entity"},
			{Name: "urnLike", Kind: "string", Help: "SQL LIKE pattern of URNs; all when left out"},
			{Name: "aspect", Kind: "string", Help: "only entities that have this aspect"},
			{Name: "start", Kind: "integer", Help: "0 when left out"},
			{Name: "batchSize", Kind: "integer", Help: "how many entities: " + limits.LeftOutMost(limits.DefaultRestored, limits.MaxRestored)},
		},
		Example: call.Example{Body: `{"urn":"` + call.ExampleTable + `"}`},
		Handle:  h.restoreIndices,
	}
	restoreAlias := restore
	restoreAlias.Path = "/aspects"
	return []call.Endpoint{
		{
			Method: http.MethodPost, Path: "/operations", Action: "truncateTimeseriesAspect", Tag: "Delete", Long: true, Needs: []string{call.Truncate},
			Summary: "Delete the values of a time series up to a moment, of all entities of a type. They are deleted when the answer comes.",
			Parameters: []call.Parameter{
				{Name: "entityType", Kind: "string", Help: "the entity type", Required: true},
				{Name: "aspect", Kind: "string", Help: "a time-series aspect, in any letter case", Required: true},
				{Name: "endTimeMillis", Kind: "integer", Help: "latest timestampMillis, included", Required: true},
				{Name: "dryRun", Kind: "boolean", Help: "count, and delete nothing; true when left out"},
				{Name: "batchSize", Kind: "integer", Help: "accepted; values are deleted in small transactions"},
				{Name: "timeoutSeconds", Kind: "integer", Help: "how long values may be deleted; what is deleted by then stays deleted"},
			},
			Example: call.Example{Body: `{"entityType":"dataset","aspect":"datasetusagestatistics","endTimeMillis":1000000000000,"dryRun":true}`},
			Handle:  h.truncate,
		},
		restore, restoreAlias,
		notOffered("/operations", "getIndexSizes", "there is no index for each time series; the dry run of truncateTimeseriesAspect counts the values of one"),
		notOffered("/operations", "getEsTaskStatus", "there are no tasks: truncateTimeseriesAspect is done when it is answered, and GET /index has the progress of a rebuild"),
		notOffered("/platform", "producePlatformEvent", "events are made from changes only; write the change by /aspects?action=ingestProposal, and read events at /events or from Kafka"),
		notOffered("/entities", "applyRetention", "retention (the setting retention) is applied to an aspect by every write of it"),
		notOffered("/entities", "setWritable", "the setting read-only does this, and takes effect on SIGHUP"),
	}
}

// notOffered returns an endpoint for a call of the reference that this server lacks. It
// refuses the call with a reason and an alternative.
func notOffered(path, action, instead string) call.Endpoint {
	return call.Endpoint{
		Method: http.MethodPost, Path: path, Action: action, Tag: "Refused", Reads: true, Refuses: true,
		Summary: "Refused with 400: " + instead + ".",
		Example: call.Example{Body: `{}`},
		Handle: func(*call.Call) error {
			return catalog.Errorf(catalog.Invalid, "%s is not offered here: %s", action, instead)
		},
	}
}

func (h serviceHandlers) endpoints() []call.Endpoint {
	return []call.Endpoint{
		{Method: http.MethodGet, Path: "/config", Open: true, Tag: "Service", Summary: "What clients request before they start.", Parameters: []call.Parameter{{Name: "verbose", Kind: "boolean", Help: "also tell whether the caller is known: userType is user or anonymous"}}, Handle: h.config},
		{
			Method: http.MethodGet, Path: "/openapi/operations/identity/user/urn", Tag: "Service", Summary: "The URN of the caller.",
			Parameters: []call.Parameter{{Name: "skipCache", Kind: "boolean", Help: "accepted; nothing is cached for more than half a second"}},
			Handle:     h.callerURN,
		},
		{Method: http.MethodGet, Path: "/health", Open: true, AnyQuery: true, Tag: "Service", Summary: "200 when the server runs.", Handle: (*call.Call).Nothing},
		{Method: http.MethodGet, Path: "/openapi/up", Open: true, AnyQuery: true, Tag: "Service", Summary: "true when the server runs.", Handle: h.up},
		{Method: http.MethodGet, Path: "/health/ready", Open: true, AnyQuery: true, Tag: "Service", Summary: "Whether each backend can serve; 503 when one cannot.", Handle: h.ready},
		{Method: http.MethodGet, Path: "/health/check/ready", Open: true, AnyQuery: true, Tag: "Service", Summary: "The same under the name that other servers use.", Handle: h.ready},
	}
}

func (h settingHandlers) endpoints() []call.Endpoint {
	const info, flags = "/openapi/v1/system-info", "/openapi/operations/dev/featureFlags"
	return []call.Endpoint{
		{Method: http.MethodGet, Path: info, Tag: "Service", Summary: "The parts of the server with their settings. Secrets are left out. For administrators.", Handle: forAdministrators(h.systemInfo)},
		{Method: http.MethodGet, Path: info + "/spring-components", Tag: "Service", Summary: "The parts of the server alone. For administrators.", Handle: forAdministrators(h.componentInfo)},
		{Method: http.MethodGet, Path: info + "/properties", Tag: "Service", Summary: "The settings of the server, with where they are from. For administrators.", Handle: forAdministrators(h.propertyInfo)},
		{Method: http.MethodGet, Path: info + "/properties/simple", Tag: "Service", Summary: "The settings of the server as an object. For administrators.", Handle: forAdministrators(h.simpleInfo)},
		{Method: http.MethodGet, Path: flags, Open: true, Tag: "Service", Summary: "The features that pages and clients ask for before they use them.", Handle: h.featureFlags},
		{
			Method: http.MethodGet, Path: flags, Open: true, Below: "/{name}", Tag: "Service", Summary: "One of the features; 404 if there is no such feature.",
			Example: call.Example{Tail: "showBrowseV2"}, Handle: h.featureFlag,
		},
	}
}

func (h indexHandlers) endpoints() []call.Endpoint {
	return []call.Endpoint{
		{
			Method: http.MethodGet, Path: "/index", Tag: "Service",
			Summary: "The state of the search index: how many changes it does not have yet, and the progress of a rebuild.",
			Handle:  h.indexStatus,
		},
		{
			Method: http.MethodPost, Path: "/index", Action: "rebuild", Tag: "Service", Needs: []string{call.Reindex, call.ManageSystem},
			Summary: "Start to rebuild the search index from the graph store. The current index stays in use meanwhile. 409 if a rebuild is already running.",
			Example: call.Example{Body: `{}`},
			Handle:  h.rebuildIndex,
		},
	}
}

func (h transferHandlers) endpoints() []call.Endpoint {
	return []call.Endpoint{
		{
			Method: http.MethodGet, Path: "/export", Tag: "Service", Long: true, Streams: true,
			Summary: "The whole catalog as JSON lines: every version, every edge with its past, every time-series value. The last line marks the end; without it the answer is incomplete.",
			Handle:  h.export,
		},
		{
			Method: http.MethodPost, Path: "/import", Tag: "Service", Long: true, Streams: true, Needs: []string{call.ManageSystem},
			Summary: "Write lines of an export, each entity exactly as it was. Entities that are stored with the same contents are left alone. An entity that is stored with other contents fails, and the request fails after the others are written. May be repeated.",
			Parameters: []call.Parameter{
				{Name: "replace", Kind: "boolean", Help: "first delete entities that are stored with other contents"},
				{Name: "dryRun", Kind: "boolean", Help: "check and compare, and change nothing"},
				{Name: "partial", Kind: "boolean", Help: "the request succeeds, and failures of entities are in its result"},
			},
			Example: call.Example{Query: "dryRun=true", Body: `{"header":{"format":1,"time":0}}`},
			Handle:  h.importLines,
		},
	}
}

func (h modelHandlers) endpoints() []call.Endpoint {
	return []call.Endpoint{{
		Method: http.MethodGet, Path: "/openapi/v1/registry/models/entity/specifications", Tag: "Service",
		Summary:    "The entity types of the model with their aspects.",
		Parameters: []call.Parameter{call.StartParameter, {Name: "count", Kind: "integer", Help: limits.LeftOut(limits.DefaultEntityTypes)}},
		Example:    call.Example{Query: "start=0&count=5"},
		Handle:     h.entityTypes,
	}}
}

func (h lagHandlers) endpoints() []call.Endpoint {
	return []call.Endpoint{{
		Method: http.MethodGet, Path: "/openapi/operations/messaging", Below: "/{log}/consumer/lag", Tag: "Service",
		Summary: "How far the search index is behind the change log (mcl). Nothing reads the logs mcp and mcl-timeseries: writes are applied at once.",
		Parameters: []call.Parameter{
			{Name: "skipCache", Kind: "boolean", Help: "accepted; nothing is cached"}, {Name: "detailed", Kind: "boolean", Help: "accepted; answers are always detailed"},
		},
		Example: call.Example{Tail: "mcl/consumer/lag"},
		Handle:  h.lag,
	}}
}
