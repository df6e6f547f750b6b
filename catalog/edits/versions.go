package edits

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/permission"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/jsontree"
	"github.com/headwater-io/headwater/model"
)

// NewVersion is an entity that becomes the latest version of a version set. Label
// is the name of the version.
type NewVersion struct {
	Set, Entity model.URN
	Label       string
	Comment     *string
	// SourceTime is the time at which the version was made in its source, in epoch
	// milliseconds, nil if it is not known. SourceActor is the actor who made the version, ""
	// if it is not known.
	SourceTime  *int64
	SourceActor string
}

// versioningScheme is the scheme of the sets that edits create. The server generates the sort
// ids of this scheme.
const versioningScheme = "ALPHANUMERIC_GENERATED_BY_DATAHUB"

// LinkVersion makes an entity the latest version of a version set, and creates
// the set if it does not exist.
func (s *Service) LinkVersion(ctx context.Context, v *NewVersion, o catalog.WriteOptions) error {
	if err := s.checkVersion(ctx, v); err != nil {
		return err
	}
	set, err := s.latest(ctx, v.Set, model.AspectVersionSetProperties)
	if err != nil {
		return err
	}
	latest := jsontree.Text(set, "latest")
	if latest == "" {
		return s.linkFirst(ctx, v, o)
	}
	before, err := s.version(ctx, latest, v.Set)
	if err != nil {
		return err
	}
	edits := []write.Edit{s.setLatest(v.Set, latest, v.Entity.String()), v.edit(sortIDAfter(jsontree.Text(before, "sortId")))}
	if len(before) > 0 {
		edits = append(edits, s.markLatest(model.StoredURN(latest), v.Set, false))
	}
	return s.writer.Edit(ctx, edits, o)
}

// checkVersion fails unless the entity may become a version of the set.
func (s *Service) checkVersion(ctx context.Context, v *NewVersion) error {
	if err := catalog.RequireType(v.Set, model.EntityVersionSet); err != nil {
		return err
	}
	if parts := v.Set.Parts(); len(parts) != 2 || parts[1] != v.Entity.EntityType() {
		return catalog.Errorf(catalog.Invalid, "%s cannot be a version in %s, which is for entities of another type", v.Entity, v.Set)
	}
	if strings.TrimSpace(v.Label) == "" {
		return catalog.Errorf(catalog.Invalid, "the label of a version must not be blank")
	}
	return s.writer.RequireExisting(ctx, v.Entity)
}

// linkFirst creates a set with its first version.
func (s *Service) linkFirst(ctx context.Context, v *NewVersion, o catalog.WriteOptions) error {
	exists, err := s.writer.Exists(ctx, v.Set)
	if err != nil {
		return err
	}
	if exists { // the set exists and has no versions yet
		return s.writer.Edit(ctx, []write.Edit{s.setLatest(v.Set, "", v.Entity.String()), v.edit(firstSortID)}, o)
	}
	linked, err := s.latest(ctx, v.Entity, model.AspectVersionProperties)
	if err != nil {
		return err
	}
	if len(linked) > 0 {
		return alreadyVersion(v.Entity, linked)
	}
	_, actor := s.dialectOfActor(o.Actor)
	properties := v.properties(firstSortID, catalog.AuditStamp{Time: s.now().UnixMilli(), Actor: actor.String()})
	set, err := proposalOf(v.Set, model.AspectVersionSetProperties, catalog.Tree{"latest": v.Entity.String(), "versioningScheme": versioningScheme})
	if err != nil {
		return err
	}
	version, err := proposalOf(v.Entity, model.AspectVersionProperties, properties)
	if err != nil {
		return err
	}
	set.ChangeType, version.ChangeType = write.CreateEntity, write.Create
	set.System, version.System = &catalog.SystemMetadata{Properties: write.UserInterface}, &catalog.SystemMetadata{Properties: write.UserInterface}
	err = s.writer.IngestTogether(ctx, []write.Proposal{set, version}, o)
	if catalog.CodeOf(err) == catalog.Precondition {
		return justChanged(v.Set)
	}
	return err
}

// edit sets the version properties of the entity. The entity must not have version properties.
func (v *NewVersion) edit(sortID string) write.Edit {
	return write.Edit{URN: v.Entity, Aspect: model.AspectVersionProperties, Change: func(value catalog.Tree, by catalog.AuditStamp) error {
		if len(value) > 0 {
			return alreadyVersion(v.Entity, value)
		}
		maps.Copy(value, v.properties(sortID, by))
		return nil
	}}
}

