package read

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

func envelope(a *graphstore.Aspect) catalog.EnvelopedAspect {
	return catalog.EnvelopedAspect{
		Name: a.Name, Type: "VERSIONED", Version: a.Version, Value: a.Value,
		Created: catalog.AuditStamp{Time: a.CreatedOn, Actor: a.CreatedBy}, System: catalog.SystemOfVersion(a),
	}
}

// Entity returns an entity with the named aspects, or with all versioned aspects if none are
// named, and always with its key aspect. Unknown names are ignored. For an entity without any
// stored aspect, the dialect of the URN decides between a computed key aspect and NotFound.
func (rd *Reader) Entity(ctx context.Context, u model.URN, aspects []string) (catalog.EntityResponse, error) {
	responses, err := rd.entities(ctx, []model.URN{u}, aspects)
	if err != nil {
		return catalog.EntityResponse{}, err
	}
	response := responses[0]
	if d, _ := rd.Registry().DialectOf(u); d.UnknownEntity == model.NotFound && !response.stored {
		exists, err := rd.existing.Exists(ctx, u)
		if err != nil {
			return catalog.EntityResponse{}, err
		}
		if !exists {
			return catalog.EntityResponse{}, catalog.Errorf(catalog.NotFound, "Did not find urn: %s", u)
		}
	}
	return response.EntityResponse, nil
}

// Entities returns several entities by the texts of their URNs. The dialect of an unknown
// entity decides whether the entity is absent or has only its computed key aspect.
func (rd *Reader) Entities(ctx context.Context, urns []model.URN, aspects []string) (map[string]catalog.EntityResponse, error) {
	responses, err := rd.entities(ctx, urns, aspects)
	if err != nil {
		return nil, err
	}
	found := make(map[string]catalog.EntityResponse, len(responses))
	for i, response := range responses {
		d, _ := rd.Registry().DialectOf(urns[i])
		if response.stored || d.UnknownEntity == model.SynthesizeKey {
			found[response.URN] = response.EntityResponse
		}
	}
	return found, nil
}

// entityResponse also tells whether anything was stored of the entity.
type entityResponse struct {
	catalog.EntityResponse
	stored bool
}

func (rd *Reader) entities(ctx context.Context, urns []model.URN, aspects []string) ([]entityResponse, error) {
	if err := catalog.CheckLists("aspects", aspects); err != nil {
		return nil, err
	}
	texts := catalog.Texts(urns)
	names := slices.Clone(aspects)
	for _, u := range urns {
		entity, err := rd.EntityType(u.EntityType())
		if err != nil {
			return nil, err
		}
		if len(aspects) > 0 && !slices.Contains(names, entity.KeyAspect) {
			names = append(names, entity.KeyAspect)
		}
	}
	stored, err := rd.store.LatestAspects(ctx, texts, names)
	if err != nil {
		return nil, catalog.StoreFailure(err)
	}
	if stored, err = rd.withoutDeleted(ctx, stored); err != nil {
		return nil, err
	}
	responses := make([]entityResponse, len(urns))
	for i, u := range urns {
		if responses[i], err = rd.response(u, stored[texts[i]]); err != nil {
			return nil, err
		}
	}
	return responses, nil
}

func (rd *Reader) response(u model.URN, stored []graphstore.Aspect) (entityResponse, error) {
	envelopes := make([]catalog.EnvelopedAspect, len(stored))
	for i := range stored {
		envelopes[i] = envelope(&stored[i])
	}
	r, err := rd.responseOf(u, envelopes)
	return entityResponse{r, len(stored) > 0}, err
}

// responseOf returns an entity with the given aspects and with its key aspect, which is
// computed if it is not given.
func (rd *Reader) responseOf(u model.URN, aspects []catalog.EnvelopedAspect) (catalog.EntityResponse, error) {
	entity, _ := rd.Registry().Entity(u.EntityType())
	r := catalog.EntityResponse{URN: u.String(), EntityName: entity.Name, Aspects: make(map[string]catalog.EnvelopedAspect, len(aspects)+1)}
	for i := range aspects {
		r.Aspects[aspects[i].Name] = aspects[i]
	}
	if _, ok := r.Aspects[entity.KeyAspect]; ok {
		return r, nil
	}
	key, err := rd.Registry().KeyValue(u)
	if err != nil {
		return r, catalog.ValueError(err)
	}
	d, _ := rd.Registry().DialectOf(u)
	r.Aspects[entity.KeyAspect] = catalog.EnvelopedAspect{
		Name: entity.KeyAspect, Type: "VERSIONED", Value: key,
		Created: catalog.AuditStamp{Time: rd.now().UnixMilli(), Actor: catalog.SystemActor(d)},
	}
	return r, nil
}

// Aspect returns one version of an aspect. The numbers are those of [graphstore.FindVersion]: 0
// is the latest version, archived versions count from 1, and -1 is the newest archived version.
func (rd *Reader) Aspect(ctx context.Context, u model.URN, aspect string, version int64) (catalog.VersionedAspect, error) {
	missing := catalog.Errorf(catalog.NotFound, "Did not find urn: %s aspect: %s version: %d", u, aspect, version)
	found, ok, err := rd.store.AspectVersion(ctx, graphstore.AspectKey{URN: u.String(), Name: aspect}, version)
	if err != nil {
		return catalog.VersionedAspect{}, catalog.StoreFailure(err)
	}
	if !ok {
		return catalog.VersionedAspect{}, missing
	}
	if version == graphstore.LatestVersion {
		if found.Value, err = rd.shownValue(ctx, found); err != nil {
			return catalog.VersionedAspect{}, err
		}
	}
	d, _ := rd.Registry().DialectOf(u)
	return catalog.VersionedAspect{Version: found.Version, Record: d.RecordName(rd.Registry().AnyAspect(aspect).Record), Value: found.Value}, nil
}

