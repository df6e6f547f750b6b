package app

import (
	"context"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/headwater-io/headwater/app/config"
	"github.com/headwater-io/headwater/app/obs"
	"github.com/headwater-io/headwater/catalog/derived"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/catalog/statements"
)

// followLog does the work of a follower of the change log until the server stops. A replica does none of it: it gets the
// results from its source. The log is told failed if the work ends with an error.
func (s *server) followLog(c *services.Services, name, failed string, work func(ctx context.Context) error) {
	if s.settings.Follow != "" {
		return
	}
	s.inBackground(name, func(ctx context.Context) {
		c.WhileWritable(ctx, func(ctx context.Context) {
			if err := work(ctx); err != nil {
				s.logger.WarnContext(ctx, failed, "reason", err)
			}
		})
	})
}

// deriveLineage derives lineage from SQL, or takes it back, until the server stops, if the settings say so.
func (s *server) deriveLineage(metrics *prometheus.Registry, c *services.Services) {
	if s.settings.Follow == "" {
		obs.Derived(metrics, c.Derived.Counts)
	}
	s.followLog(c, "lineage of SQL", "no lineage is derived from SQL until the next start", func(ctx context.Context) error {
		if s.settings.SQLDerive == config.DeriveOff {
			return c.Derived.Forget(ctx)
		}
		return c.Derived.Run(ctx, derived.Mode{
			Remove: s.settings.SQLDerive == config.DeriveRemove, Prefer: s.settings.SQLPrefer == statements.PreferOwn,
		})
	})
}

// endLineage ends lineage that its source does not state any more until the server stops, if the settings say so.
func (s *server) endLineage(c *services.Services) {
	s.followLog(c, "ending of lineage", "no lineage ends until the next start", func(ctx context.Context) error {
		if s.settings.LineageEnding == 0 {
			return c.Ending.Forget(ctx)
		}
		return c.Ending.Run(ctx, s.settings.LineageEnding)
	})
}

// matchAnnounced compares the changes that arrive with the announced ones until the server stops, unless the setting is
// off.
func (s *server) matchAnnounced(c *services.Services) {
	s.followLog(c, "announced changes", "no arriving changes are compared with the announced ones until the next start", func(ctx context.Context) error {
		if !s.settings.Announced {
			return c.Announced.Forget(ctx)
		}
		return c.Announced.Run(ctx)
	})
}
