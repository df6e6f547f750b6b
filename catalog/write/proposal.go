package write

import (
	"encoding/json"
	"mime"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/jsontree"
	"github.com/headwater-io/headwater/model"
)

// The change types of proposals.
const (
	Upsert = "UPSERT"
	// Create is refused if the aspect has a value, CreateEntity if the entity exists.
	Create       = "CREATE"
	CreateEntity = "CREATE_ENTITY"
	// Update and Restate are the same as Upsert, but a Restate has no conditions.
	Update  = "UPDATE"
	Restate = "RESTATE"
	Patch   = "PATCH"
	Delete  = "DELETE"
)

// GenericAspect is a value as bytes with its content type.
type GenericAspect struct {
	Value       []byte
	ContentType string
}

// Proposal asks for one change of one aspect.
type Proposal struct {
	// EntityType is an entity name in any letter case.
	EntityType string
	// EntityURN, or else EntityKeyAspect, identifies the entity.
	EntityURN       string
	EntityKeyAspect *GenericAspect
	// ChangeType is one of the constants of this package, UPSERT when empty.
	ChangeType string
	AspectName string
	Aspect     *GenericAspect
	// System is the system metadata of the ingestion; nil and zero members get
	// their defaults.
	System *catalog.SystemMetadata
	// Headers are the headers of the proposal, not of the request. preconditions.go has the known ones;
	// others are ignored.
	Headers map[string]string
}

// change is a validated proposal, ready to be applied in a transaction.
type change struct {
	kind    string
	urn     model.URN
	dialect model.Dialect
	entity  *model.Entity
	aspect  *model.Aspect
	system  graphstore.SystemMetadata
	// value is the new value; patches and deletes have none. patch is set for patches.
	value *model.Value
	patch *model.Operations
	// stated are the edge statements of value, if they were computed with it.
	stated stated
	// edit is set for edits.
	edit *Edit
	// conditions are the conditions that the caller states, nil for none.
	conditions *preconditions
	// refused is the error of a change that the caller may not make.
	refused error
	// draft is the result of work before the transaction, nil if there was none.
	draft *draft
	// timestamp and key identify a time-series value.
	timestamp int64
	key       string
	// keepUnknown and addDerived are KeepUnknown and AddDerived of [catalog.WriteOptions].
	keepUnknown, addDerived bool
}

// followsStored reports whether members of the stated value also depend on the value that it
// replaces.
func (ch *change) followsStored() bool {
	return (ch.kind == Upsert || ch.kind == Create || ch.kind == CreateEntity) && model.FollowsStored(ch.aspect.Name)
}

func (ch *change) aspectKey() graphstore.AspectKey {
	return graphstore.AspectKey{URN: ch.urn.String(), Name: ch.aspect.Name}
}

// keyAspect names the key aspect of the entity.
func (ch *change) keyAspect() graphstore.AspectKey {
	return graphstore.AspectKey{URN: ch.urn.String(), Name: ch.entity.KeyAspect}
}

// toldOfDeletion names the aspects whose values the log keeps when an entity is deleted: its ownership and
// its products. They say who is told of the deletion, and cannot be read elsewhere afterwards.
func (ch *change) toldOfDeletion() []graphstore.AspectKey {
	var keys []graphstore.AspectKey
	for _, name := range []string{model.AspectOwnership, model.AspectDataJobInputOutput, model.AspectDataProcessInstanceOutput} {
		if ch.entity.Has(name) {
			keys = append(keys, graphstore.AspectKey{URN: ch.urn.String(), Name: name})
		}
	}
	return keys
}

// changeOf makes the change that a proposal asks for. It validates the proposal as far as that is
// possible without stored values.
func (w *Writer) changeOf(p *Proposal, o catalog.WriteOptions) (*change, error) {
	entity, err := w.EntityType(p.EntityType)
	if err != nil {
		return nil, err
	}
	u, d, err := w.proposalURN(p, entity)
	if err != nil {
		return nil, err
	}
	return w.validated(&change{urn: u, dialect: d, entity: entity, keepUnknown: o.KeepUnknown, addDerived: o.AddDerived}, p)
}

