package catalog

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/wI2L/jsondiff"

	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/model"
)

// Kinds of change that a version number rises by, and what happened to one
// thing.
const (
	ChangeMajor = "MAJOR"
	ChangeMinor = "MINOR"

	OperationAdd    = "ADD"
	OperationRemove = "REMOVE"
	OperationModify = "MODIFY"
)

// TimelineRequest asks what became of an entity.
type TimelineRequest struct {
	URN string
	// Categories are names as TimelineCategories lists them; none means all.
	Categories []string
	// Start and End bound when a change happened, epoch milliseconds, both
	// included. An End of 0 is now, a Start of 0 a week before the end.
	Start, End int64
	// Raw asks for the differences of the aspects too.
	Raw bool
}

// timelineWindow is how far back a timeline goes when no start is given.
const timelineWindow = 7 * 24 * time.Hour

// ChangeTransaction is what was written at one moment by one actor.
type ChangeTransaction struct {
	// Timestamp is epoch milliseconds.
	Timestamp int64   `json:"timestamp"`
	Actor     string  `json:"actor"`
	Proxy     *string `json:"proxy"`
	Reporter  *string `json:"reporter"`
	// SemVer counts the changes of the categories asked for, since the first
	// one that is kept.
	SemVer       string        `json:"semVer"`
	SemVerChange string        `json:"semVerChange"`
	ChangeEvents []ChangeEvent `json:"changeEvents"`
	// RawDiff is a JSON patch (RFC 6902) over {"<aspect>": value}, nil unless it
	// is asked for.
	RawDiff json.RawMessage `json:"rawDiff"`
	// VersionStamp names the stored versions, as in ownership:2;schemaMetadata:0.
	VersionStamp string `json:"versionStamp"`
}

// ChangeEvent is what happened to one thing.
type ChangeEvent struct {
	// EntityURN is the entity, or the column, that it happened to.
	EntityURN string `json:"entityUrn"`
	Category  string `json:"category"`
	Operation string `json:"operation"`
	// Modifier is what was added, removed or modified.
	Modifier     string            `json:"modifier"`
	Parameters   map[string]string `json:"parameters"`
	AuditStamp   AuditStamp        `json:"auditStamp"`
	SemVerChange string            `json:"semVerChange"`
	// Description says it in words.
	Description string `json:"description"`
}

// Timeline tells what became of an entity, the oldest first, as far back as
// versions are kept.
func (c *Catalog) Timeline(ctx context.Context, r TimelineRequest) ([]ChangeTransaction, error) {
	u, _, err := c.parseURN(r.URN)
	if err != nil {
		return nil, err
	}
	if r.Start < 0 || r.End < 0 {
		return nil, Errorf(Invalid, "moments are epoch milliseconds")
	}
	if r.End == 0 {
		r.End = c.now().UnixMilli()
	}
	if r.Start == 0 {
		r.Start = r.End - timelineWindow.Milliseconds()
	}
	if r.Start > r.End {
		return nil, Errorf(Invalid, "the start of the timeline is after its end")
	}
	categories, err := timelineCategories(r.Categories)
	if err != nil {
		return nil, err
	}
	t := &timeline{c: c, urn: u, raw: r.Raw, moments: map[timelineMoment]*ChangeTransaction{}}
	entity, _ := c.registry.Entity(u.EntityType()) // parseURN refuses unknown types
	for _, name := range entity.Aspects {
		if err := t.readAspect(ctx, name, categories); err != nil {
			return nil, err
		}
	}
	return t.transactions(r.Start, r.End), nil
}

// timelineMoment is when and by whom something was written.
type timelineMoment struct {
	at    int64
	actor string
}

// timeline gathers the changes of an entity.
type timeline struct {
	c       *Catalog
	urn     model.URN
	raw     bool
	moments map[timelineMoment]*ChangeTransaction
}

// readAspect compares the versions of an aspect, as far as one of the
// categories looks at it.
func (t *timeline) readAspect(ctx context.Context, name string, categories []category) error {
	spec, ok := t.c.registry.Aspect(name)
	if !ok || spec.TimeSeries {
		return nil
	}
	categories = slices.DeleteFunc(slices.Clone(categories), func(k category) bool { return !k.looksAt(spec) })
	if len(categories) == 0 {
		return nil
	}
	versions, err := t.c.store.AspectVersions(ctx, graphstore.AspectKey{URN: t.urn.String(), Name: name}, graphstore.Page{Count: MaxPage})
	if err != nil {
		return storeFailure(err)
	}
	slices.Reverse(versions)
	former := make([]facts, len(categories))
	var before json.RawMessage
	for i := range versions {
		v := &versions[i]
		value, err := t.c.registry.ParseStored(name, v.Value)
		if err != nil {
			return Errorf(Internal, "%s of %s: %w", name, t.urn, err)
		}
		changed := false
		for k := range categories {
			now := categories[k].facts(t, value)
			changed = t.compare(&categories[k], v, former[k], now) || changed
			former[k] = now
		}
		if changed {
			if err := t.note(v, before); err != nil {
				return err
			}
		}
		before = v.Value
	}
	return nil
}