// Snapshot returns an entity in the legacy form, {"<snapshot record>": {…}}, with the named
// aspects, or with all if none are named, and with its key aspect.
func (rd *Reader) Snapshot(ctx context.Context, u model.URN, aspects []string) (json.RawMessage, error) {
	snapshots, err := rd.Snapshots(ctx, []model.URN{u}, aspects)
	if err != nil {
		return nil, err
	}
	for _, snapshot := range snapshots {
		return snapshot, nil
	}
	return nil, catalog.Errorf(catalog.NotFound, "Did not find urn: %s", u)
}

// Snapshots returns the entities that exist, by the texts of their URNs.
func (rd *Reader) Snapshots(ctx context.Context, urns []model.URN, aspects []string) (map[string]json.RawMessage, error) {
	if err := catalog.CheckLists("aspects", aspects); err != nil {
		return nil, err
	}
	texts := catalog.Texts(urns)
	for _, u := range urns {
		if _, ok := rd.Registry().SnapshotOf(u.EntityType()); !ok {
			return nil, catalog.Errorf(catalog.Invalid, "entities of type %s have no snapshot; read them through entitiesV2", u.EntityType())
		}
	}
	stored, err := rd.store.LatestAspects(ctx, texts, nil)
	if err != nil {
		return nil, catalog.StoreFailure(err)
	}
	snapshots := make(map[string]json.RawMessage, len(stored))
	for i, u := range urns {
		if len(stored[texts[i]]) == 0 {
			continue
		}
		if snapshots[texts[i]], err = rd.snapshotOf(u, stored[texts[i]], aspects); err != nil {
			return nil, err
		}
	}
	return snapshots, nil
}

func (rd *Reader) snapshotOf(u model.URN, stored []graphstore.Aspect, wanted []string) (json.RawMessage, error) {
	spec, _ := rd.Registry().SnapshotOf(u.EntityType())
	entity, _ := rd.Registry().Entity(u.EntityType())
	d, _ := rd.Registry().DialectOf(u)
	byName := make(map[string]json.RawMessage, len(stored))
	for i := range stored {
		byName[stored[i].Name] = stored[i].Value
	}
	if byName[entity.KeyAspect] == nil {
		key, err := rd.Registry().KeyValue(u)
		if err != nil {
			return nil, catalog.ValueError(err)
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
		// In this interface, these two aspects are also fields of the snapshot itself.
		for _, name := range []string{model.AspectOwnership, model.AspectGlossaryTermInfo} {
			if value := byName[name]; value != nil {
				body[name] = value
			}
		}
	}
	return json.Marshal(map[string]any{d.RecordName(spec.Record): body})
}

// EntityAt returns an entity with the given versions of the named aspects, its key aspect, and
// no other aspect.
func (rd *Reader) EntityAt(ctx context.Context, u model.URN, versions map[string]int64) (catalog.EntityResponse, error) {
	entity, err := rd.EntityType(u.EntityType())
	if err != nil {
		return catalog.EntityResponse{}, err
	}
	var stored []graphstore.Aspect
	for name, version := range versions {
		if !entity.Has(name) {
			return catalog.EntityResponse{}, catalog.Errorf(catalog.Invalid, "Unknown aspect %s for entity %s", name, entity.Name)
		}
		a, ok, err := rd.store.AspectVersion(ctx, graphstore.AspectKey{URN: u.String(), Name: name}, version)
		if err != nil {
			return catalog.EntityResponse{}, catalog.StoreFailure(err)
		}
		if ok {
			stored = append(stored, a)
		}
	}
	r, err := rd.response(u, stored)
	return r.EntityResponse, err
}

// CountAspects counts the entities that have an aspect. An SQL LIKE pattern, if not empty,
// selects entities by their URN.
func (rd *Reader) CountAspects(ctx context.Context, aspect, urnLike string) (int64, error) {
	if _, ok := rd.Registry().Aspect(aspect); !ok {
		return 0, catalog.Errorf(catalog.Invalid, "Unknown aspect %s", aspect)
	}
	if len(urnLike) > limits.MaxPatternBytes {
		return 0, catalog.Errorf(catalog.Invalid, "parameter urnLike has %d bytes, the limit is %d", len(urnLike), limits.MaxPatternBytes)
	}
	if n := strings.Count(urnLike, "%"); n > limits.MaxPatternRuns {
		return 0, catalog.Errorf(catalog.Invalid, "parameter urnLike has %d signs %%, the limit is %d", n, limits.MaxPatternRuns)
	}
	n, err := rd.store.CountAspects(ctx, aspect, urnLike)
	return n, catalog.StoreFailure(err)
}

// URNPage is a page of URNs. Count is the number of returned URNs.
type URNPage struct {
	Entities []string `json:"entities"`
	Start    int      `json:"start"`
	Count    int      `json:"count"`
	Total    int64    `json:"total"`
}

// ListURNs lists the entities of a type by URN, including soft-deleted entities.
func (rd *Reader) ListURNs(ctx context.Context, entityType string, start, count int) (URNPage, error) {
	entity, err := rd.EntityType(entityType)
	if err != nil {
		return URNPage{}, err
	}
	page, err := catalog.PageOf(start, count)
	if err != nil {
		return URNPage{}, err
	}
	urns, total, err := rd.store.ListEntities(ctx, entity.Name, page)
	if err != nil {
		return URNPage{}, catalog.StoreFailure(err)
	}
	return URNPage{Entities: urns, Start: start, Count: len(urns), Total: total}, nil
}