// changeAbout is changeOf for an entity that is known by its URN. Members of the proposal that name
// an entity are ignored.
func (w *Writer) changeAbout(u model.URN, p *Proposal) (*change, error) {
	entity, err := w.EntityType(u.EntityType())
	if err != nil {
		return nil, err
	}
	d, ok := w.Registry().DialectOf(u)
	if !ok {
		return nil, catalog.Errorf(catalog.Invalid, "unknown namespace %q", u.Namespace())
	}
	return w.validated(&change{urn: u, dialect: d, entity: entity}, p)
}

// validated completes a change with the members of a proposal about the aspect, and validates it.
func (w *Writer) validated(ch *change, p *Proposal) (_ *change, err error) {
	if err := w.checkRollbackRecords(ch.urn); err != nil {
		return nil, err
	}
	if err := CheckSystem(p.System); err != nil {
		return nil, err
	}
	entity := ch.entity
	ch.kind, ch.system = p.ChangeType, w.systemMetadata(p.System)
	if p.AspectName == "" {
		return nil, catalog.Errorf(catalog.Invalid, "Aspect and aspect name is required for create and update operations")
	}
	if ch.aspect, err = w.aspectFor(entity, p.AspectName, ch.keepUnknown); err != nil {
		return nil, err
	}
	if ch.conditions, err = preconditionsOf(p, ch.kind); err != nil {
		return nil, err
	}
	switch ch.kind {
	case "", Update:
		ch.kind = Upsert
	case Restate:
		ch.kind, ch.conditions = Upsert, nil
	}
	if !ch.supported() {
		return nil, catalog.Errorf(catalog.Invalid, "ChangeType not supported: %s for aspect %s", p.ChangeType, p.AspectName)
	}
	if ch.conditions != nil && ch.aspect.TimeSeries {
		return nil, catalog.Errorf(catalog.Invalid, "the aspect %s is a time series: a write of it cannot have conditions", p.AspectName)
	}
	if ch.kind == Delete {
		return ch, nil
	}
	if p.Aspect == nil {
		return nil, catalog.Errorf(catalog.Invalid, "Aspect and aspect name is required for create and update operations")
	}
	return ch, w.readContent(ch, p.Aspect)
}

func (ch *change) supported() bool {
	switch ch.kind {
	case Upsert:
		return true
	case Create, CreateEntity, Patch, Delete:
		return !ch.aspect.TimeSeries
	}
	return false
}

// proposalURN returns the URN of the entity that a proposal is about.
func (w *Writer) proposalURN(p *Proposal, entity *model.Entity) (model.URN, model.Dialect, error) {
	if p.EntityURN == "" && p.EntityKeyAspect == nil {
		return model.URN{}, model.Dialect{}, catalog.Errorf(catalog.Invalid, "One of urn and keyAspect must be set")
	}
	text := p.EntityURN
	if text == "" {
		d := w.Registry().Dialects()[0]
		u, err := w.Registry().URNFromKey(d, entity.Name, p.EntityKeyAspect.Value)
		if err != nil {
			return model.URN{}, d, catalog.ValueError(err)
		}
		text = u.String()
	}
	u, d, err := w.EntityURN(text)
	if err != nil {
		return u, d, err
	}
	if u.EntityType() != entity.Name {
		return u, d, catalog.Errorf(catalog.Invalid, "the urn %s is of type %s, the proposal has %s", u, u.EntityType(), entity.Name)
	}
	return u, d, nil
}