// properties returns the version properties that make the entity the latest version.
func (v *NewVersion) properties(sortID string, by catalog.AuditStamp) catalog.Tree {
	properties := catalog.Tree{
		"versionSet": v.Set.String(), "version": catalog.Tree{"versionTag": v.Label}, "sortId": sortID, "versioningScheme": versioningScheme,
		"isLatest": true, "metadataCreatedTimestamp": by.Tree(),
	}
	if v.SourceTime != nil {
		source := catalog.AuditStamp{Time: *v.SourceTime, Actor: by.Actor}
		if v.SourceActor != "" {
			source.Actor = v.SourceActor
		}
		properties["sourceCreatedTimestamp"] = source.Tree()
	}
	setTexts(properties, map[string]*string{"comment": v.Comment})
	return properties
}

// justChanged is the error of a change of a set that another request has changed at the same
// time.
func justChanged(set model.URN) error {
	return catalog.Errorf(catalog.Conflict, "the versions of %s have just been changed; try again", set)
}

func alreadyVersion(entity model.URN, properties catalog.Tree) error {
	return catalog.Errorf(catalog.Conflict, "%s is already a version in %s", entity, jsontree.Text(properties, "versionSet"))
}

// UnlinkVersion removes an entity from its version set. It returns the set, or the zero URN if
// the entity is in no set. If a set is given, it must be the set of the entity. If the entity
// was the latest version, the version before it becomes the latest. A set without versions is
// deleted.
func (s *Service) UnlinkVersion(ctx context.Context, set, entity model.URN, o catalog.WriteOptions) (model.URN, error) {
	if err := s.writer.RequireExisting(ctx, entity); err != nil {
		return model.URN{}, err
	}
	properties, err := s.latest(ctx, entity, model.AspectVersionProperties)
	if err != nil || len(properties) == 0 {
		return model.URN{}, err
	}
	stated := jsontree.Text(properties, "versionSet")
	if !set.IsZero() && !s.names.SameURN(stated, set) {
		return model.URN{}, catalog.Errorf(catalog.Invalid, "%s is not a version in %s", entity, set)
	}
	set, _, err = s.names.ParseURN(stated)
	if err != nil {
		return model.URN{}, err
	}
	edits := []write.Edit{{URN: entity, Aspect: model.AspectVersionProperties, OrDelete: true, Change: func(catalog.Tree, catalog.AuditStamp) error {
		return write.ErrNothingLeft
	}}}
	setProperties, err := s.latest(ctx, set, model.AspectVersionSetProperties)
	if err != nil {
		return model.URN{}, err
	}
	latest := jsontree.Text(setProperties, "latest")
	if !s.names.SameURN(latest, entity) {
		if latest != "" { // the entity must not become the latest version meanwhile
			edits = append(edits, s.setLatest(set, latest, latest))
		}
		return set, s.writer.Edit(ctx, edits, o)
	}
	return set, s.succeed(ctx, set, entity, latest, edits, o)
}

// SucceedVersion is called after a version was deleted. If the deleted version was the latest
// of its set, the version before it becomes the latest. A set without versions is deleted.
func (s *Service) SucceedVersion(ctx context.Context, set, deleted model.URN, o catalog.WriteOptions) error {
	setProperties, err := s.latest(ctx, set, model.AspectVersionSetProperties)
	if err != nil {
		return err
	}
	latest := jsontree.Text(setProperties, "latest")
	if !s.names.SameURN(latest, deleted) {
		return nil
	}
	return s.succeed(ctx, set, deleted, latest, nil, o)
}

// succeed applies edits that remove the latest version from a set. The same transaction makes the
// version before it the latest.
func (s *Service) succeed(ctx context.Context, set, gone model.URN, latest string, edits []write.Edit, o catalog.WriteOptions) error {
	before, err := s.newestBut(ctx, set, gone)
	if err != nil {
		return err
	}
	if before != "" {
		return s.writer.Edit(ctx, append(edits, s.setLatest(set, latest, before), s.markLatest(model.StoredURN(before), set, true)), o)
	}
	if err := s.writer.Edit(ctx, append(edits, emptySet(set, latest)), o); err != nil {
		return err
	}
	// The right to remove the last version of a set includes the deletion of the empty set.
	_, err = s.removal.Delete(permission.Decided(ctx), set, false, o)
	return err
}

