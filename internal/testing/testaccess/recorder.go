// Package testaccess has the code that tests of access share: it finds out which privileges operations ask
// for, compares the page of privileges, and reads the rows of the attack "dearest".
package testaccess

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/headwater-io/headwater/access/permit"
	"github.com/headwater-io/headwater/access/policies"
	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/internal/requestinfo"
	"github.com/headwater-io/headwater/model"
)

// Recorder are the permissions of a caller who may do everything, or nothing. They record the privileges that
// they are asked for.
type Recorder struct {
	// Refuses: the caller may do nothing.
	Refuses bool

	mu    sync.Mutex
	asked map[string]bool
	// others: the next privilege is needed only for another actor's entities.
	others bool
}

var _ catalog.Permissions = (*Recorder)(nil)

func (r *Recorder) note(need string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.asked == nil {
		r.asked = map[string]bool{}
	}
	r.asked[need] = true
}

// Needs returns the recorded privileges, each once and in order.
func (r *Recorder) Needs() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Sorted(maps.Keys(r.asked))
}

// Holds notes privileges of the platform.
func (r *Recorder) Holds(_ context.Context, privileges ...string) bool {
	r.mu.Lock()
	others := r.others
	r.others = false
	r.mu.Unlock()
	need := oneOf(privileges)
	if others {
		need += " for what belongs to others"
	}
	r.note(need)
	return !r.Refuses
}

// Allowed notes privileges on entities.
func (r *Recorder) Allowed(_ context.Context, questions []catalog.Question) ([]bool, error) {
	for i := range questions {
		entityType := questions[i].Type
		if u := questions[i].URN; !u.IsZero() {
			entityType = subjectType(u)
		}
		r.note(oneOf(questions[i].Privileges) + " on the " + entityType)
	}
	return slices.Repeat([]bool{!r.Refuses}, len(questions)), nil
}

// ActsFor records that the caller asks about another actor.
func (r *Recorder) ActsFor(string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.others = true
	return false
}

// Same reports whether others are the same Recorder.
func (r *Recorder) Same(other catalog.Permissions) bool { return other == r }

// SeesWhole notes that the right to read everything is needed.
func (r *Recorder) SeesWhole(context.Context) (bool, error) {
	r.note("the right to read every entity")
	return !r.Refuses, nil
}

// Visible reports every entity as visible.
func (r *Recorder) Visible(_ context.Context, urns []string) (map[string]bool, error) {
	visible := make(map[string]bool, len(urns))
	for _, urn := range urns {
		visible[urn] = true
	}
	return visible, nil
}

// Protect is a [write.Protect] that permits everything. The [Recorder] of a caller notes the rules.
func Protect(ctx context.Context, wants []write.Want) []error {
	r, ok := catalog.PermissionsOf(ctx).(*Recorder)
	if !ok || catalog.IsDecided(ctx) {
		return nil
	}
	for i := range wants {
		if w := &wants[i]; w.URN.String() != requestinfo.CallerOf(ctx).Actor || !permit.RuleOf(w).Own {
			r.note(Need(w))
		}
	}
	return nil
}

// Need returns the rule of a write as text.
func Need(w *write.Want) string {
	rule := permit.RuleOf(w)
	if rule.Platform != nil {
		return oneOf(rule.Platform)
	}
	need := oneOf(rule.Any)
	if rule.Together != nil {
		need = "`" + strings.Join(slices.Sorted(slices.Values(rule.Together)), "` and `") + "`, or " + need
	}
	need += " on the " + subjectType(w.URN)
	if rule.Others != nil {
		need += ", or " + oneOf(rule.Others) + " on the entities that it is about"
	}
	return need
}

// subjectType returns the type of the entity on which privileges are needed. For a column this entity is its dataset.
func subjectType(u model.URN) string {
	return model.StoredURN(policies.Subject(u.String())).EntityType()
}

// oneOf writes a list of privileges each of which alone permits the operation.
func oneOf(privileges []string) string {
	distinct := make([]string, 0, len(privileges))
	for _, p := range privileges {
		if _, known := policies.DescriptionOf(p); known && !slices.Contains(distinct, "`"+p+"`") {
			distinct = append(distinct, "`"+p+"`")
		}
	}
	return strings.Join(distinct, " or ")
}
