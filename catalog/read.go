package catalog

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

// EntityResponse is an entity with its latest aspects in envelopes.
type EntityResponse struct {
	URN        string                     `json:"urn"`
	EntityName string                     `json:"entityName"`
	Aspects    map[string]EnvelopedAspect `json:"aspects"`
}

// EnvelopedAspect is an aspect's value with its stamps and system metadata.
type EnvelopedAspect struct {
	Name    string          `json:"name"`
	Type    string          `json:"type"`
	Version int64           `json:"version"`
	Value   json.RawMessage `json:"value"`
	Created AuditStamp      `json:"created"`
	System  *SystemMetadata `json:"systemMetadata,omitempty"`
}

// AuditStamp is when, in epoch milliseconds, and by whom something was done.
type AuditStamp struct {
	Time  int64  `json:"time"`
	Actor string `json:"actor"`
}

// Number is how many versions the aspect had until this one, 0 if that is not known.
func (a *EnvelopedAspect) Number() int64 {
	if a.System == nil {
		return 0
	}
	n, _ := strconv.ParseInt(a.System.Version, 10, 64) // of a computed aspect it is empty
	return n
}

func envelope(a *graphstore.Aspect) EnvelopedAspect {
	return EnvelopedAspect{
		Name: a.Name, Type: "VERSIONED", Version: a.Version, Value: a.Value,
		Created: AuditStamp{Time: a.CreatedOn, Actor: a.CreatedBy}, System: systemOfVersion(a),
	}
}

// Entity returns an entity with the named aspects, all versioned ones when none
// are named, and always its key aspect. Unknown names are ignored. For an
// entity without any stored aspect the dialect of the URN decides between a
// computed key aspect and NotFound.
func (c *Catalog) Entity(ctx context.Context, u model.URN, aspects []string) (EntityResponse, error) {
	responses, err := c.entities(ctx, []model.URN{u}, aspects)
	if err != nil {
		return EntityResponse{}, err
	}
	response := responses[0]
	if d, _ := c.registry.DialectOf(u); d.UnknownEntity == model.NotFound && !response.stored {
		exists, err := c.Exists(ctx, u)
		if err != nil {
			return EntityResponse{}, err
		}
		if !exists {
			return EntityResponse{}, Errorf(NotFound, "Did not find urn: %s", u)
		}
	}
	return response.EntityResponse, nil
}

// Entities returns several entities by the texts of their URNs. Unknown entities have
// only their computed key aspect, or are absent where their dialect says so.
func (c *Catalog) Entities(ctx context.Context, urns []model.URN, aspects []string) (map[string]EntityResponse, error) {
	responses, err := c.entities(ctx, urns, aspects)
	if err != nil {
		return nil, err
	}
	found := make(map[string]EntityResponse, len(responses))
	for i, response := range responses {
		d, _ := c.registry.DialectOf(urns[i])
		if response.stored || d.UnknownEntity == model.SynthesizeKey {
			found[response.URN] = response.EntityResponse
		}
	}
	return found, nil
}

// entityResponse remembers whether anything was stored.
type entityResponse struct {
	EntityResponse
	stored bool
}

func (c *Catalog) entities(ctx context.Context, urns []model.URN, aspects []string) ([]entityResponse, error) {
	if err := CheckLists("aspects", aspects); err != nil {
		return nil, err
	}
	texts := Texts(urns)
	names := slices.Clone(aspects)
	for _, u := range urns {
		entity, err := c.EntityType(u.EntityType())
		if err != nil {
			return nil, err
		}
		if len(aspects) > 0 && !slices.Contains(names, entity.KeyAspect) {
			names = append(names, entity.KeyAspect)
		}
	}
	stored, err := c.store.LatestAspects(ctx, texts, names)
	if err != nil {
		return nil, StoreFailure(err)
	}
	if stored, err = c.withoutDeleted(ctx, stored); err != nil {
		return nil, err
	}
	responses := make([]entityResponse, len(urns))
	for i, u := range urns {
		if responses[i], err = c.response(u, stored[texts[i]]); err != nil {
			return nil, err
		}
	}
	return responses, nil
}

func (c *Catalog) response(u model.URN, stored []graphstore.Aspect) (entityResponse, error) {
	envelopes := make([]EnvelopedAspect, len(stored))
	for i := range stored {
		envelopes[i] = envelope(&stored[i])
	}
	r, err := c.responseOf(u, envelopes)
	return entityResponse{r, len(stored) > 0}, err
}