// readContent reads the value, or the patch, of a change and validates it.
func (w *Writer) readContent(ch *change, aspect *GenericAspect) error {
	if err := w.checkSize(ch, aspect.Value); err != nil {
		return err
	}
	mediaType, _, err := mime.ParseMediaType(aspect.ContentType)
	if ch.kind == Patch {
		if err != nil || mediaType != "application/json" && mediaType != "application/json-patch+json" {
			return catalog.Errorf(catalog.Invalid, "content type %q is not application/json-patch+json", aspect.ContentType)
		}
		if err := withinLimits(ch.aspect.Name, aspect.Value, patchLimits); err != nil {
			return err
		}
		if ch.patch, err = model.ReadPatch(aspect.Value); err != nil {
			return catalog.ValueError(err)
		}
		if !model.Patchable(ch.aspect.Name, ch.patch) {
			return catalog.Errorf(catalog.Invalid, "Aspect: %s %w", ch.aspect.Name, model.ErrNotPatchable)
		}
		return nil
	}
	if err != nil || mediaType != "application/json" {
		return catalog.Errorf(catalog.Invalid, "content type %q is not application/json", aspect.ContentType)
	}
	if err := withinLimits(ch.aspect.Name, aspect.Value, valueLimits); err != nil {
		return err
	}
	if ch.value, err = w.parseFor(ch, nil, aspect.Value); err != nil {
		return err
	}
	if ch.aspect.TimeSeries {
		if run := model.StatedRun(ch.aspect.Name, ch.value); run != "" && ch.system.RunID == catalog.NoRunID {
			ch.system.RunID = run
		}
		ch.timestamp, ch.key, err = model.TimeSeriesKey(ch.value)
		return catalog.ValueError(err)
	}
	if ch.value, err = w.keyFromURN(ch, ch.value); err != nil {
		return err
	}
	if len(ch.value.JSON) <= statedBytes {
		ch.stated = stated{ch.value, w.statements(ch, ch.value)}
	}
	return nil
}

// checkSize refuses an aspect's text that is too large.
func (w *Writer) checkSize(ch *change, text []byte) error {
	if len(text) > w.maxAspect {
		return catalog.Errorf(catalog.TooLarge, "the aspect %s has %d bytes, the limit is %d", ch.aspect.Name, len(text), w.maxAspect)
	}
	return nil
}

// keyFromURN makes a key aspect agree with its URN. Some connectors send keys that differ from the
// URN. The URN decides which entity is meant, so the stored key follows it.
func (w *Writer) keyFromURN(ch *change, value *model.Value) (*model.Value, error) {
	if !ch.aspect.IsKey {
		return value, nil
	}
	computed, err := w.Registry().KeyValue(ch.urn)
	if err != nil || jsontree.EqualText(computed, value.JSON) {
		return value, catalog.ValueError(err)
	}
	value, err = w.Registry().Parse(ch.dialect, ch.aspect.Name, computed)
	return value, catalog.ValueError(err)
}

// systemMetadata is given system metadata with a default for each member that is not set.
func (w *Writer) systemMetadata(given *catalog.SystemMetadata) graphstore.SystemMetadata {
	var s graphstore.SystemMetadata
	if given != nil {
		s = given.Stored()
		s.LastRunID, s.AspectCreated = "", nil
	}
	if s.LastObserved == 0 {
		s.LastObserved = w.now().UnixMilli()
	}
	if s.RunID == "" {
		s.RunID = catalog.NoRunID
	}
	if s.RegistryName == "" {
		s.RegistryName, s.RegistryVersion = w.Registry().Version()
	}
	return s
}

// settled returns the stated value of a change with the members that follow from the value that it
// replaces.
func (w *Writer) settled(ch *change, current json.RawMessage) (*model.Value, error) {
	value, err := ch.value.DeriveAgain(w.Registry(), ch.dialect, model.Derivation{Current: current, Whole: true, Add: ch.addDerived})
	if err != nil {
		return nil, catalog.ValueError(err)
	}
	if err := w.checkSize(ch, value.JSON); err != nil {
		return nil, err
	}
	return value, nil
}

// patched applies a patch to the current value and validates the result.
func (w *Writer) patched(ch *change, current json.RawMessage, stamp model.Stamp) (*model.Value, error) {
	text, err := w.Registry().Patch(ch.aspect.Name, current, ch.patch, stamp, w.maxAspect)
	if err != nil {
		return nil, catalog.ValueError(err)
	}
	value, err := w.parseFor(ch, current, text)
	if err != nil {
		return nil, err
	}
	return w.keyFromURN(ch, value)
}
