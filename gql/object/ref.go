package object

import (
	"context"

	"github.com/headwater-io/headwater/model"
)

// EntityRef is an entity in the short form of lists and graphs.
type EntityRef struct {
	URN, Type              string
	EntityType             EntityType
	Name                   string
	Platform, PlatformName *string
	Exists, Removed        bool
	AsOfToday              []string
}

// Refs collects the entities that an answer names. Read then reads all of them together.
type Refs struct {
	session *Session
	byURN   map[string]*EntityRef
	urns    []string
	// asOf is the moment whose names and states are read, 0 for now.
	asOf int64
}

// NewRefs makes an empty collection.
func (s *Session) NewRefs() *Refs { return &Refs{session: s, byURN: map[string]*EntityRef{}} }

// Of adds an entity. It returns nil for a text that is not a URN. Two calls with the same URN
// return the same reference. Read fills in the names of the reference.
func (r *Refs) Of(urn string) *EntityRef {
	if ref, ok := r.byURN[urn]; ok {
		return ref
	}
	u := model.StoredURN(urn)
	if u.IsZero() {
		return nil
	}
	ref := &EntityRef{URN: urn, Type: u.EntityType(), EntityType: r.session.typeOf(u.EntityType()), Name: urn, AsOfToday: []string{}}
	r.byURN[urn], r.urns = ref, append(r.urns, urn)
	return ref
}

// Many adds several entities, and counts them as items of the answer.
func (r *Refs) Many(urns []string) ([]*EntityRef, error) {
	if err := r.session.take(len(urns)); err != nil {
		return nil, err
	}
	refs := make([]*EntityRef, 0, len(urns))
	for _, urn := range urns {
		if ref := r.Of(urn); ref != nil {
			refs = append(refs, ref)
		}
	}
	return refs, nil
}

// Read reads the names and states of all entities that were added.
func (r *Refs) Read(ctx context.Context) error {
	named, err := r.session.Catalog.Moments.Names(ctx, r.urns, r.asOf)
	if err != nil {
		return err
	}
	for urn, n := range named {
		ref := r.byURN[urn]
		ref.Name, ref.Platform, ref.PlatformName, ref.Exists, ref.Removed = n.Name, given(n.Platform), given(n.PlatformName), n.Exists, n.Removed
		ref.AsOfToday = listed(n.AsOfToday)
	}
	return nil
}

// Refs returns references to several entities, in their order, with the names of a moment; 0 is
// now.
func (s *Session) Refs(ctx context.Context, urns []string, asOf int64) ([]*EntityRef, error) {
	refs := s.NewRefs()
	refs.asOf = asOf
	list, err := refs.Many(urns)
	if err != nil {
		return nil, err
	}
	return list, refs.Read(ctx)
}
