package app

import (
	"context"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/headwater-io/headwater/catalog/delivery"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/kafka/produce"
	"github.com/headwater-io/headwater/kafka/wire"
)

// sendToKafka sends every change to Kafka, if brokers are set, until the server stops.
func (s *server) sendToKafka(metrics *prometheus.Registry, cat *services.Services) error {
	counts := produce.NewMetrics(metrics)
	if len(s.settings.Kafka) == 0 {
		return nil
	}
	producer, err := produce.New(produce.Options{
		Brokers: s.settings.Kafka, Security: s.security, Prefix: s.settings.KafkaPrefix, Format: wire.Format(s.settings.KafkaFormat),
		Timeseries: func(aspect string) bool {
			a, ok := cat.Registry().Aspect(aspect)
			return ok && a.TimeSeries
		},
		Events: platformEvents(cat.Events), Metrics: counts, Logger: s.logger,
	})
	if err != nil {
		return err
	}
	s.atClose("connections of changes to Kafka", func(context.Context) error {
		producer.Close()
		return nil
	})
	s.inBackground("changes to Kafka", func(ctx context.Context) {
		worker := delivery.Worker{Name: produce.Follower, Page: produce.Page, Prepare: producer.Prepare}
		if err := cat.Delivery.Run(ctx, worker); err != nil {
			s.logger.ErrorContext(ctx, "nothing more is sent to Kafka until the server starts again", "error", err)
		}
	})
	return nil
}
