package embedded

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/sqlite"
)

// tx is the view of one update on the transaction of its group.
type tx struct {
	w      *writer
	locked map[string]bool
	// written tells that the update has written something.
	written bool
	over    bool
	made    undoLog
	// token identifies the changes of the transaction, 0 before the first one.
	token int64
	// err is the first failure of a write. err undoes the update even if fn returns nil.
	err error
	// nodes has the node updates of the batch that are not applied yet, by URN.
	nodes map[string]*graphstore.NodeUpdate
}

func newTx(w *writer, urns []string) *tx {
	t := &tx{w: w, locked: make(map[string]bool, len(urns))}
	for _, urn := range urns {
		t.locked[urn] = true
	}
	return t
}

var errOver = errors.New("the transaction has ended")

// background is the context of statements: an update that has begun runs to its end.
var background = context.Background()

func (t *tx) Now() int64 { return t.w.now }

func (t *tx) Aspects(keys []graphstore.AspectKey) ([]graphstore.AspectState, error) {
	if t.over {
		return nil, errOver
	}
	states := make([]graphstore.AspectState, len(keys))
	for i, key := range keys {
		states[i].NextSeq = 1
		id, err := t.w.aspectID(key)
		if err != nil {
			return nil, err
		}
		if id == 0 {
			continue
		}
		if states[i], err = t.aspectState(key, id); err != nil {
			return nil, storeError(err)
		}
	}
	return states, nil
}

// aspectState reads the state of the aspect whose row in latest has, or would have, the id.
func (t *tx) aspectState(key graphstore.AspectKey, id int64) (state graphstore.AspectState, err error) {
	err = t.w.reads.each(readLatest, func(row sqlite.Row) error {
		state.Latest = &graphstore.Aspect{URN: key.URN, Name: key.Name}
		err := t.w.names.aspectOf(state.Latest, row)
		state.NextSeq = state.Latest.Seq + 1
		return err
	}, id)
	if err != nil || state.Latest != nil {
		return state, err
	}
	err = t.w.reads.each(readLastSeq, func(row sqlite.Row) error {
		state.NextSeq = row.Int(0) + 1
		return nil
	}, id)
	return state, err
}

func (t *tx) Latest(urns []string) (map[string][]graphstore.Aspect, error) {
	if t.over {
		return nil, errOver
	}
	found := make(map[string][]graphstore.Aspect, len(urns))
	for _, urn := range urns {
		id, err := t.w.entityID(urn)
		if err != nil {
			return nil, err
		}
		if id == 0 {
			continue
		}
		var aspects []graphstore.Aspect
		err = t.w.reads.each(latestOfAll, func(row sqlite.Row) error {
			a, err := t.w.names.latestOf(urn, row)
			aspects = append(aspects, a)
			return err
		}, id*maxAspectNames, (id+1)*maxAspectNames-1)
		if err != nil {
			return nil, storeError(err)
		}
		if len(aspects) > 0 {
			found[urn] = aspects
		}
	}
	return found, nil
}

func (t *tx) Version(key graphstore.AspectKey, version int64) (graphstore.Aspect, bool, error) {
	if t.over {
		return graphstore.Aspect{}, false, errOver
	}
	id, err := t.w.aspectID(key)
	if err != nil || id == 0 {
		return graphstore.Aspect{}, false, err
	}
	a, ok, err := t.w.names.findVersion(key, id, version, t.w.reads.each)
	return a, ok, storeError(err)
}

// entityID returns the id of an entity, 0 if it has no row.
func (w *writer) entityID(urn string) (int64, error) {
	if id, ok := w.ids.Get(urn); ok {
		return id, nil
	}
	if w.absent[urn] {
		return 0, nil
	}
	var id int64
	err := w.reads.each(readEntityID, func(row sqlite.Row) error {
		id = row.Int(0)
		return nil
	}, urn)
	if err != nil {
		return 0, storeError(err)
	}
	if id == 0 {
		w.absent[urn] = true
		return 0, nil
	}
	w.ids.Put(urn, id)
	return id, nil
}

// aspectID returns the id that the row of an aspect in latest has or would have, 0 if it can
// have none.
func (w *writer) aspectID(key graphstore.AspectKey) (int64, error) {
	name := w.names.aspectID(key.Name)
	if name == 0 {
		return 0, nil
	}
	entity, err := w.entityID(key.URN)
	if err != nil || entity == 0 {
		return 0, err
	}
	return entity*maxAspectNames + name, nil
}

// scanner is a row of any query.
type scanner interface{ Scan(into ...any) error }