// responseOf is an entity with some aspects, and with its key aspect, computed if it is
// not among them.
func (c *Catalog) responseOf(u model.URN, aspects []EnvelopedAspect) (EntityResponse, error) {
	entity, _ := c.registry.Entity(u.EntityType())
	r := EntityResponse{URN: u.String(), EntityName: entity.Name, Aspects: make(map[string]EnvelopedAspect, len(aspects)+1)}
	for i := range aspects {
		r.Aspects[aspects[i].Name] = aspects[i]
	}
	if _, ok := r.Aspects[entity.KeyAspect]; ok {
		return r, nil
	}
	key, err := c.registry.KeyValue(u)
	if err != nil {
		return r, ValueError(err)
	}
	d, _ := c.registry.DialectOf(u)
	r.Aspects[entity.KeyAspect] = EnvelopedAspect{
		Name: entity.KeyAspect, Type: "VERSIONED", Value: key,
		Created: AuditStamp{Time: c.now().UnixMilli(), Actor: SystemActor(d)},
	}
	return r, nil
}

// VersionedAspect is one version of an aspect in the legacy form.
type VersionedAspect struct {
	Version int64
	// Record is the record's name in the URN's dialect.
	Record string
	Value  json.RawMessage
}

// Aspect returns one version of an aspect. The numbers are those of
// [graphstore.FindVersion]: 0 is the latest, archived ones count from 1, and -1
// is the newest archived one.
func (c *Catalog) Aspect(ctx context.Context, u model.URN, aspect string, version int64) (VersionedAspect, error) {
	missing := Errorf(NotFound, "Did not find urn: %s aspect: %s version: %d", u, aspect, version)
	found, ok, err := c.store.AspectVersion(ctx, graphstore.AspectKey{URN: u.String(), Name: aspect}, version)
	if err != nil {
		return VersionedAspect{}, StoreFailure(err)
	}
	if !ok {
		return VersionedAspect{}, missing
	}
	if version == graphstore.LatestVersion {
		if found.Value, err = c.shownValue(ctx, found); err != nil {
			return VersionedAspect{}, err
		}
	}
	d, _ := c.registry.DialectOf(u)
	return VersionedAspect{Version: found.Version, Record: d.RecordName(c.registry.AnyAspect(aspect).Record), Value: found.Value}, nil
}

// Snapshot returns an entity in the legacy form, {"<snapshot record>": {…}},
// with the named aspects, all when none are named, and its key aspect.
func (c *Catalog) Snapshot(ctx context.Context, u model.URN, aspects []string) (json.RawMessage, error) {
	snapshots, err := c.Snapshots(ctx, []model.URN{u}, aspects)
	if err != nil {
		return nil, err
	}
	for _, snapshot := range snapshots {
		return snapshot, nil
	}
	return nil, Errorf(NotFound, "Did not find urn: %s", u)
}

// Snapshots returns those of the entities that exist, by the texts of their
// URNs.
func (c *Catalog) Snapshots(ctx context.Context, urns []model.URN, aspects []string) (map[string]json.RawMessage, error) {
	if err := CheckLists("aspects", aspects); err != nil {
		return nil, err
	}
	texts := Texts(urns)
	for _, u := range urns {
		if _, ok := c.registry.SnapshotOf(u.EntityType()); !ok {
			return nil, Errorf(Invalid, "entities of type %s have no snapshot; read them through entitiesV2", u.EntityType())
		}
	}
	stored, err := c.store.LatestAspects(ctx, texts, nil)
	if err != nil {
		return nil, StoreFailure(err)
	}
	snapshots := make(map[string]json.RawMessage, len(stored))
	for i, u := range urns {
		if len(stored[texts[i]]) == 0 {
			continue
		}
		if snapshots[texts[i]], err = c.snapshotOf(u, stored[texts[i]], aspects); err != nil {
			return nil, err
		}
	}
	return snapshots, nil
}

