// Package testaccess has the code that tests of access share: it finds out which privileges operations ask
// for, compares the page of privileges, and reads the rows of the attack "dearest".
package testaccess

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/headwater-io/headwater/access/permit"
	"github.com/headwater-io/headwater/access/policies"
	"github.com/headwater-io/headwater/catalog/permission"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/internal/requestinfo"
	"github.com/headwater-io/headwater/model"
)

// Recorder are the permissions of a caller who may do everything, nothing, or what some needs permit. They
// record the privileges that they are asked for.
type Recorder struct {
	// Refuses: the caller may do nothing except what Holding permits.
	Refuses bool
	// Holding are the needs that are met for a caller who may otherwise do nothing, as [Recorder.Needs] spells
	// them.
	Holding []string

	mu    sync.Mutex
	asked map[string]bool
	// others: the next privilege is needed only for another actor's entities.
	others bool
}

var _ permission.Set = (*Recorder)(nil)

// With returns the permissions of a caller who has some needs and nothing else.
func With(needs []string) *Recorder { return &Recorder{Refuses: true, Holding: needs} }

// Without returns the permissions of a caller who has all of some needs but one.
func Without(needs []string, missing int) *Recorder {
	return With(slices.Delete(slices.Clone(needs), missing, missing+1))
}

// Catalog is a catalog of a test, such as that of package catalogtest.
type Catalog interface {
	State() string
	// RequireState fails the test if the state differs from an earlier one. cause names the requests since then.
	RequireState(before, cause string)
}

// EveryNeed tries an operation as callers who lack one of its needs, each need in turn. It reports callers who are not
// refused, and anything that one of them has changed. try returns an answer, and whether it is a refusal.
func EveryNeed(t testing.TB, operation string, needs []string, in Catalog, try func(*Recorder) (answer string, refused bool)) {
	t.Helper()
	before := in.State()
	for missing := range needs {
		if answer, refused := try(Without(needs, missing)); !refused {
			t.Errorf("%s without %q of %q is not refused: %.300s", operation, needs[missing], needs, answer)
		}
	}
	in.RequireState(before, operation+" by callers who lack a need")
}

// note records a need, and reports whether it is met.
func (r *Recorder) note(need string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.asked == nil {
		r.asked = map[string]bool{}
	}
	r.asked[need] = true
	return !r.Refuses || slices.Contains(r.Holding, need)
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
	return r.note(need)
}

// Allowed notes privileges on entities.
func (r *Recorder) Allowed(_ context.Context, questions []permission.Question) ([]bool, error) {
	allowed := make([]bool, len(questions))
	for i := range questions {
		entityType := questions[i].Type
		if u := questions[i].URN; !u.IsZero() {
			entityType = subjectType(u)
		}
		allowed[i] = r.note(oneOf(questions[i].Privileges) + " on the " + entityType)
	}
	return allowed, nil
}

// ActsFor records that the caller asks about another actor.
func (r *Recorder) ActsFor(string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.others = true
	return false
}

// Same reports whether others are the same Recorder.
func (r *Recorder) Same(other permission.Set) bool { return other == r }

// SeesWhole notes that the right to read everything is needed.
func (r *Recorder) SeesWhole(context.Context) (bool, error) {
	return r.note("the right to read every entity"), nil
}

// Visible reports every entity as visible.
func (r *Recorder) Visible(_ context.Context, urns []string) (map[string]bool, error) {
	visible := make(map[string]bool, len(urns))
	for _, urn := range urns {
		visible[urn] = true
	}
	return visible, nil
}

// Protect is a [write.Protect] by the [Recorder] of the caller, which notes the rules. Other callers may write
// everything.
func Protect(ctx context.Context, wants []write.Want) []error {
	r, ok := permission.Of(ctx).(*Recorder)
	if !ok || permission.IsDecided(ctx) {
		return nil
	}
	refusals := make([]error, len(wants))
	for i := range wants {
		w := &wants[i]
		if w.URN.String() == requestinfo.CallerOf(ctx).Actor && permit.RuleOf(w).Own {
			continue
		}
		if need := Need(w); !r.note(need) {
			refusals[i] = permission.Refusal("change "+w.Aspect+" of "+w.URN.String(), []string{need})
		}
	}
	return refusals
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
