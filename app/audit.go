package app

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/headwater-io/headwater/access/audit"
	"github.com/headwater-io/headwater/app/obs"
	"github.com/headwater-io/headwater/catalog/records"
	"github.com/headwater-io/headwater/graphstore"
)

// keepAudit makes the audit trail, which stores and trims its entries until the server stops.
func (s *server) keepAudit(metrics *prometheus.Registry, store graphstore.Store) *audit.Service {
	trail := audit.New(audit.Options{Records: records.New(store), Now: s.past.Now, Logger: s.logger, Age: s.settings.AuditAge})
	obs.Audit(metrics, trail.Lost)
	s.inBackground("audit trail", trail.Run)
	return trail
}
