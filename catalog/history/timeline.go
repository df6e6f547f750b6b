package history

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/wI2L/jsondiff"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/nearest"
	"github.com/headwater-io/headwater/model"
)

// These are the sizes of changes, which raise the version number, and the operations of events.
const (
	ChangeMajor = "MAJOR"
	ChangeMinor = "MINOR"
	ChangePatch = "PATCH"

	OperationAdd    = "ADD"
	OperationRemove = "REMOVE"
	OperationModify = "MODIFY"
)

// These are the modifications of a column.
const (
	ModificationRename = "RENAME"
	ModificationType   = "TYPE_CHANGE"
	ModificationOther  = "OTHER" // a change of the primary key
)

// TimelineRequest asks for the history of an entity.
type TimelineRequest struct {
	URN model.URN
	// Categories are names as TimelineCategories lists them; none means all.
	Categories []string
	// Start and End bound the time of a change, epoch milliseconds, both included. An End of 0
	// means no end. A Start of 0 means a week before the End or, without one, before now.
	Start, End int64
	// Raw asks also for the differences of the aspects' values.
	Raw bool
}

// timelineWindow is the default time span of a timeline.
const timelineWindow = 7 * 24 * time.Hour

// ChangeTransaction has the changes that one actor wrote at one moment.
type ChangeTransaction struct {
	// Timestamp is the moment, epoch milliseconds.
	Timestamp int64   `json:"timestamp"`
	Actor     string  `json:"actor"`
	Proxy     *string `json:"proxy"`
	Reporter  *string `json:"reporter"`
	// SemVer is a version number that counts the changes of the requested categories. The oldest
	// kept version of their aspects is 0.0.0, whatever it contains.
	SemVer string `json:"semVer"`
	// SemVerChange is the greatest change among the events.
	SemVerChange string        `json:"semVerChange"`
	ChangeEvents []ChangeEvent `json:"changeEvents"`
	// RawDiff is a JSON patch (RFC 6902) for {"<aspect>": value}; nil if the request did not ask
	// for it.
	RawDiff json.RawMessage `json:"rawDiff"`
	// VersionStamp names the stored versions, such as ownership:2;schemaMetadata:0. VersionStamp
	// does not name a version that was rolled back.
	VersionStamp string `json:"versionStamp"`
}

// ChangeEvent is a change of one thing.
type ChangeEvent struct {
	// EntityURN is the entity, or the column, that changed.
	EntityURN string `json:"entityUrn"`
	Category  string `json:"category"`
	Operation string `json:"operation"`
	// Modifier names the thing that was added, removed or modified.
	Modifier string `json:"modifier"`
	// Parameters give details, as strings and booleans.
	Parameters   map[string]any     `json:"parameters"`
	AuditStamp   catalog.AuditStamp `json:"auditStamp"`
	SemVerChange string             `json:"semVerChange"`
	// Description describes the change in words.
	Description string `json:"description"`
	// Run is the run that wrote the change, "" for a rollback and a write without a run.
	Run string `json:"-"`
	// Modification tells which property of a column was modified, one of the constants; "" if the
	// event does not modify the schema. RenamedTo is the new path of a renamed column.
	Modification string `json:"-"`
	RenamedTo    string `json:"-"`

	// column is the current path of the column, "" if the event is not about a column.
	column string
}

// Timeline returns the changes of an entity, the oldest first, as far back as
// versions are kept.
func (s *Service) Timeline(ctx context.Context, r TimelineRequest) ([]ChangeTransaction, error) {
	if err := s.settle(&r); err != nil {
		return nil, err
	}
	categories, err := timelineCategories(r.Categories)
	if err != nil {
		return nil, err
	}
	t := &timeline{c: s, urn: r.URN, raw: r.Raw, begun: math.MaxInt64, moments: map[timelineMoment]*ChangeTransaction{}}
	rolledBack, err := s.rolledBackVersions(ctx, r.URN)
	if err != nil {
		return nil, err
	}
	entity, ok := s.registry.Entity(r.URN.EntityType())
	if !ok {
		return nil, catalog.Errorf(catalog.Invalid, "unknown entity type %s", r.URN.EntityType())
	}
	for _, name := range entity.Aspects {
		if err := t.readAspect(ctx, name, categories, rolledBack[name]); err != nil {
			return nil, err
		}
	}
	return t.transactions(r.Start, r.End), nil
}

