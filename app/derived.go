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