// note adds a version to the stamp of its transaction, and to its difference.
func (t *timeline) note(v *graphstore.Aspect, before json.RawMessage) error {
	tx := t.at(v)
	stamp := v.Name + ":" + strconv.FormatInt(v.Version, 10)
	if tx.VersionStamp != "" {
		stamp = tx.VersionStamp + ";" + stamp
	}
	tx.VersionStamp = stamp
	if !t.raw {
		return nil
	}
	var patch []json.RawMessage
	if len(tx.RawDiff) > 0 {
		if err := json.Unmarshal(tx.RawDiff, &patch); err != nil {
			return Errorf(Internal, "difference: %w", err)
		}
	}
	source := []byte("{}")
	if before != nil {
		source = fmt.Appendf(nil, "{%q:%s}", v.Name, before)
	}
	operations, err := jsondiff.CompareJSON(source, fmt.Appendf(nil, "{%q:%s}", v.Name, v.Value))
	if err != nil {
		return Errorf(Internal, "difference: %w", err)
	}
	for i := range operations {
		text, err := json.Marshal(operations[i])
		if err != nil {
			return Errorf(Internal, "difference: %w", err)
		}
		patch = append(patch, text)
	}
	tx.RawDiff, err = json.Marshal(patch)
	return err
}

// at is the transaction that wrote a version.
func (t *timeline) at(v *graphstore.Aspect) *ChangeTransaction {
	moment := timelineMoment{v.CreatedOn, v.CreatedBy}
	tx := t.moments[moment]
	if tx == nil {
		tx = &ChangeTransaction{Timestamp: v.CreatedOn, Actor: v.CreatedBy}
		t.moments[moment] = tx
	}
	return tx
}

// compare turns the facts by which two versions differ into events and reports
// whether there are any.
func (t *timeline) compare(k *category, v *graphstore.Aspect, before, after facts) bool {
	var events []ChangeEvent
	event := func(operation string, f fact) {
		change := ChangeMinor
		if k.breaking && operation != OperationAdd {
			change = ChangeMajor
		}
		events = append(events, ChangeEvent{
			EntityURN: cmp.Or(f.entity, t.urn.String()), Category: k.name, Operation: operation, Modifier: f.modifier, Parameters: f.parameters,
			AuditStamp: AuditStamp{Time: v.CreatedOn, Actor: v.CreatedBy}, SemVerChange: change,
			Description: f.what + " " + operationWords[operation] + f.where,
		})
	}
	for _, key := range slices.Sorted(maps.Keys(after)) {
		was, known := before[key]
		if !known {
			event(OperationAdd, after[key])
		} else if was.content != after[key].content {
			event(OperationModify, after[key])
		}
	}
	for _, key := range slices.Sorted(maps.Keys(before)) {
		if _, still := after[key]; !still {
			event(OperationRemove, before[key])
		}
	}
	if len(events) == 0 {
		return false
	}
	tx := t.at(v)
	tx.ChangeEvents = append(tx.ChangeEvents, events...)
	return true
}

var operationWords = map[string]string{OperationAdd: "was added", OperationRemove: "was removed", OperationModify: "was changed"}

// transactions numbers all of them and returns those of a time.
func (t *timeline) transactions(start, end int64) []ChangeTransaction {
	moments := slices.SortedFunc(maps.Keys(t.moments), func(a, b timelineMoment) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.actor, b.actor))
	})
	list := []ChangeTransaction{}
	major, minor := 0, 0
	for i, moment := range moments {
		tx := t.moments[moment]
		tx.SemVerChange = ChangeMinor
		if slices.ContainsFunc(tx.ChangeEvents, func(e ChangeEvent) bool { return e.SemVerChange == ChangeMajor }) {
			tx.SemVerChange = ChangeMajor
		}
		switch {
		case i == 0: // the first one is 0.0.0
		case tx.SemVerChange == ChangeMajor:
			major, minor = major+1, 0
		default:
			minor++
		}
		tx.SemVer = fmt.Sprintf("%d.%d.0-computed", major, minor)
		if tx.Timestamp >= start && tx.Timestamp <= end {
			list = append(list, *tx)
		}
	}
	return list
}

// timelineCategories finds categories by name.
func timelineCategories(wanted []string) ([]category, error) {
	if len(wanted) == 0 {
		return categories, nil
	}
	if err := checkLists("categories", wanted); err != nil {
		return nil, err
	}
	var found []category
	for _, name := range wanted {
		i := slices.IndexFunc(categories, func(k category) bool { return k.name == strings.ToUpper(name) })
		if i < 0 {
			return nil, Errorf(Invalid, "there is no category %q; there are %s", name, strings.Join(TimelineCategories(), ", "))
		}
		if !slices.ContainsFunc(found, func(k category) bool { return k.name == categories[i].name }) {
			found = append(found, categories[i])
		}
	}
	return found, nil
}

// TimelineCategories are the names of what a timeline tells.
func TimelineCategories() []string {
	list := make([]string, len(categories))
	for i, k := range categories {
		list[i] = k.name
	}
	return list
}