// emptySet removes the properties of a set without versions, unless it no longer
// names the latest version that the caller read.
func emptySet(set model.URN, before string) write.Edit {
	return write.Edit{URN: set, Aspect: model.AspectVersionSetProperties, OrDelete: true, Change: func(value catalog.Tree, _ catalog.AuditStamp) error {
		if jsontree.Text(value, "latest") != before {
			return justChanged(set)
		}
		return write.ErrNothingLeft
	}}
}

// newestBut returns the version of a set with the highest sort id, without regard to the
// version except. If the set has no other version, it returns "".
func (s *Service) newestBut(ctx context.Context, set, except model.URN) (newest string, err error) {
	highest := ""
	for start := 0; ; start += write.MaxEdits {
		pages, err := s.store.Edges(ctx, graphstore.EdgeQuery{
			URNs: []string{set.String()}, Direction: graphstore.Incoming, Types: []string{model.RelationshipVersionOf},
			Page: graphstore.Page{Start: start, Count: write.MaxEdits},
		})
		if err != nil {
			return "", catalog.StoreFailure(err)
		}
		page := pages[set.String()].Edges
		urns := make([]string, len(page))
		for i, e := range page {
			urns[i] = e.Source
		}
		urns = slices.DeleteFunc(urns, func(urn string) bool { return urn == except.String() })
		stored, err := s.store.LatestAspects(ctx, urns, []string{model.AspectVersionProperties})
		if err != nil {
			return "", catalog.StoreFailure(err)
		}
		for _, urn := range urns {
			if len(stored[urn]) == 0 {
				continue
			}
			value, err := catalog.TreeOf(stored[urn][0].Value)
			if err != nil {
				return "", err
			}
			if id := jsontree.Text(value, "sortId"); newest == "" || id > highest {
				newest, highest = urn, id
			}
		}
		if len(page) < write.MaxEdits {
			return newest, nil
		}
	}
}

// version returns the version properties of an entity. If the entity is no longer in the set,
// the properties are empty.
func (s *Service) version(ctx context.Context, urn string, set model.URN) (catalog.Tree, error) {
	u, _, err := s.names.ParseURN(urn)
	if err != nil {
		return nil, err
	}
	value, err := s.latest(ctx, u, model.AspectVersionProperties)
	if err != nil || !s.names.SameURN(jsontree.Text(value, "versionSet"), set) {
		return catalog.Tree{}, err
	}
	return value, nil
}

// setLatest returns the edit that names another latest version in a set. It fails if the set no
// longer names the latest version that the caller read.
func (s *Service) setLatest(set model.URN, before, latest string) write.Edit {
	return write.Edit{URN: set, Aspect: model.AspectVersionSetProperties, Change: func(value catalog.Tree, _ catalog.AuditStamp) error {
		if jsontree.Text(value, "latest") != before {
			return justChanged(set)
		}
		if value["latest"] = latest; value["versioningScheme"] == nil {
			value["versioningScheme"] = versioningScheme
		}
		return nil
	}}
}

// markLatest returns the edit that says whether a version is the latest of its set. It fails if the
// version is no longer in the set.
func (s *Service) markLatest(entity, set model.URN, latest bool) write.Edit {
	return write.Edit{URN: entity, Aspect: model.AspectVersionProperties, Change: func(value catalog.Tree, _ catalog.AuditStamp) error {
		if !s.names.SameURN(jsontree.Text(value, "versionSet"), set) {
			return justChanged(set)
		}
		value["isLatest"] = latest
		return nil
	}}
}

// firstSortID is the sort id of the first version of a set.
const firstSortID = "AAAAAAAA"

// sortIDAfter returns the next sort id. The letters count up, the last letter fastest. If an id
// cannot count up, the next id is longer and begins with this id, so that the ids still sort in
// the order of the versions.
func sortIDAfter(id string) string {
	letters := []byte(id)
	for i := len(letters) - 1; i >= 0; i-- {
		switch c := letters[i]; {
		case c < 'A' || c > 'Z':
			return id + firstSortID
		case c < 'Z':
			letters[i]++
			return string(letters)
		}
		letters[i] = 'A'
	}
	return id + firstSortID
}
