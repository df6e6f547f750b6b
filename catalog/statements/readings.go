package statements

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/model"
)

// Readings has the sources of one column, or of one dataset, by a client's SQL parser and by the server, where the two
// read the same SQL differently.
type Readings struct {
	// Downstream is the column, or the dataset.
	Downstream string `json:"downstream"`
	// Client is the statement of the client's parser, Own the server's reading.
	Client Reading `json:"client"`
	Own    Reading `json:"own"`
	// Preferred tells whose reading walks and impact follow: [PreferClient], which keeps both, or [PreferOwn].
	Preferred string `json:"preferred"`
}

// Reading is one of two readings of SQL.
type Reading struct {
	// Upstreams are the URNs of the columns, or datasets, from which the downstream one derives.
	Upstreams []string `json:"upstreams"`
	// Operation is the transformOperation, "" if none is stated.
	Operation string `json:"operation,omitempty"`
	// Confidence is the number that the client's parser has stated, from 0 to 1.
	Confidence *float64 `json:"confidence,omitempty"`
}

// The values of Preferred, and of the setting sql-prefer of a server.
const (
	PreferClient = "client"
	PreferOwn    = "own"
)

// Aspects reads the values of aspects that entities have, or had at the moment of a question.
type Aspects func(ctx context.Context, urns, names []string) (map[string][]graphstore.Aspect, error)

// DifferentReadings are the differing readings, by the two ends of the edges that one of the readings states.
type DifferentReadings map[model.EdgeEnds]*Readings

var differencesMark = []byte(`"differences"`)

// readingsAtOnce bounds the entities whose readings are read at once.
const readingsAtOnce = 1000

// ReadingsOf reads the readings that differ of the SQL of entities. Of a moment at which the value of derivedLineage is not
// kept any more, an entity has none.
func ReadingsOf(ctx context.Context, aspects Aspects, entities []string) (DifferentReadings, error) {
	var some []string
	for _, urn := range entities {
		if model.LineageOf(model.StoredURN(urn).EntityType()) != "" {
			some = append(some, urn)
		}
	}
	slices.Sort(some)
	found := DifferentReadings{}
	for part := range slices.Chunk(slices.Compact(some), readingsAtOnce) {
		stored, err := aspects(ctx, part, []string{model.AspectDerivedLineage})
		if err != nil {
			return nil, catalog.StoreFailure(err)
		}
		for urn, aspects := range stored {
			if len(aspects) == 0 || !bytes.Contains(aspects[0].Value, differencesMark) {
				continue
			}
			if err := found.add(aspects[0].Value); err != nil {
				return nil, catalog.Errorf(catalog.Internal, "%s of %s: %w", model.AspectDerivedLineage, urn, err)
			}
		}
	}
	return found, nil
}

func (d DifferentReadings) add(value json.RawMessage) error {
	var derived struct {
		Preferred   bool `json:"preferred"`
		Differences []struct {
			Downstream string   `json:"downstream"`
			Stated     []string `json:"stated"`
			Operation  string   `json:"statedOperation"`
			Confidence *float64 `json:"confidenceScore"`
			Read       []string `json:"read"`
			ReadAs     string   `json:"readOperation"`
		} `json:"differences"`
	}
	if err := json.Unmarshal(value, &derived); err != nil {
		return err
	}
	for i := range derived.Differences {
		one := &derived.Differences[i]
		readings := &Readings{
			Downstream: one.Downstream, Client: Reading{one.Stated, one.Operation, one.Confidence}, Own: Reading{Upstreams: one.Read, Operation: one.ReadAs}, Preferred: PreferClient,
		}
		if derived.Preferred {
			readings.Preferred = PreferOwn
		}
		for _, up := range slices.Concat(one.Stated, one.Read) {
			d[model.EdgeEnds{Source: one.Downstream, Destination: up}] = readings
		}
	}
	return nil
}

// Of returns the readings of an edge, nil if they do not differ.
func (d DifferentReadings) Of(downstream, upstream string) *Readings {
	return d[model.EdgeEnds{Source: downstream, Destination: upstream}]
}