// settle checks the time window of a request and fills in its defaults.
func (s *Service) settle(r *TimelineRequest) error {
	if r.Start < 0 || r.End < 0 {
		return catalog.Errorf(catalog.Invalid, "moments are epoch milliseconds")
	}
	end := r.End
	if end == 0 {
		// The store gives each write a time of its own, which may be ahead of this clock. Such a
		// write has happened too, so the window has no end.
		end, r.End = s.now().UnixMilli(), math.MaxInt64-1 // an edge that has not ended has the end math.MaxInt64, which the window must not include
	}
	if r.Start == 0 {
		r.Start = end - timelineWindow.Milliseconds()
	}
	if r.Start > end {
		return catalog.Errorf(catalog.Invalid, "the start of the timeline is after its end")
	}
	return nil
}

// timelineMoment is the time and the actor of a write.
type timelineMoment struct {
	at    int64
	actor string
}

// timeline collects the changes of an entity.
type timeline struct {
	c   *Service
	urn model.URN
	raw bool
	// begun is the time of the oldest version that was compared.
	begun   int64
	moments map[timelineMoment]*ChangeTransaction
}

// readAspect compares the versions of an aspect, including rolled-back versions, if one of the
// categories covers the aspect.
func (t *timeline) readAspect(ctx context.Context, name string, categories []category, rolledBack []catalog.RolledBackVersion) error {
	if categories = t.looking(name, categories); len(categories) == 0 {
		return nil
	}
	versions, err := t.c.store.AspectVersions(ctx, graphstore.AspectKey{URN: t.urn.String(), Name: name}, graphstore.Page{Count: catalog.MaxPage})
	if err != nil {
		return catalog.StoreFailure(err)
	}
	slices.Reverse(versions)
	return t.compareVersions(name, categories, versions, rolledBack)
}

// looking returns the categories that cover an aspect.
func (t *timeline) looking(name string, categories []category) []category {
	spec, ok := t.c.registry.Aspect(name)
	if !ok || spec.TimeSeries {
		return nil
	}
	var looking []category
	for i := range categories {
		if categories[i].looksAt(spec) {
			looking = append(looking, categories[i])
		}
	}
	return looking
}

// compareVersions compares the versions of an aspect, the oldest first.
func (t *timeline) compareVersions(name string, categories []category, versions []graphstore.Aspect, rolledBack []catalog.RolledBackVersion) (err error) {
	var before state
	for _, s := range pastValues(versions, rolledBack) {
		after := state{pastValue: s}
		if s.value != nil {
			if after.parsed, err = t.c.registry.ParseStored(name, s.value); err != nil {
				return catalog.Errorf(catalog.Internal, "%s of %s: %w", name, t.urn, err)
			}
		}
		if err := t.compare(name, categories, &before, &after); err != nil {
			return err
		}
		before = after
	}
	return nil
}

// state is a past value of an aspect, parsed.
type state struct {
	pastValue
	// parsed is the parsed value, nil if the aspect was absent.
	parsed *model.Value
}

// compare records the events by which a state differs from the state before.
func (t *timeline) compare(name string, categories []category, before, after *state) error {
	t.begun = min(t.begun, after.at)
	var events []ChangeEvent
	for k := range categories {
		events = append(events, t.events(&categories[k], before.parsed, after.parsed)...)
	}
	if len(events) == 0 {
		return nil
	}
	for i := range events {
		events[i].AuditStamp, events[i].Run = catalog.AuditStamp{Time: after.at, Actor: after.actor}, after.by
		after.explain(&events[i])
	}
	tx := t.at(after.at, after.actor)
	tx.ChangeEvents = append(tx.ChangeEvents, events...)
	return t.addToTransaction(tx, name, before, after)
}

