package app

import (
	"context"
	"fmt"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/headwater-io/headwater/app/config"
	"github.com/headwater-io/headwater/catalog/records"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/internal/intake"
	"github.com/headwater-io/headwater/kafka/connect"
	"github.com/headwater-io/headwater/kafka/proposals"
	"github.com/headwater-io/headwater/kafka/wire"
	"github.com/headwater-io/headwater/rest"
)

// kafkaSecurity returns how to encrypt connections to Kafka and how to log in.
func (s *server) kafkaSecurity() (connect.Security, error) {
	if _, _, follows := config.KafkaSource(s.settings.Follow); len(s.settings.Kafka) == 0 && !follows {
		return connect.Security{}, nil
	}
	security, err := connect.Load(kafkaSettings(s.settings))
	if err != nil {
		return security, fmt.Errorf("kafka: %w", err)
	}
	if s.settings.KafkaSASL == connect.Plain && !s.settings.KafkaTLS {
		s.logger.Warn("the password is sent to Kafka without encryption; --kafka-tls encrypts it")
	}
	return security, nil
}

func kafkaSettings(set *config.Server) connect.Settings {
	return connect.Settings{
		TLS: set.KafkaTLS, CAFile: set.KafkaCA, CertFile: set.KafkaCert, KeyFile: set.KafkaKey, ServerName: set.KafkaServerName,
		Mechanism: set.KafkaSASL, User: set.KafkaUser, Password: set.KafkaPassword, PasswordFile: set.KafkaPassFile,
	}
}

// consumeKafka consumes the proposals in Kafka, if brokers are set, until the server stops.
// A replica does not consume them, because its source does. A read-only server does not,
// because another server or a later start will.
func (s *server) consumeKafka(metrics *prometheus.Registry, cat *services.Services, small *records.Door, memory *intake.Budget) {
	counts := proposals.NewMetrics(metrics)
	if len(s.settings.Kafka) == 0 || s.settings.Follow != "" {
		return
	}
	consumer := proposals.New(proposals.Options{
		Brokers: s.settings.Kafka, Security: s.security, Group: s.settings.KafkaGroup, Prefix: s.settings.KafkaPrefix, Format: wire.Format(s.settings.KafkaFormat), Writer: cat, Events: s.settings.KafkaEvents, Take: cat.OpenLineage.TakeAll, Records: small, Failed: cat.Failed,
		Metrics: counts, Logger: s.logger, Memory: memory,
		// A record does not name the client that sent it, so it is treated as that of a newer
		// client: unknown fields are kept unless the setting refuses them.
		KeepUnknown: s.settings.UnknownFields != rest.RefuseUnknown,
	})
	s.inBackground("proposals of Kafka", func(ctx context.Context) { cat.WhileWritable(ctx, consumer.Run) })
}
