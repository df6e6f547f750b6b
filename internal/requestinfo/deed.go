package requestinfo

import (
	"context"
	"fmt"
	"slices"
	"sync"
)

// Origin is where a request comes from, for the audit trail.
type Origin struct {
	// RequestID is the id of the request in the logs.
	RequestID string
	// Agent is the header User-Agent.
	Agent string
	// Remote is the address from which the request came, without a port.
	Remote string
}

type originKey struct{}

// WithOrigin sets where a request comes from.
func WithOrigin(ctx context.Context, o Origin) context.Context {
	return context.WithValue(ctx, originKey{}, o)
}

// OriginOf returns where a request comes from.
func OriginOf(ctx context.Context) Origin {
	o, _ := ctx.Value(originKey{}).(Origin)
	return o
}

// Bounds of a Deed: the listed entities and aspects, and the counted entities.
const (
	listedInDeed  = 10
	countedInDeed = 10_000
)

// Deed records which entities and aspects a request changes, or which secrets it reads, for the audit trail. Its methods may be
// called on nil, and by several goroutines.
type Deed struct {
	mu       sync.Mutex
	entities []string
	aspects  []string
	seen     map[string]struct{}
	trial    bool
}

type deedKey struct{}

// WithDeed lets the changes of a request be recorded. A Deed within another one replaces it.
func WithDeed(ctx context.Context) (context.Context, *Deed) {
	d := &Deed{}
	return context.WithValue(ctx, deedKey{}, d), d
}

// DeedOf returns the record of the changes of a request, or nil.
func DeedOf(ctx context.Context) *Deed {
	d, _ := ctx.Value(deedKey{}).(*Deed)
	return d
}

// Changes records that the request changes an entity, and which of its aspects.
func (d *Deed) Changes(urn fmt.Stringer, aspects ...string) {
	if d == nil {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, aspect := range aspects {
		if len(d.aspects) < listedInDeed && !slices.Contains(d.aspects, aspect) {
			d.aspects = append(d.aspects, aspect)
		}
	}
	if len(d.seen) >= countedInDeed {
		return
	}
	name := urn.String()
	if _, seen := d.seen[name]; seen {
		return
	}
	if d.seen == nil {
		d.seen = map[string]struct{}{}
	}
	d.seen[name] = struct{}{}
	if len(d.entities) < listedInDeed {
		d.entities = append(d.entities, name)
	}
}

// Tries records that the request is a dry run, which changes nothing.
func (d *Deed) Tries() {
	if d == nil {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.trial = true
}

// Trial reports whether the request was a dry run.
func (d *Deed) Trial() bool {
	if d == nil {
		return false
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.trial
}

// Done returns the first changed entities and aspects, and the number of all changed entities. The
// number ends at 10,000.
func (d *Deed) Done() (entities []string, count int, aspects []string) {
	if d == nil {
		return nil, 0, nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.entities), len(d.seen), slices.Clone(d.aspects)
}