// addToTransaction adds a state to the version stamp of its transaction, and to its raw
// difference.
func (t *timeline) addToTransaction(tx *ChangeTransaction, name string, before, after *state) error {
	if after.stored {
		stamp := name + ":" + strconv.FormatInt(after.version, 10)
		if tx.VersionStamp != "" {
			stamp = tx.VersionStamp + ";" + stamp
		}
		tx.VersionStamp = stamp
	}
	if !t.raw {
		return nil
	}
	var patch []json.RawMessage
	if len(tx.RawDiff) > 0 {
		if err := json.Unmarshal(tx.RawDiff, &patch); err != nil {
			return catalog.Errorf(catalog.Internal, "difference: %w", err)
		}
	}
	operations, err := jsondiff.CompareJSON(named(name, before.value), named(name, after.value))
	if err != nil {
		return catalog.Errorf(catalog.Internal, "difference: %w", err)
	}
	for i := range operations {
		text, err := json.Marshal(operations[i])
		if err != nil {
			return catalog.Errorf(catalog.Internal, "difference: %w", err)
		}
		patch = append(patch, text)
	}
	tx.RawDiff, err = json.Marshal(patch)
	return err
}

// named returns a JSON object with the value as its only member; an empty object if the value
// is nil.
func named(aspect string, value json.RawMessage) []byte {
	if value == nil {
		return []byte("{}")
	}
	return fmt.Appendf(nil, "{%q:%s}", aspect, value)
}

// at returns the transaction of a moment and an actor, and adds it if it is new.
func (t *timeline) at(at int64, actor string) *ChangeTransaction {
	moment := timelineMoment{at, actor}
	tx := t.moments[moment]
	if tx == nil {
		tx = &ChangeTransaction{Timestamp: at, Actor: actor}
		t.moments[moment] = tx
	}
	return tx
}

// transactions numbers all transactions and returns the transactions within a time window.
func (t *timeline) transactions(start, end int64) []ChangeTransaction {
	moments := slices.SortedFunc(maps.Keys(t.moments), func(a, b timelineMoment) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.actor, b.actor))
	})
	list := []ChangeTransaction{}
	var number semanticVersion
	for i, moment := range moments {
		tx := t.moments[moment]
		tx.SemVerChange = greatestChange(tx.ChangeEvents)
		if i > 0 || moment.at > t.begun { // the transaction of the oldest version is 0.0.0
			number.raise(tx.SemVerChange)
		}
		tx.SemVer = number.String() + "-computed"
		if tx.Timestamp >= start && tx.Timestamp <= end {
			list = append(list, *tx)
		}
	}
	return list
}

// timelineCategories returns the categories with the wanted names.
func timelineCategories(wanted []string) ([]category, error) {
	if len(wanted) == 0 {
		return categories, nil
	}
	if err := catalog.CheckLists("categories", wanted); err != nil {
		return nil, err
	}
	var found []category
	for _, name := range wanted {
		name = strings.ToUpper(name)
		if other, ok := categoryAliases[name]; ok {
			name = other
		}
		if slices.Contains(silentCategories, name) {
			continue
		}
		i := slices.IndexFunc(categories, func(k category) bool { return k.name == name })
		if i < 0 {
			return nil, catalog.Errorf(catalog.Invalid, "there is no category %q%s", name, nearest.Among(name, TimelineCategories(), "categories"))
		}
		if !slices.ContainsFunc(found, func(k category) bool { return k.name == name }) {
			found = append(found, categories[i])
		}
	}
	return found, nil
}

// categoryAliases maps other names of categories to their names.
var categoryAliases = map[string]string{"OWNERSHIP": "OWNER"}

// silentCategories are valid names of categories for which a timeline has no events.
var silentCategories = []string{"LIFECYCLE", "RUN", "PARENT", "RELATED_ENTITIES"}

// TimelineCategories returns the names of the categories of a timeline.
func TimelineCategories() []string {
	list := make([]string, len(categories))
	for i, k := range categories {
		list[i] = k.name
	}
	return list
}
