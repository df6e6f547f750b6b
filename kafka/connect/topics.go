package connect

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
)

// MakeTopics makes the topics that do not exist yet, with the usual replication. If the brokers do not allow
// this, MakeTopics only logs a warning: an administrator then makes the topics, or has made them.
func MakeTopics(ctx context.Context, client *kgo.Client, logger *slog.Logger, partitions int32, settings map[string]*string, topics ...string) error {
	answers, err := kadm.NewClient(client).CreateTopics(ctx, partitions, -1, settings, topics...)
	if err != nil {
		return fmt.Errorf("kafka: topics: %w", err)
	}
	for _, a := range answers {
		switch {
		case a.Err == nil, errors.Is(a.Err, kerr.TopicAlreadyExists):
		case errors.Is(a.Err, kerr.TopicAuthorizationFailed), errors.Is(a.Err, kerr.ClusterAuthorizationFailed), errors.Is(a.Err, kerr.PolicyViolation):
			logger.WarnContext(ctx, "the topic cannot be made; somebody else must", "topic", a.Topic, "error", a.Err)
		default:
			return fmt.Errorf("kafka: topic %s: %w", a.Topic, a.Err)
		}
	}
	return nil
}

// TooLarge reports whether a record failed because of its size. Such a record fails again
// whenever it is sent.
func TooLarge(err error) bool {
	return errors.Is(err, kerr.MessageTooLarge) || errors.Is(err, kerr.RecordListTooLarge)
}