// scanAspect reads "seq, <versionStamps>".
func (w *writer) scanAspect(a *graphstore.Aspect, row scanner) error {
	return w.names.scanAspect(a, row)
}

// systemRow has the columns of system metadata while they are scanned.
type systemRow struct {
	createdBy, run, registry int64
	properties               sql.NullString
	before                   beforeRow
}

// beforeRow has the columns about the version that was replaced.
type beforeRow struct{ lastRun, madeOn, madeBy sql.NullInt64 }

func (n *names) scanAspect(a *graphstore.Aspect, row scanner, before ...any) error {
	var s systemRow
	var value string
	err := row.Scan(append(before, &a.Seq, &a.CreatedOn, &s.createdBy, &a.System.LastObserved, &s.run, &s.registry, &s.properties,
		&s.before.lastRun, &s.before.madeOn, &s.before.madeBy, &value)...)
	if err != nil {
		return err
	}
	a.Value = json.RawMessage(value)
	if a.CreatedBy, err = n.text(s.createdBy); err != nil {
		return err
	}
	return n.fillSystem(&a.System, s)
}

// registrySeparator separates the name and version of a registry in one interned text.
const registrySeparator = "\x1f"

func (n *names) fillSystem(system *graphstore.SystemMetadata, s systemRow) error {
	var registry, madeBy string
	err := n.fill(named{&system.RunID, s.run}, named{&registry, s.registry}, named{&system.LastRunID, s.before.lastRun.Int64},
		named{&madeBy, s.before.madeBy.Int64})
	if err != nil {
		return err
	}
	system.RegistryName, system.RegistryVersion, _ = strings.Cut(registry, registrySeparator)
	if s.before.madeBy.Valid {
		system.AspectCreated = &graphstore.Stamp{Time: s.before.madeOn.Int64, Actor: madeBy}
	}
	if s.properties.Valid {
		return readDetails(s.properties.String, system)
	}
	return nil
}

// intern returns the number of a text, and assigns one if it has none.
func (t *tx) intern(text string) (int64, error) {
	id, err := t.w.names.find(text)
	if err != nil || id != 0 {
		return id, storeError(err)
	}
	return t.addName(text, false)
}

func (t *tx) internAspect(name string) (int64, error) {
	if id := t.w.names.aspectID(name); id != 0 {
		return id, nil
	}
	return t.addName(aspectPrefix+name, true)
}

// addName writes a text that has no number yet.
func (t *tx) addName(text string, isAspect bool) (int64, error) {
	id, err := t.w.names.add(text, isAspect)
	if err != nil {
		return 0, err
	}
	t.made.names = append(t.made.names, text)
	return id, t.w.stmts.insertName.run(id, text)
}

// These are the states of nodes. 0 is the state of a deleted entity, as the statements write
// it.
const (
	statePlaceholder = 1
	stateExists      = 2
)

// entity returns the id of an entity's row. If there is no row, entity creates the node that
// the batch describes, or a placeholder.
func (t *tx) entity(urn, entityType string) (int64, error) {
	id, err := t.w.entityID(urn)
	if err != nil || id != 0 {
		return id, err
	}
	state, removed, properties := statePlaceholder, false, any(nil)
	if node, ok := t.nodes[urn]; ok {
		delete(t.nodes, urn)
		entityType, removed = node.Type, node.Removed != nil && *node.Removed
		if node.Exists {
			state = stateExists
		}
		if properties, err = propertiesText(node.Properties, true); err != nil {
			return 0, err
		}
	}
	if entityType == "" {
		entityType = graphstore.TypeOf(urn)
	}
	typeID, err := t.intern(entityType)
	if err != nil {
		return 0, err
	}
	id = t.w.nextEntity
	t.w.nextEntity++
	if err := t.w.stmts.insertEntity.run(id, urn, typeID, state, removed, properties); err != nil {
		return 0, err
	}
	t.w.ids.Put(urn, id)
	delete(t.w.absent, urn)
	t.made.urns = append(t.made.urns, urn)
	return id, nil
}

// propertiesText encodes node properties. A nil value removes a property, so a new node leaves
// it out.
func propertiesText(properties map[string]any, fresh bool) (any, error) {
	encoded := make(map[string]any, len(properties))
	for name, value := range properties {
		if value != nil || !fresh {
			encoded[name] = value
		}
	}
	if len(encoded) == 0 {
		return nil, nil
	}
	text, err := json.Marshal(encoded)
	return string(text), err
}

// refuse fails if an update writes an entity that it did not name.
func (t *tx) refuse(urn string) error {
	if t.locked[urn] {
		return nil
	}
	return fmt.Errorf("the update writes %q, which it did not name", urn)
}
