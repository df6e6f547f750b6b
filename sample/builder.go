package sample

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/model"
)

// object is a JSON object that is being built.
type object = map[string]any

// builder collects the proposals of one event after the other.
type builder struct {
	proposals []write.Proposal
	event     *event
	// written has the latest values, as text. An event proposes only values that differ from
	// these.
	written map[key]json.RawMessage
	// columns has the latest columns of each table. changes has the number of times that they
	// changed.
	columns map[string]string
	changes map[string]int
	// stated are the stamps of the events that first stated an upstream of a dataset.
	stated map[[2]string]object
	err    error
}

type key struct{ urn, aspect string }

func newBuilder() *builder {
	return &builder{written: map[key]json.RawMessage{}, columns: map[string]string{}, changes: map[string]int{}, stated: map[[2]string]object{}}
}

// propose returns the proposals of the next event.
func (b *builder) propose(e *event) ([]write.Proposal, error) {
	b.proposals, b.event = nil, e
	e.write(b)
	return b.proposals, b.err
}

// put proposes one aspect, unless the catalog has the value already.
func (b *builder) put(urn, aspect string, value object) {
	u, err := model.ParseURN(urn)
	if err != nil {
		b.fail(err)
		return
	}
	text, err := json.Marshal(value)
	if err != nil {
		b.fail(fmt.Errorf("%s of %s: %w", aspect, urn, err))
		return
	}
	k := key{urn, aspect}
	if bytes.Equal(b.written[k], text) {
		return
	}
	if !b.event.bad {
		b.written[k] = text
	}
	b.proposals = append(b.proposals, write.Proposal{
		EntityType: u.EntityType(), EntityURN: urn, ChangeType: write.Upsert, AspectName: aspect,
		Aspect: &write.GenericAspect{Value: text, ContentType: "application/json"},
		System: &catalog.SystemMetadata{LastObserved: b.event.moment(), RunID: b.event.run, PipelineName: b.event.pipeline()},
	})
}

func (b *builder) fail(err error) {
	if b.err == nil {
		b.err = err
	}
}

// schemaVersion counts how often the columns of a table have changed.
func (b *builder) schemaVersion(t *table) int {
	urn, columns := t.urn(), strings.Join(t.columns, " ")
	version := b.changes[urn]
	if before, ok := b.columns[urn]; ok && before != columns {
		version++
	}
	if !b.event.bad {
		b.columns[urn], b.changes[urn] = columns, version
	}
	return version
}

// firstStated is the audit stamp of the event that first stated an upstream of a dataset.
func (b *builder) firstStated(urn, upstream string) object {
	pair := [2]string{urn, upstream}
	if first, ok := b.stated[pair]; ok {
		return first
	}
	first := b.now(b.event.by)
	if !b.event.bad {
		b.stated[pair] = first
	}
	return first
}

// now is the audit stamp of an actor at the moment of the event.
func (b *builder) now(by string) object {
	return object{"time": b.event.moment(), "actor": user(by)}
}

// stamp is the audit stamp of metadata from before the story.
func stamp(by string) object { return object{"time": millis(firstDay), "actor": user(by)} }

// day is the length of a day in milliseconds.
const day = 24 * 3600 * 1000

// millis returns a moment of the story in epoch milliseconds. The moment is a date, which
// stands for the beginning of the day in UTC, or RFC 3339 without seconds and zone.
func millis(moment string) int64 {
	layout := "2006-01-02T15:04"
	at, err := time.Parse(layout[:len(moment)], moment)
	if err != nil {
		panic(err) // the moments are constants of this package
	}
	return at.UnixMilli()
}
