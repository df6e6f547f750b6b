package write

import (
	"context"
	"slices"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/jsontree"
	"github.com/headwater-io/headwater/model"
)

// An entity is a version in the version set that its versionProperties name. The set names its
// latest version, and versionProperties say whether their entity is the latest (isLatest). A write
// of versionProperties creates or updates the set, and unmarks the former latest version, in the
// same transaction. Edits of versionProperties do not: they state all these values themselves.

// generatedIDs is the versioning scheme whose sort ids are generated: eight capital letters.
const generatedIDs = "ALPHANUMERIC_GENERATED_BY_DATAHUB"

// generatedIDLength is the number of letters of a generated sort id.
const generatedIDLength = 8

// version is the content of versionProperties.
type version struct{ set, sortID, scheme string }

func (w *Writer) versionIn(tree catalog.Tree) version {
	return version{w.Spelled(jsontree.Text(tree, "versionSet")), jsontree.Text(tree, "sortId"), jsontree.Text(tree, "versioningScheme")}
}

// isVersioned reports whether a change writes version properties that the set follows.
func (ch *change) isVersioned() bool {
	return ch.aspect.Name == model.AspectVersionProperties && ch.kind != editing && ch.kind != Delete
}

// unversioned is a version that was deleted from its set.
type unversioned struct{ set, version model.URN }

// noteUnversioned notes that the session deletes a version, whose properties it has read, from its
// set.
func (s *session) noteUnversioned(u model.URN) error {
	tree, err := s.latestTree(versionKey(u.String()))
	if err != nil || len(tree) == 0 || s.w.afterUnversioned == nil {
		return err
	}
	if set, err := s.w.Registry().ReadURN(jsontree.Text(tree, "versionSet")); err == nil {
		s.attempt.unversioned = append(s.attempt.unversioned, unversioned{set, u})
	}
	return nil
}

// OnUnversioned registers a function that is called after a version was deleted from its
// set, before the deletion is answered, so that another version becomes the latest.
// OnUnversioned is called before the writer is used.
func (w *Writer) OnUnversioned(after func(ctx context.Context, set, version model.URN, o catalog.WriteOptions) error) {
	w.afterUnversioned = after
}

func setKey(set string) graphstore.AspectKey {
	return graphstore.AspectKey{URN: set, Name: model.AspectVersionSetProperties}
}

func versionKey(urn string) graphstore.AspectKey {
	return graphstore.AspectKey{URN: urn, Name: model.AspectVersionProperties}
}

// lockVersions makes sure that the transaction may write the sets that changes name, and their
// latest versions. Otherwise the transaction ends, and the next round locks these entities too.
func (s *session) lockVersions(changes []*change) error {
	var sets []string
	for _, ch := range changes {
		if ch.isVersioned() && ch.value != nil {
			sets = append(sets, s.w.versionIn(ch.value.Tree).set)
		}
	}
	if len(sets) == 0 {
		return nil
	}
	if err := s.lock(sets...); err != nil {
		return err
	}
	keys := make([]graphstore.AspectKey, len(sets))
	for i, set := range sets {
		keys[i] = setKey(set)
	}
	if err := s.read(keys); err != nil {
		return err
	}
	var latest []string
	for _, set := range sets {
		tree, err := s.latestTree(setKey(set))
		if err != nil {
			return err
		}
		if urn := s.w.Spelled(jsontree.Text(tree, "latest")); urn != "" {
			latest = append(latest, urn)
		}
	}
	return s.lock(latest...)
}

// lock fails if the transaction may not write some of the entities. Then these are lacking.
func (s *session) lock(urns ...string) error {
	missing := slices.DeleteFunc(slices.Clone(urns), func(urn string) bool { return slices.Contains(s.attempt.urns, urn) })
	if len(missing) == 0 {
		return nil
	}
	s.lacks.urns = append(s.lacks.urns, missing...)
	return s.lacks
}

// latestTree is the latest value of an aspect, empty if there is none.
func (s *session) latestTree(key graphstore.AspectKey) (catalog.Tree, error) {
	if err := s.readSettled(key); err != nil {
		return nil, err
	}
	state := s.states[key]
	if state == nil || state.Latest == nil {
		return catalog.Tree{}, nil
	}
	return catalog.TreeOf(state.Latest.Value)
}

// putVersion writes version properties, and updates the set that they name.
func (s *session) putVersion(ch *change, value *model.Value) (changed bool, err error) {
	v := s.w.versionIn(value.Tree)
	set, err := s.versionSet(ch, v.set)
	if err != nil {
		return false, err
	}
	properties, before, err := s.checkVersion(ch, set, v)
	if err != nil {
		return false, err
	}
	latest := before == "" || before == ch.urn.String()
	var replaced catalog.Tree // the properties of the version that is no longer the latest
	if !latest {
		former, err := s.latestTree(versionKey(before))
		if err != nil {
			return false, err
		}
		if other := s.w.versionIn(former); other.set != v.set {
			latest = true // the former latest is no version of the set any more
		} else if latest = v.sortID > other.sortID; latest {
			replaced = former
		}
	}
	own, err := s.latestTree(versionKey(ch.urn.String()))
	if err != nil {
		return false, err
	}
	if former := s.w.versionIn(own).set; former != "" && former != v.set {
		if err := s.noteUnversioned(ch.urn); err != nil {
			return false, err
		}
	}
	stated, err := s.marked(ch, value.Tree, latest)
	if err != nil {
		return false, err
	}
	if changed, err = s.put(ch, stated); err != nil {
		return false, err
	}
	if !latest || before == ch.urn.String() {
		return changed, nil
	}
	if replaced != nil {
		if err := s.mark(ch, before, replaced, false); err != nil {
			return false, err
		}
	}
	properties["latest"], properties["versioningScheme"] = ch.urn.String(), v.scheme
	return true, s.putOther(ch, set, model.AspectVersionSetProperties, properties)
}

