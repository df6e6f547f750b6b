package audit

import (
	"context"
	"slices"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/internal/clip"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/requestinfo"
)

// Entry tells of one deed: who did something, from where, and whether it was allowed. No part of an
// Entry is secret: the credential is an id, and the door is a row of the route table or the name of
// an operation, never the address with its query.
type Entry struct {
	// Time is when the deed was noted, epoch milliseconds. ID distinguishes entries with the same time.
	// [Service.Note] sets both.
	Time int64  `json:"time"`
	ID   string `json:"id"`
	Kind Kind   `json:"kind"`
	// Actor is the URN of who did it, "" for the system actor and for unknown callers. Means is how
	// the actor has shown who they are, Credential the id of the token or session. Impersonator is the
	// caller who did it in the name of Actor, as in [requestinfo.Caller]. Stated is the URN
	// of the actor that the request named in place of the true one.
	Actor      string            `json:"actor,omitempty"`
	Means      requestinfo.Means `json:"means,omitempty"`
	Credential string            `json:"credential,omitempty"`
	// The next two are "" for most entries.
	Impersonator string `json:"impersonator,omitempty"`
	Stated       string `json:"stated,omitempty"`
	// Remote is the address from which the request came, Agent its header User-Agent.
	Remote    string `json:"remote,omitempty"`
	Agent     string `json:"agent,omitempty"`
	RequestID string `json:"requestId,omitempty"`
	// Door is the row of the route table, such as "POST /import", or "graphql" or "mcp" with the name
	// of the operation.
	Door string `json:"door,omitempty"`
	// Entities are the URNs of the first limits.MaxAuditEntities entities that were changed or, if
	// none was, the entity that the request named. EntityCount counts all of them, up to 10,000.
	Entities    []string `json:"entities,omitempty"`
	EntityCount int      `json:"entityCount,omitempty"`
	Aspects     []string `json:"aspects,omitempty"`
	Allowed     bool     `json:"allowed"`
	// Status is the status of the answer, 0 if the deed was no request.
	Status int `json:"status,omitempty"`
	// Reason is why a request was refused.
	Reason string `json:"reason,omitempty"`
	// Count is how many equal deeds the entry stands for, if it stands for more than one, or how many
	// entries are lost.
	Count int64 `json:"count,omitempty"`
}

// complete fills the empty members of the entry from the context of its request, and cuts its texts.
func (e *Entry) complete(ctx context.Context) {
	caller, origin := requestinfo.CallerOf(ctx), requestinfo.OriginOf(ctx)
	if e.Actor == "" && e.Means == "" {
		e.Actor, e.Means = caller.Actor, caller.Means
	}
	set(&e.Credential, caller.Credential)
	set(&e.Impersonator, caller.Impersonator)
	set(&e.Stated, caller.Stated)
	set(&e.Remote, caller.Remote)
	set(&e.Remote, origin.Remote)
	set(&e.Agent, origin.Agent)
	set(&e.RequestID, origin.RequestID)
	if len(e.Entities) == 0 {
		var aspects []string
		e.Entities, e.EntityCount, aspects = requestinfo.DeedOf(ctx).Done()
		if len(e.Aspects) == 0 {
			e.Aspects = aspects
		}
	}
	if subject := requestinfo.SubjectOf(ctx); len(e.Entities) == 0 && subject != nil {
		if urn, _ := subject.Entity(); urn != "" {
			e.Entities = []string{urn}
		}
	}
	e.EntityCount = max(e.EntityCount, len(e.Entities))
	e.Entities, e.Aspects = shortened(e.Entities), shortened(e.Aspects)
	for _, text := range []*string{&e.Credential, &e.Remote, &e.Agent, &e.RequestID, &e.Door, &e.Reason} {
		*text = clip.Text(*text, limits.MaxAuditText)
	}
	for _, urn := range []*string{&e.Actor, &e.Impersonator, &e.Stated} {
		*urn = catalog.Beginning(*urn)
	}
}

// set sets a text that is not set yet.
func set(to *string, text string) {
	if *to == "" {
		*to = text
	}
}

// shortened returns a copy of the first names of a list, each as long as the longest URN at most.
func shortened(names []string) []string {
	short := slices.Clone(names[:min(len(names), limits.MaxAuditEntities)])
	for i := range short {
		short[i] = clip.Text(short[i], limits.MaxURNBytes)
	}
	return short
}

// size estimates the bytes of the stored entry.
func (e *Entry) size() int {
	n := 200 + len(e.Actor) + len(e.Credential) + len(e.Impersonator) + len(e.Stated) + len(e.Remote) + len(e.Agent) + len(e.RequestID) + len(e.Door) + len(e.Reason)
	for _, names := range [][]string{e.Entities, e.Aspects} {
		for _, name := range names {
			n += len(name) + 3
		}
	}
	return n
}
