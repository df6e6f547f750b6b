// Package sample is the catalog of an invented company, Larkspur Supply, which sells garden
// tools. The catalog has the sources, warehouse, jobs, dashboards and models of the company,
// their owners, and the lineage between them. It shows the features of Headwater and gives
// tests realistic data.
//
// The catalog has a past of some weeks in autumn 2026. All times are UTC:
//
//	10-05 08:00  Tessa writes people, tags, terms and domains.
//	10-06 03:00  The first nightly run reads the warehouse, jobs and dashboards.
//	10-12 04:00  Every week, a run reads the profiles and the usage of the week.
//	10-13 03:00  delivery_times has a new column, carrier.
//	10-14 10:20  Bela certifies orders and customers, and describes the orders.
//	10-20 03:00  The column net_amount of orders is now net_revenue.
//	10-21 13:45  Mira describes net revenue.
//	10-23 17:00  Noor Valdez, who owned orders, customers and loyalty, leaves.
//	10-26 09:10  Tessa makes Bela the owner of these.
//	10-29 03:00  The job export replaces print_pack, and the board pack is made from
//	             executive_summary instead of revenue_daily.
//	10-30 15:30  Jun tags loyalty as experimental.
//	11-01 03:00  web_sessions has a new column, searches.
//	11-03 08:30  Ada's dashboard about campaigns appears.
//	11-05 12:00  Jun trains the second churn model.
//	11-08 03:00  margin_by_product reads stg_prices instead of the raw prices. Some
//	             staging tables have a new column, loaded_at.
//	11-09 10:15  Ada tags customers as data about persons.
//	11-11 03:00  A run reads the test warehouse: orders, customers and revenue_daily
//	             lose columns, and have other descriptions and upstreams.
//	11-11 09:42  Ines rolls this run back.
//	11-12 14:05  Piet deprecates refund_rate.
//	11-13 11:30  Mira tags orders for Finance and makes a data product; queries are saved.
//	11-16 16:00  Tessa removes the raw copy of the employees.
//	11-18 08:30  Ada's client cannot read Looker, and reports that its run failed.
//	11-20 04:00  The last profiles and usage are read.
//
// A small generator makes the catalog from tables in this package. The catalog is always the
// same.
package sample

import (
	"context"
	"fmt"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/removal"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/catalog/write"
)

// Summary has the numbers of loaded entities and proposals.
type Summary struct{ Entities, Proposals int }

// Proposals returns all writes of the story, in the order in which they are loaded.
func Proposals() ([]write.Proposal, error) {
	b, all := newBuilder(), []write.Proposal{}
	for i := range story {
		if story[i].rollsBack != "" {
			continue
		}
		proposals, err := b.propose(&story[i])
		if err != nil {
			return nil, err
		}
		all = append(all, proposals...)
	}
	return all, nil
}

// Load writes the catalog, one event after the other, each at the present moment. A second Load
// leaves the same latest values; an aspect with several versions gets the same versions again.
func Load(ctx context.Context, c *services.Services) (Summary, error) {
	return new(Past).Load(ctx, c)
}

// Load writes the catalog into a store whose clock is p, each event at its own moment. The
// store should be empty, so that nothing in the store is newer than the story. While Load runs,
// nothing else may write to the store.
func (p *Past) Load(ctx context.Context, c *services.Services) (Summary, error) {
	defer p.told.Store(0)
	b, sum, entities := newBuilder(), Summary{}, map[string]bool{}
	for i := range story {
		e := &story[i]
		p.told.Store(e.moment())
		if p.Progress != nil {
			p.Progress(i, len(story))
		}
		o := catalog.WriteOptions{Actor: user(e.by)}
		if e.rollsBack != "" {
			if _, err := c.Removal.Rollback(ctx, removal.RollbackRequest{Origin: removal.Origin{RunID: e.rollsBack}}, o); err != nil {
				return Summary{}, fmt.Errorf("rollback of %s: %w", e.rollsBack, err)
			}
			continue
		}
		proposals, err := b.propose(e)
		if err != nil {
			return Summary{}, err
		}
		items, err := c.IngestBatch(ctx, proposals, o)
		if err != nil {
			return Summary{}, err
		}
		for k, item := range items {
			if item.Err != nil {
				return Summary{}, fmt.Errorf("%s of %s: %w", proposals[k].AspectName, proposals[k].EntityURN, item.Err)
			}
			entities[item.URN] = true
		}
		sum.Proposals += len(proposals)
	}
	sum.Entities = len(entities)
	return sum, nil
}
