package app

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/headwater-io/headwater/app/config"
	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/delivery"
	"github.com/headwater-io/headwater/catalog/replica"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/client"
	"github.com/headwater-io/headwater/kafka/replicas"
)

// sourceTimeout bounds a request to the server that is followed. The time includes the wait
// for a change.
const sourceTimeout = 2 * time.Minute

// beginReplica makes the store a replica of the source in the settings. Without a source,
// it makes a replica an independent catalog again.
func (s *server) beginReplica(ctx context.Context, c *services.Services) error {
	if s.settings.Follow != "" {
		return c.Replica.Begin(ctx, s.settings.Follow)
	}
	was, err := c.Replica.Leave(ctx)
	if err != nil {
		return fmt.Errorf("whether the store is a replica: %w", err)
	}
	if was != "" {
		s.logger.WarnContext(ctx, "this store was a replica and is a catalog of its own from now on; it cannot follow again", "source", was)
	}
	return nil
}

// followSource follows the source until the server stops.
func (s *server) followSource(c *services.Services) {
	var from replica.Source = source{client.NewFollowed(s.settings.Follow, s.settings.SourceToken, sourceTimeout)}
	if brokers, prefix, kafka := config.KafkaSource(s.settings.Follow); kafka {
		reader := replicas.NewReader(brokers, s.security, prefix)
		from = reader
		s.atClose("connections to the source", func(context.Context) error {
			reader.Close()
			return nil
		})
	}
	s.inBackground("follower of the source", func(ctx context.Context) { c.Replica.Follow(ctx, from) })
	s.logger.Info("following", "source", s.settings.Follow)
}

// sendToReplicas sends the log of replicas to Kafka until the server stops, if the setting
// kafka-replicas is on.
func (s *server) sendToReplicas(c *services.Services) error {
	if !s.settings.KafkaReplicas {
		return nil
	}
	sender, err := replicas.NewSender(s.settings.Kafka, s.security, s.settings.KafkaPrefix, c.Replica, s.logger)
	if err != nil {
		return err
	}
	s.atClose("connections of changes to replicas", func(context.Context) error {
		sender.Close()
		return nil
	})
	s.inBackground("changes to replicas", func(ctx context.Context) {
		if err := c.Delivery.Run(ctx, delivery.Worker{Name: replicas.Follower, Read: sender.Read}); err != nil {
			s.logger.ErrorContext(ctx, "nothing more is sent to replicas until the server starts again", "error", err)
		}
	})
	return nil
}

// source is the server that this one follows, over HTTP.
type source struct{ *client.Client }

// Page reads a page of the source's log.
func (s source) Page(ctx context.Context, from string, limit int, patience time.Duration) (*replica.Page, error) {
	query := url.Values{"from": {from}, "limit": {strconv.Itoa(limit)}, "wait": {strconv.Itoa(int(patience / time.Second))}}
	page := &replica.Page{}
	return page, failureOf(s.Get(ctx, "/replica/changes?"+query.Encode(), page))
}

// SeriesAfter reads the values of a time series of the source after a position.
func (s source) SeriesAfter(ctx context.Context, urn, aspect string, after *replica.Position) (*replica.Series, error) {
	query := url.Values{"urn": {urn}, "aspect": {aspect}}
	if after != nil {
		query.Set("afterTime", strconv.FormatInt(after.Timestamp, 10))
		query.Set("afterKey", after.Key)
	}
	series := &replica.Series{}
	return series, failureOf(s.Get(ctx, "/replica/series?"+query.Encode(), series))
}

// failureOf converts the error of a source that has lost its log.
func failureOf(err error) error {
	var answer *client.Error
	if errors.As(err, &answer) && answer.Status == http.StatusGone {
		return catalog.Errorf(catalog.Gone, "%s", answer.Message)
	}
	return err
}
