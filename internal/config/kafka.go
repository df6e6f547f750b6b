package config

import (
	"errors"
	"fmt"
	"net"
	"regexp"
	"slices"
	"strconv"
)

// topicPrefix is what the name of a topic may begin with.
var topicPrefix = regexp.MustCompile(`^[A-Za-z0-9._-]{0,100}$`)

func (s *Server) checkKafka() []error {
	var errs []error
	// An empty variable, such as that of a compose file, is no broker.
	s.Kafka = slices.DeleteFunc(s.Kafka, func(broker string) bool { return broker == "" })
	for _, broker := range s.Kafka {
		host, port, err := net.SplitHostPort(broker)
		if number, invalid := strconv.ParseUint(port, 10, 16); err != nil || host == "" || invalid != nil || number == 0 {
			errs = append(errs, fmt.Errorf("kafka: %q is not host:port", broker))
		}
	}
	if s.KafkaGroup == "" {
		errs = append(errs, errors.New("kafka-group must not be empty"))
	}
	if !slices.Contains([]string{"avro", "json"}, s.KafkaFormat) {
		errs = append(errs, fmt.Errorf("kafka-format must be avro or json, not %q", s.KafkaFormat))
	}
	if !topicPrefix.MatchString(s.KafkaPrefix) {
		errs = append(errs, fmt.Errorf("kafka-topic-prefix may have up to 100 letters, digits and . _ -, not %q", s.KafkaPrefix))
	}
	return errs
}
