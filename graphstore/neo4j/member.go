package neo4j

import (
	"errors"
	"fmt"
	"iter"

	"github.com/headwater-io/headwater/graphstore"
)

// member is an update of a group, and the transaction that its function sees. The function is
// suspended when it asks for data that was not read yet, so that the data for which all
// functions of the group ask can be read at once. Only one function runs at a time.
type member struct {
	u *update
	g *group
	// named has the entities that the update names, and wrote has the entities about which the
	// update has written.
	named, wrote map[string]bool
	now          int64
	pending      pending
	// wanted are the aspects for whose states the update waits. reads tells that the update has
	// read any state.
	wanted []graphstore.AspectKey
	reads  bool
	// failed is the first failure of a call. failed undoes the update even if the function returns
	// nil.
	failed error
	// returned is the error that the function has returned, err the result of the update.
	returned, err error
	// begun tells that the time of the update is known, over that the function has returned.
	begun, over bool

	yield  func(struct{}) bool
	resume func() (struct{}, bool)
	stop   func()
}

// join adds an update to the group, and runs its function until it asks for data.
func (g *group) join(u *update) *member {
	m := &member{u: u, g: g, pending: newPending(&g.pending), named: make(map[string]bool, len(u.urns)), wrote: map[string]bool{}}
	for _, urn := range u.urns {
		m.named[urn] = true
	}
	m.resume, m.stop = iter.Pull(func(yield func(struct{}) bool) {
		m.yield = yield
		m.returned = m.call()
	})
	m.step()
	return m
}

// step runs the function until it asks for data that was not read, or returns.
func (m *member) step() {
	if !m.begun && m.yield != nil {
		m.now, m.begun = m.g.timeOf(m.u.urns), true
	}
	if _, waits := m.resume(); waits {
		return
	}
	m.over, m.err = true, m.returned
	if m.failed != nil {
		m.err = m.failed
	}
	if m.err == nil {
		m.g.take(m)
	}
}

// call runs the function. A panic in the function becomes an error.
func (m *member) call() (err error) {
	defer func() {
		m.over = true
		if cause := recover(); cause != nil {
			err = fmt.Errorf("update panicked: %v", cause)
		}
	}()
	return m.u.fn(m)
}

// await waits until the states of aspects, the time and the entities were read.
func (m *member) await(keys []graphstore.AspectKey) error {
	if m.over {
		return errOver
	}
	m.wanted = keys
	for !m.begun || !m.g.has(m) {
		if !m.yield(struct{}{}) {
			return errOver
		}
	}
	m.reads = m.reads || len(keys) > 0
	return m.failed
}

// compared reports whether the reads of an update that writes nothing must be compared: some
// reads may be from before a write of another server, and other reads from after it.
func (m *member) compared() bool {
	rows, _ := m.pending.size()
	return m.reads && (m.err != nil || rows == 0) && !errors.Is(m.err, errAlone) && !errors.Is(m.err, errLater)
}

// Now returns the time of the update.
func (m *member) Now() int64 {
	_ = m.await(nil)
	return m.now
}

// Aspects returns the states of aspects.
func (m *member) Aspects(keys []graphstore.AspectKey) ([]graphstore.AspectState, error) {
	if err := m.await(keys); err != nil {
		return nil, err
	}
	states := make([]graphstore.AspectState, len(keys))
	m.pending.known(keys, states)
	return states, nil
}

// refuse ends the update within this group, with an error.
func (m *member) refuse(err error) error {
	if m.over {
		return errOver
	}
	if m.failed == nil {
		m.failed = err
	}
	return m.failed
}

// unwritten returns nil when entities can be read from the database, because no update of the
// group has written about them. Otherwise it refuses the update for this group.
func (m *member) unwritten(urns ...string) error {
	if err := m.await(nil); err != nil {
		return err
	}
	for _, urn := range urns {
		if m.wrote[urn] {
			return m.refuse(errAlone)
		}
		if _, ok := m.g.times[urn]; ok {
			return m.refuse(errLater)
		}
	}
	m.reads = true
	return nil
}

// checked records the first failure of a read. The group cannot go on after it.
func checked[T any](m *member, found T, err error) (T, error) {
	if err != nil {
		m.g.failed = err
		return found, m.refuse(err)
	}
	return found, nil
}

// Latest returns every latest aspect of entities.
func (m *member) Latest(urns []string) (map[string][]graphstore.Aspect, error) {
	if err := m.unwritten(urns...); err != nil {
		return nil, err
	}
	found, err := latestIn(m.g, urns, m.g.s.recent())
	for _, aspects := range found {
		for i := range aspects {
			a := &aspects[i]
			if key := (graphstore.AspectKey{URN: a.URN, Name: a.Name}); !m.g.compares(key) {
				m.g.versions[key] = versionMark{a.Seq, a.CreatedOn}
			}
		}
	}
	return checked(m, found, err)
}

// Version returns one version.
func (m *member) Version(key graphstore.AspectKey, version int64) (graphstore.Aspect, bool, error) {
	if err := m.unwritten(key.URN); err != nil {
		return graphstore.Aspect{}, false, err
	}
	found, ok, err := versionIn(m.g, key, version)
	found, err = checked(m, found, err)
	return found, ok, err
}

// Predecessors returns the highest archived versions that do not come from an origin.
func (m *member) Predecessors(keys []graphstore.AspectKey, origin graphstore.Origin) ([]*graphstore.Aspect, error) {
	for _, key := range keys {
		if err := m.unwritten(key.URN); err != nil {
			return nil, err
		}
	}
	found, err := predecessorsIn(m.g, keys, origin)
	return checked(m, found, err)
}

// Ended returns the ended statements that were current at the given moments.
func (m *member) Ended(asked []graphstore.StatementAt) ([]*graphstore.EndedStatement, error) {
	for i := range asked {
		if err := m.unwritten(asked[i].Owner); err != nil {
			return nil, err
		}
	}
	found, err := endedIn(m.g, asked)
	return checked(m, found, err)
}

// Holdings counts the versions and values of entities.
func (m *member) Holdings(urns []string) (map[string]graphstore.Holdings, error) {
	if err := m.unwritten(urns...); err != nil {
		return nil, err
	}
	found, err := holdingsIn(m.g, urns)
	return checked(m, found, err)
}

// Write adds a batch to the pending writes of the group.
func (m *member) Write(b graphstore.Batch) error {
	if err := m.await(nil); err != nil {
		return err
	}
	for urn := range writtenURNs(&b) {
		if !m.named[urn] {
			return m.refuse(notNamed(urn))
		}
		m.wrote[urn] = true
	}
	if name := m.g.s.unknownType(&b); name != "" {
		return m.refuse(fmt.Errorf("%q is not a name in the model", name))
	}
	if err := m.pending.addAll(b); err != nil {
		return m.refuse(err)
	}
	if rows, _ := m.pending.size(); rows > maxStatementRows {
		return m.refuse(errAlone)
	}
	return nil
}
