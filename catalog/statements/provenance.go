// Package statements finds who stated edges and labels, and the statements of sources and people about columns.
package statements

import (
	"encoding/json"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/jsontree"
)

// Provenance says who or what stated something that the catalog answers with: an edge of lineage, a
// tag, a term, an owner. The source that the stated value names comes first, then the source of the
// write since which the fact has been stated without a break. Members that nobody stated are empty.
type Provenance struct {
	// Actor is the URN of the actor who made the statement.
	Actor string `json:"actor,omitempty"`
	// Run is the run of the write since which the statement holds.
	Run string `json:"run,omitempty"`
	// Source is the source of the statement: the URN of the source of an attribution, the address
	// or kind of the source of an owner, or UI for a statement that somebody entered by hand.
	Source string `json:"source,omitempty"`
	// StatedAt is the time since which the statement holds, epoch milliseconds.
	StatedAt int64 `json:"statedAt,omitempty"`
	// Confidence is the confidence in the statement, from 0 to 1.
	Confidence *float64 `json:"confidence,omitempty"`
	// Derived: the server has read the statement from SQL that the catalog stores, and no source has stated it.
	Derived bool `json:"derived,omitempty"`
	// Query is the URN of the query from which the statement follows.
	Query string `json:"query,omitempty"`
	// Readings has both readings of the SQL from which the edge follows, if a client's SQL parser and the server differ.
	// Otherwise, and in answers without readings, Readings is nil.
	Readings *Readings `json:"readings,omitempty"`
	// Detail has the details that an attribution states about its source.
	Detail map[string]string `json:"detail,omitempty"`
}

// ManualSource marks lineage drawn by hand.
const ManualSource = "UI"

// EdgeProperties are the properties that the stating value gives an edge.
type EdgeProperties struct {
	// Source is ManualSource for lineage drawn by hand.
	Source string `json:"source"`
	// Derived is "true" for lineage that the server has read from SQL.
	Derived string `json:"derived"`
	// TransformOperation and Confidence are stated between columns.
	TransformOperation string   `json:"transformOperation"`
	Confidence         *float64 `json:"confidenceScore"`
}

// PropertiesOf reads the properties of a stored edge, once for all that is told of the edge. A property of another type than the
// model's is left out.
func PropertiesOf(e *graphstore.Edge) EdgeProperties {
	var p EdgeProperties
	if len(e.Properties) > 0 {
		_ = json.Unmarshal(e.Properties, &p) // the other properties are read nevertheless
	}
	return p
}

// DrawnByHand reports whether an edge has the mark of lineage drawn in a user interface.
func (p *EdgeProperties) DrawnByHand() bool { return p.Source == ManualSource }

// FromSQL reports whether the server has read an edge from stored SQL.
func (p *EdgeProperties) FromSQL() bool { return p.Derived == "true" }

// OfEdge returns the provenance of a stored edge.
func OfEdge(e *graphstore.Edge) Provenance {
	p := PropertiesOf(e)
	return OfEdgeWith(e, &p)
}

// OfEdgeWith returns the provenance of a stored edge whose properties were read before.
func OfEdgeWith(e *graphstore.Edge, properties *EdgeProperties) Provenance {
	p := Provenance{
		Actor: e.SinceActor, Run: e.SinceRun, StatedAt: e.Since, Query: e.Via,
		Source: properties.Source, Confidence: properties.Confidence, Derived: properties.FromSQL(),
	}
	if stamp := StampOf(e.CreatedOn, e.CreatedActor); stamp != nil {
		p.Actor, p.StatedAt = stamp.Actor, stamp.Time
	}
	return p
}

// known reports whether the provenance names a source.
func (p *Provenance) known() bool {
	return p.Actor != "" || p.Run != "" || p.Source != "" || p.StatedAt != 0 || p.Confidence != nil || p.Query != "" || len(p.Detail) > 0
}

// saidBy replaces the actor and the time by the actor and the time that the value states, either of which may
// be missing. The time of the write is kept only with the actor of the write: an actor is never paired with
// another actor's time.
func (p *Provenance) saidBy(actor string, at int64) {
	if actor != p.Actor || at != 0 {
		p.Actor, p.StatedAt = actor, at
	}
}

// Attribute replaces the stamps by the stamps that an item of a list states, such as a tag with its attribution.
func (p *Provenance) Attribute(item catalog.Tree) {
	if actor := jsontree.Text(item, "actor"); actor != "" { // of a term
		p.saidBy(actor, 0)
	}
	if source := jsontree.Member(item, "source"); source != nil { // of an owner
		p.Source = jsontree.Text(source, "type")
		if url := jsontree.Text(source, "url"); url != "" {
			p.Source = url
		}
	}
	attribution := jsontree.Member(item, "attribution")
	if actor, at := jsontree.Text(attribution, "actor"), jsontree.Integer(attribution["time"]); actor != "" || at != 0 {
		p.saidBy(actor, at)
	}
	if source := jsontree.Text(attribution, "source"); source != "" {
		p.Source = source
	}
	for name, value := range jsontree.Member(attribution, "sourceDetail") {
		if text, ok := value.(string); ok {
			if p.Detail == nil {
				p.Detail = map[string]string{}
			}
			p.Detail[name] = text
		}
	}
}

// These are the kinds of labels.
const (
	LabelTag   = "tag"
	LabelTerm  = "term"
	LabelOwner = "owner"
)

// Label is a tag, a term or an owner of an entity, with who stated it.
type Label struct {
	// Kind is LabelTag, LabelTerm or LabelOwner.
	Kind string `json:"kind"`
	// URN is the URN of the label.
	URN        string     `json:"urn"`
	Provenance Provenance `json:"provenance"`
}

// StampOf returns an audit stamp of an edge, nil when the aspect does not state
// it.
func StampOf(at int64, actor string) *catalog.AuditStamp {
	if at == 0 || actor == "" {
		return nil
	}
	return &catalog.AuditStamp{Time: at, Actor: actor}
}
