package audit

import (
	"cmp"
	"net/http"
	"slices"
	"strings"

	"github.com/headwater-io/headwater/access/audit"
	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/internal/requestinfo"
	"github.com/headwater-io/headwater/model"
	"github.com/headwater-io/headwater/rest/call"
)

const (
	// defaultSize is how many events an answer has if the request does not say.
	defaultSize = 10
	// day is the time that a search goes back by default, in milliseconds.
	day = 24 * 60 * 60 * 1000
	// systemUser is how the reference names the system actor.
	systemUser = "urn:li:corpuser:__datahub_system"
)

// filters are the body of a search. An empty list selects everything.
type filters struct {
	EventTypes  []string `json:"eventTypes"`
	EntityTypes []string `json:"entityTypes"`
	AspectTypes []string `json:"aspectTypes"`
	ActorURNs   []string `json:"actorUrns"`
}

// event is an entry of the trail, or a part of one, in the reference's shape.
type event struct {
	EventType        string       `json:"eventType"`
	Timestamp        int64        `json:"timestamp"`
	ActorURN         string       `json:"actorUrn"`
	SourceIP         string       `json:"sourceIP,omitempty"`
	EventSource      string       `json:"eventSource,omitempty"`
	UserAgent        string       `json:"userAgent,omitempty"`
	TelemetryTraceID string       `json:"telemetryTraceId,omitempty"`
	EntityURN        string       `json:"entityUrn,omitempty"`
	EntityType       string       `json:"entityType,omitempty"`
	AspectName       string       `json:"aspectName,omitempty"`
	LoginSource      string       `json:"loginSource,omitempty"`
	RawUsageEvent    *audit.Entry `json:"rawUsageEvent,omitempty"`
}

// eventsAnswer is a page of events.
type eventsAnswer struct {
	NextScrollID string `json:"nextScrollId,omitempty"`
	Count        int    `json:"count"`
	// Total counts the entries that the search has found in the records that it has read.
	Total       int     `json:"total"`
	UsageEvents []event `json:"usageEvents"`
}

func (h handlers) search(c *call.Call) error {
	ctx := c.Request.Context()
	r := &call.Reader{Call: c}
	integer := func(name string) (int64, error) { return c.Integer(name, -1) }
	raw := call.Argument(r, func(name string) (bool, error) { return c.BooleanOr(name, true) }, "includeRaw")
	size := r.Number("size", defaultSize)
	from, to, scroll := call.Argument(r, integer, "startTime"), call.Argument(r, integer, "endTime"), call.Argument(r, c.Text, "scrollId")
	if r.Err != nil {
		return r.Err
	}
	var f filters
	if err := c.Body(&f); err != nil {
		return err
	}
	if err := catalog.CheckLists("names", f.EventTypes, f.EntityTypes, f.AspectTypes, f.ActorURNs); err != nil {
		return err
	}
	if err := audit.CheckReader(ctx, f.ActorURNs...); err != nil {
		return err
	}
	if size < 1 {
		return catalog.Errorf(catalog.Invalid, "size must be at least 1")
	}
	q := audit.Search{Since: from, Until: max(to, 0), Limit: size, Cursor: scroll, Count: true, Keep: func(e *audit.Entry) bool { return len(f.events(e)) > 0 }}
	if len(f.ActorURNs) == 1 && f.ActorURNs[0] == requestinfo.CallerOf(ctx).Actor {
		q.Actor = f.ActorURNs[0]
	}
	if from < 0 {
		q.Since = max(h.trail.Present()-day, 0)
	}
	page, err := h.trail.Search(ctx, q)
	if err != nil {
		return err
	}
	answer := eventsAnswer{NextScrollID: page.Cursor, Total: page.Total, UsageEvents: []event{}}
	for i := range page.Entries {
		e := &page.Entries[i]
		found := f.events(e)
		if room := size - len(answer.UsageEvents); len(found) > room {
			if i > 0 { // the entry begins the next page
				answer.NextScrollID = page.Entries[i-1].Cursor()
				break
			}
			found = found[:room]
		}
		for k := range found {
			if raw {
				found[k].RawUsageEvent = e
			}
		}
		answer.UsageEvents = append(answer.UsageEvents, found...)
	}
	answer.Count = len(answer.UsageEvents)
	return c.JSON(http.StatusOK, answer)
}

