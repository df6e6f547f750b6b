package app

import (
	"context"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/headwater-io/headwater/app/config"
	"github.com/headwater-io/headwater/app/obs"
	"github.com/headwater-io/headwater/catalog/derived"
	"github.com/headwater-io/headwater/catalog/services"
)

// deriveLineage derives lineage from SQL, or takes it back, until the server stops, if the settings say so. A replica gets
// the derived lineage from its source.
func (s *server) deriveLineage(metrics *prometheus.Registry, c *services.Services) {
	if s.settings.Follow != "" {
		return
	}
	obs.Derived(metrics, c.Derived.Counts)
	s.inBackground("lineage of SQL", func(ctx context.Context) {
		c.WhileWritable(ctx, func(ctx context.Context) {
			var err error
			if s.settings.SQLDerive == config.DeriveOff {
				err = c.Derived.Forget(ctx)
			} else {
				err = c.Derived.Run(ctx, derived.Mode{
					Remove: s.settings.SQLDerive == config.DeriveRemove, Prefer: s.settings.SQLPrefer == config.PreferOwn,
				})
			}
			if err != nil {
				s.logger.WarnContext(ctx, "no lineage is derived from SQL until the next start", "reason", err)
			}
		})
	})
}

// endLineage ends lineage that its source does not state any more until the server stops, if the settings say so. A
// replica gets the endings from its source.
func (s *server) endLineage(c *services.Services) {
	if s.settings.Follow != "" {
		return
	}
	s.inBackground("ending of lineage", func(ctx context.Context) {
		c.WhileWritable(ctx, func(ctx context.Context) {
			var err error
			if s.settings.LineageEnding == 0 {
				err = c.Ending.Forget(ctx)
			} else {
				err = c.Ending.Run(ctx, s.settings.LineageEnding)
			}
			if err != nil {
				s.logger.WarnContext(ctx, "no lineage ends until the next start", "reason", err)
			}
		})
	})
}

// matchAnnounced compares the changes that arrive with the announced ones until the server stops, unless the setting is off. A
// replica gets what is matched from its source.
func (s *server) matchAnnounced(c *services.Services) {
	if s.settings.Follow != "" {
		return
	}
	s.inBackground("announced changes", func(ctx context.Context) {
		c.WhileWritable(ctx, func(ctx context.Context) {
			work := c.Announced.Forget
			if s.settings.Announced {
				work = c.Announced.Run
			}
			if err := work(ctx); err != nil {
				s.logger.WarnContext(ctx, "no arriving changes are compared with the announced ones until the next start", "reason", err)
			}
		})
	})
}