func (c *Catalog) snapshotOf(u model.URN, stored []graphstore.Aspect, wanted []string) (json.RawMessage, error) {
	spec, _ := c.registry.SnapshotOf(u.EntityType())
	entity, _ := c.registry.Entity(u.EntityType())
	d, _ := c.registry.DialectOf(u)
	byName := make(map[string]json.RawMessage, len(stored))
	for i := range stored {
		byName[stored[i].Name] = stored[i].Value
	}
	if byName[entity.KeyAspect] == nil {
		key, err := c.registry.KeyValue(u)
		if err != nil {
			return nil, ValueError(err)
		}
		byName[entity.KeyAspect] = key
	}
	members := []map[string]json.RawMessage{}
	for _, m := range spec.Aspects {
		value := byName[m.Aspect]
		if value == nil || len(wanted) > 0 && m.Aspect != entity.KeyAspect && !slices.Contains(wanted, m.Aspect) {
			continue
		}
		members = append(members, map[string]json.RawMessage{d.RecordName(m.Record): value})
	}
	body := map[string]any{"urn": u.String(), "aspects": members}
	if entity.Name == model.EntityGlossaryTerm {
		// The interface shows these two as fields of the snapshot itself.
		for _, name := range []string{model.AspectOwnership, model.AspectGlossaryTermInfo} {
			if value := byName[name]; value != nil {
				body[name] = value
			}
		}
	}
	return json.Marshal(map[string]any{d.RecordName(spec.Record): body})
}

// Exists reports whether any versioned aspect of an entity is stored; a
// soft-deleted entity exists.
func (c *Catalog) Exists(ctx context.Context, u model.URN) (bool, error) {
	nodes, err := c.store.Entities(ctx, []string{u.String()})
	if err != nil {
		return false, StoreFailure(err)
	}
	return len(nodes) > 0 && nodes[0].Exists, nil
}

// Existing reports which of several entities exist.
func (c *Catalog) Existing(ctx context.Context, urns []model.URN) (map[model.URN]bool, error) {
	nodes, err := c.store.Entities(ctx, Texts(urns))
	if err != nil {
		return nil, StoreFailure(err)
	}
	existing := make(map[model.URN]bool, len(nodes))
	for _, n := range nodes {
		if n.Exists {
			existing[model.StoredURN(n.URN)] = true
		}
	}
	return existing, nil
}

// EntityAt returns an entity with the named versions of aspects, and no other
// aspect except the key.
func (c *Catalog) EntityAt(ctx context.Context, u model.URN, versions map[string]int64) (EntityResponse, error) {
	entity, err := c.EntityType(u.EntityType())
	if err != nil {
		return EntityResponse{}, err
	}
	var stored []graphstore.Aspect
	for name, version := range versions {
		if !entity.Has(name) {
			return EntityResponse{}, Errorf(Invalid, "Unknown aspect %s for entity %s", name, entity.Name)
		}
		a, ok, err := c.store.AspectVersion(ctx, graphstore.AspectKey{URN: u.String(), Name: name}, version)
		if err != nil {
			return EntityResponse{}, StoreFailure(err)
		}
		if ok {
			stored = append(stored, a)
		}
	}
	r, err := c.response(u, stored)
	return r.EntityResponse, err
}

// CountAspects counts the entities that have an aspect, those whose URN
// matches the SQL LIKE pattern when one is given.
func (c *Catalog) CountAspects(ctx context.Context, aspect, urnLike string) (int64, error) {
	if _, ok := c.registry.Aspect(aspect); !ok {
		return 0, Errorf(Invalid, "Unknown aspect %s", aspect)
	}
	if len(urnLike) > limits.MaxPatternBytes {
		return 0, Errorf(Invalid, "parameter urnLike has %d bytes, the limit is %d", len(urnLike), limits.MaxPatternBytes)
	}
	if n := strings.Count(urnLike, "%"); n > limits.MaxPatternRuns {
		return 0, Errorf(Invalid, "parameter urnLike has %d signs %%, the limit is %d", n, limits.MaxPatternRuns)
	}
	n, err := c.store.CountAspects(ctx, aspect, urnLike)
	return n, StoreFailure(err)
}

// URNPage is a page of URNs; Count is the number returned.
type URNPage struct {
	Entities []string `json:"entities"`
	Start    int      `json:"start"`
	Count    int      `json:"count"`
	Total    int64    `json:"total"`
}

// MaxPage is the largest page that any listing returns.
const MaxPage = limits.MaxPageCount

// ListURNs lists the entities of a type by URN, soft-deleted ones included.
func (c *Catalog) ListURNs(ctx context.Context, entityType string, start, count int) (URNPage, error) {
	entity, err := c.EntityType(entityType)
	if err != nil {
		return URNPage{}, err
	}
	page, err := PageOf(start, count)
	if err != nil {
		return URNPage{}, err
	}
	urns, total, err := c.store.ListEntities(ctx, entity.Name, page)
	if err != nil {
		return URNPage{}, StoreFailure(err)
	}
	return URNPage{Entities: urns, Start: start, Count: len(urns), Total: total}, nil
}