// events returns the events of an entry that the filters select. The reference has an event for each
// aspect of an entity. An entry about one entity becomes one event for each aspect; an entry about
// several entities one for each, which names an aspect only if the entry has a single one.
func (f *filters) events(e *audit.Entry) []event {
	whole := event{
		EventType: eventType(e), Timestamp: e.Time, ActorURN: actorOf(e), SourceIP: e.Remote, EventSource: sourceOf(e), UserAgent: e.Agent,
		TelemetryTraceID: e.RequestID, LoginSource: loginSource(e),
	}
	all := []event{whole}
	if len(e.Entities) > 0 {
		all = nil
	}
	for _, entity := range e.Entities {
		one := whole
		one.EntityURN, one.EntityType = entity, typeOf(entity)
		switch {
		case len(e.Aspects) == 0:
			all = append(all, one)
		case len(e.Entities) == 1 || len(e.Aspects) == 1:
			for _, aspect := range e.Aspects {
				one.AspectName = aspect
				all = append(all, one)
			}
		default:
			all = append(all, one)
		}
	}
	return slices.DeleteFunc(all, func(one event) bool {
		return !selects(f.EventTypes, one.EventType) || !selects(f.ActorURNs, one.ActorURN) ||
			!selects(f.EntityTypes, one.EntityType) || !selects(f.AspectTypes, one.AspectName)
	})
}

func selects(names []string, name string) bool {
	return len(names) == 0 || slices.Contains(names, name)
}

// typeOf returns the entity type of a URN that the trail has stored.
func typeOf(urn string) string {
	parts := strings.SplitN(urn, ":", 4)
	if len(parts) < 4 {
		return ""
	}
	return parts[2]
}

func actorOf(e *audit.Entry) string {
	if e.Allowed {
		return cmp.Or(e.Actor, systemUser)
	}
	return e.Actor // "" for an unknown caller
}

// eventTypes are the reference's types of events, by kind.
var eventTypes = map[audit.Kind]string{
	audit.SignIn: "LogInEvent", audit.SignInRefused: "FailedLogInEvent", audit.TokenMade: "CreateAccessTokenEvent", audit.TokenRevoked: "RevokeAccessTokenEvent",
	audit.UserMade: "CreateUserEvent", audit.UserChanged: "UpdateUserEvent", audit.UserSuspended: "UpdateUserEvent", audit.PasswordSet: "UpdateUserEvent", audit.RoleSet: "UpdateUserEvent",
	audit.UserRemoved: "DeleteEntityEvent", audit.Delete: "DeleteEntityEvent",
	audit.PolicyMade: "CreatePolicyEvent", audit.PolicyChanged: "UpdatePolicyEvent", audit.PolicyDeleted: "DeletePolicyEvent",
}

// eventType returns the reference's type of an entry. Kinds that the reference does not have are named
// after themselves, such as ExportEvent.
func eventType(e *audit.Entry) string {
	if named, ok := eventTypes[e.Kind]; ok {
		return named
	}
	if e.Kind != audit.Write {
		return strings.ToUpper(string(e.Kind[:1])) + string(e.Kind[1:]) + "Event"
	}
	if len(e.Entities) > 0 {
		switch typeOf(e.Entities[0]) {
		case model.EntityCorpuser:
			return "UpdateUserEvent"
		case model.EntityDataHubPolicy:
			return "UpdatePolicyEvent"
		case model.EntityDataHubIngestionSource:
			if strings.HasSuffix(e.Door, " createIngestionSource") {
				return "CreateIngestionSourceEvent"
			}
			return "UpdateIngestionSourceEvent"
		}
	}
	if len(e.Aspects) > 0 {
		return "UpdateAspectEvent"
	}
	return "EntityEvent"
}

// sourceOf returns the interface of the reference that corresponds to the door of an entry.
func sourceOf(e *audit.Entry) string {
	switch {
	case strings.HasPrefix(e.Door, "graphql "):
		return "GRAPHQL"
	case strings.Contains(e.Door, " /openapi/"):
		return "OPENAPI"
	case strings.Contains(e.Door, " /"):
		return "RESTLI"
	}
	return ""
}

// loginSource returns the means of a sign-in, successful or not.
func loginSource(e *audit.Entry) string {
	switch {
	case e.Kind != audit.SignIn && e.Kind != audit.SignInRefused:
		return ""
	case e.Means == requestinfo.ByProvider:
		return "SSO_LOGIN"
	case strings.HasSuffix(e.Door, "/signUp"):
		return "SIGN_UP_LINK_LOGIN"
	case strings.HasSuffix(e.Door, "/resetNativeUserCredentials"):
		return "PASSWORD_RESET"
	}
	return "PASSWORD_LOGIN"
}
