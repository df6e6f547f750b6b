package app

import (
	"context"
	"fmt"
	"sync"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/headwater-io/headwater/app/config"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/internal/intake"
	"github.com/headwater-io/headwater/kafka/connect"
	"github.com/headwater-io/headwater/kafka/proposals"
	"github.com/headwater-io/headwater/kafka/wire"
	"github.com/headwater-io/headwater/rest"
)

// kafkaSecurity is how connections to Kafka are made.
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

// consumeKafka writes the proposals of Kafka, if there is one, until the server stops. A
// replica leaves them to its source, a read-only server to others or until later.
func (s *server) consumeKafka(metrics *prometheus.Registry, cat *services.Services, records proposals.Records, memory *intake.Budget) {
	counts := proposals.NewMetrics(metrics)
	if len(s.settings.Kafka) == 0 || s.settings.Follow != "" {
		return
	}
	consumer := proposals.New(proposals.Options{
		Brokers: s.settings.Kafka, Security: s.security, Group: s.settings.KafkaGroup, Prefix: s.settings.KafkaPrefix, Format: wire.Format(s.settings.KafkaFormat), Writer: cat, Records: records, Failed: cat.Failed,
		Metrics: counts, Logger: s.logger, Memory: memory,
		// A record does not say which client it is of: what may be of a newer one is kept.
		KeepUnknown: s.settings.UnknownFields != rest.RefuseUnknown,
	})
	ctx, stop := context.WithCancel(context.Background())
	var consuming sync.WaitGroup
	consuming.Go(func() { cat.WhileWritable(ctx, consumer.Run) })
	s.atClose("proposals of Kafka", func(context.Context) error {
		stop()
		consuming.Wait()
		return nil
	})
}
