// Package sample is the catalog of an invented company, Larkspur Supply, which
// sells garden tools: its sources, warehouse, jobs, dashboards and models, their
// owners, and how they derive from each other. It shows what Headwater does and
// gives tests realistic data.
//
// It is made by a small generator from tables in this package, always the same.
package sample

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/model"
)

// Summary says what was loaded.
type Summary struct{ Entities, Proposals int }

// day0 is the first of the seven days that profiles and usage cover:
// 2026-11-02, 00:00 UTC, in epoch milliseconds.
const (
	day0 = 1793577600000
	day  = 24 * 3600 * 1000
	days = 7
)

// The runs that the catalog came from, in order.
const (
	runSetup    = "larkspur-setup"
	runFirst    = "larkspur-nightly-2026-11-01"
	runSecond   = "larkspur-nightly-2026-11-08"
	runCuration = "larkspur-curation"
)

// builder collects proposals.
type builder struct {
	proposals []catalog.Proposal
	run       string
	observed  int64
	err       error
}

// object is a JSON object being written.
type object = map[string]any

// Proposals returns the catalog as proposals, in the order they are loaded.
func Proposals() ([]catalog.Proposal, error) {
	b := &builder{}
	b.begin(runSetup, day0)
	b.platforms()
	b.people()
	b.vocabulary()
	b.begin(runFirst, day0)
	b.warehouse(firstState)
	b.jobs()
	b.reports()
	b.machineLearning()
	b.begin(runSecond, day0+days*day)
	b.warehouse(secondState)
	b.quality()
	b.activity()
	b.begin(runCuration, day0+days*day)
	b.curation()
	b.savedQueries()
	return b.proposals, b.err
}

// begin starts a run.
func (b *builder) begin(run string, observed int64) { b.run, b.observed = run, observed }

// put proposes one aspect.
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
	b.proposals = append(b.proposals, catalog.Proposal{
		EntityType: u.EntityType(), EntityURN: urn, ChangeType: catalog.Upsert, AspectName: aspect,
		Aspect: &catalog.GenericAspect{Value: text, ContentType: "application/json"},
		System: &catalog.SystemMetadata{LastObserved: b.observed, RunID: b.run},
	})
}

func (b *builder) fail(err error) {
	if b.err == nil {
		b.err = err
	}
}

// stamp is an audit stamp.
func stamp(by string) object { return object{"time": day0, "actor": user(by)} }

// Load writes the catalog. Loading it again leaves the latest values as they
// are; what has several versions gains the same ones again.
func Load(ctx context.Context, c *services.Services) (Summary, error) {
	proposals, err := Proposals()
	if err != nil {
		return Summary{}, err
	}
	entities := map[string]bool{}
	for rest := proposals; len(rest) > 0; {
		// Each run is written by itself, so that it has a moment of its own.
		n := 1
		for n < len(rest) && rest[n].System.RunID == rest[0].System.RunID {
			n++
		}
		run := rest[:n]
		rest = rest[n:]
		items, err := c.IngestBatch(ctx, run, catalog.WriteOptions{Actor: user("tessa.quill")})
		if err != nil {
			return Summary{}, err
		}
		for i, item := range items {
			if item.Err != nil {
				return Summary{}, fmt.Errorf("%s of %s: %w", run[i].AspectName, run[i].EntityURN, item.Err)
			}
			entities[item.URN] = true
		}
	}
	return Summary{Entities: len(entities), Proposals: len(proposals)}, nil
}
