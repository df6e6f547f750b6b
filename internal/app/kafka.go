package app

import (
	"context"
	"sync"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/kafka/proposals"
	"github.com/headwater-io/headwater/kafka/wire"
	"github.com/headwater-io/headwater/rest"
)

// consumeKafka writes the proposals of Kafka, if there is one, until the server stops. A
// replica leaves them to its source.
func (s *server) consumeKafka(metrics *prometheus.Registry, cat *services.Services) {
	counts := proposals.NewMetrics(metrics)
	if len(s.settings.Kafka) == 0 || s.settings.Follow != "" {
		return
	}
	consumer := proposals.New(proposals.Options{
		Brokers: s.settings.Kafka, Group: s.settings.KafkaGroup, Prefix: s.settings.KafkaPrefix, Format: wire.Format(s.settings.KafkaFormat), Catalog: cat, Failed: cat.Failed,
		Metrics: counts, Logger: s.logger,
		// A record does not say which client it is of: what may be of a newer one is kept.
		KeepUnknown: s.settings.UnknownFields != rest.RefuseUnknown,
	})
	ctx, stop := context.WithCancel(context.Background())
	var consuming sync.WaitGroup
	consuming.Go(func() { consumer.Run(ctx) })
	s.atClose("proposals of Kafka", func(context.Context) error {
		stop()
		consuming.Wait()
		return nil
	})
}