// versionSet reads the URN of the set of a version, and locks the set with its latest
// version.
func (s *session) versionSet(ch *change, text string) (model.URN, error) {
	set, err := s.w.Registry().ReadURN(text)
	if err != nil || set.EntityType() != model.EntityVersionSet {
		return set, catalog.Errorf(catalog.Validation, "the versionSet of %s is %q, which is not a version set", ch.urn, text)
	}
	if parts := set.Parts(); len(parts) != 2 || parts[1] != ch.entity.Name {
		return set, catalog.Errorf(catalog.Validation, "Version Set specified entity type does not match: %s cannot be a version in %s", ch.urn, set)
	}
	if err := s.lock(set.String()); err != nil {
		return set, err
	}
	tree, err := s.latestTree(setKey(set.String()))
	if err != nil {
		return set, err
	}
	if latest := s.w.Spelled(jsontree.Text(tree, "latest")); latest != "" {
		return set, s.lock(latest)
	}
	return set, nil
}

// checkVersion fails if a version does not fit its set. It returns the properties of the
// set, which are empty if there is none, and its latest version.
func (s *session) checkVersion(ch *change, set model.URN, v version) (properties catalog.Tree, latest string, err error) {
	if properties, err = s.latestTree(setKey(set.String())); err != nil {
		return nil, "", err
	}
	scheme := jsontree.Text(properties, "versioningScheme")
	switch {
	case scheme == "":
	case scheme != v.scheme:
		return nil, "", catalog.Errorf(catalog.Validation, "Versioning Scheme does not match Version Set properties: that of %s is %s, that of %s is %s", set, scheme, ch.urn, v.scheme)
	case scheme == generatedIDs && !isGeneratedID(v.sortID):
		return nil, "", catalog.Errorf(catalog.Validation, "Invalid sortID for Versioning Scheme: %q of %s; %s needs %d capital letters", v.sortID, ch.urn, scheme, generatedIDLength)
	}
	return properties, s.w.Spelled(jsontree.Text(properties, "latest")), nil
}

func isGeneratedID(id string) bool {
	return len(id) == generatedIDLength && !slices.ContainsFunc([]byte(id), func(c byte) bool { return c < 'A' || c > 'Z' })
}

// marked returns version properties that say whether theirs is the latest version.
func (s *session) marked(ch *change, tree catalog.Tree, latest bool) (*model.Value, error) {
	if was, ok := tree["isLatest"].(bool); ok && was == latest {
		return s.parseTree(ch, model.AspectVersionProperties, tree)
	}
	marked := catalog.Tree{"isLatest": latest}
	for name, member := range tree {
		if name != "isLatest" {
			marked[name] = member
		}
	}
	return s.parseTree(ch, model.AspectVersionProperties, marked)
}

func (s *session) parseTree(ch *change, aspect string, tree catalog.Tree) (*model.Value, error) {
	text, err := jsontree.Encode(tree)
	if err != nil {
		return nil, catalog.Errorf(catalog.Internal, "%s: %w", aspect, err)
	}
	if err := s.spend(len(text)); err != nil {
		return nil, err
	}
	return s.w.Registry().ParseStored(aspect, text)
}

// mark marks another version as the latest of its set, or not.
func (s *session) mark(ch *change, urn string, properties catalog.Tree, latest bool) error {
	value, err := s.marked(ch, properties, latest)
	if err != nil {
		return err
	}
	return s.putOf(ch, model.StoredURN(urn), value)
}

// putOther writes an aspect of another entity that follows from a change.
func (s *session) putOther(ch *change, u model.URN, aspect string, tree catalog.Tree) error {
	value, err := s.parseTree(ch, aspect, tree)
	if err != nil {
		return err
	}
	return s.putOf(ch, u, value)
}

// putOf writes a value of another entity with the system metadata of a change.
func (s *session) putOf(ch *change, u model.URN, value *model.Value) error {
	entity, err := s.w.EntityType(u.EntityType())
	if err != nil {
		return err
	}
	other := &change{kind: Upsert, urn: u, dialect: ch.dialect, entity: entity, aspect: value.Aspect, system: ch.system, value: value}
	keys := []graphstore.AspectKey{other.aspectKey()}
	for _, name := range defaultsOf(entity) {
		keys = append(keys, graphstore.AspectKey{URN: u.String(), Name: name})
	}
	if err := s.readSettled(keys...); err != nil {
		return err
	}
	if _, err := s.put(other, value); err != nil {
		return err
	}
	return s.addDefaults(other)
}
