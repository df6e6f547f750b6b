package app

import (
	"context"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/headwater-io/headwater/app/obs"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/internal/hooksend"
)

// hookSender makes the sender of webhooks' requests.
func (s *server) hookSender(build Build) *hooksend.Sender {
	sender := hooksend.New(hooksend.Options{Private: s.settings.WebhookPrivate, UserAgent: "headwater/" + build.Version})
	s.atClose("connections to receivers of webhooks", func(context.Context) error {
		sender.Close()
		return nil
	})
	return sender
}

// runWebhooks sends changes to webhooks until the server stops.
func (s *server) runWebhooks(metrics *prometheus.Registry, c *services.Services) {
	obs.Webhooks(metrics, map[string]func() int64{
		"delivered": func() int64 { return c.Webhooks.Deliveries().Delivered },
		"failed":    func() int64 { return c.Webhooks.Deliveries().Failed },
		"dead":      func() int64 { return c.Webhooks.Deliveries().Dead },
	}, c.Webhooks.DeadLetters)
	s.inBackground("webhooks", c.Webhooks.Run)
}
