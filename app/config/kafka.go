package config

import (
	"errors"
	"fmt"
	"net"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/headwater-io/headwater/kafka/wire"
)

// topicPrefix matches the prefixes that names of topics may have.
var topicPrefix = regexp.MustCompile(`^[A-Za-z0-9._-]{0,100}$`)

// kafkaLogins are the values of the setting kafka-sasl.
var kafkaLogins = []string{"PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"}

func (s *Server) checkKafka() []error {
	// A compose file may set an empty variable, which names no broker.
	s.Kafka = slices.DeleteFunc(s.Kafka, func(broker string) bool { return broker == "" })
	errs := append(checkBrokers(s.Kafka), s.checkKafkaSecurity()...)
	if s.KafkaGroup == "" {
		errs = append(errs, errors.New("kafka-group must not be empty"))
	}
	if !slices.Contains([]string{"avro", "json"}, s.KafkaFormat) {
		errs = append(errs, fmt.Errorf("kafka-format must be avro or json, not %q", s.KafkaFormat))
	}
	if s.KafkaReplicas && len(s.Kafka) == 0 {
		errs = append(errs, errors.New("kafka-replicas needs brokers; give them with --kafka"))
	}
	errs = append(errs, s.checkEventsTopic()...)
	return append(errs, checkPrefix("kafka-topic-prefix", s.KafkaPrefix)...)
}

// topicName matches the names that Kafka allows for a topic.
var topicName = regexp.MustCompile(`^[A-Za-z0-9._-]{1,249}$`)

// checkEventsTopic refuses a topic of OpenLineage events that cannot be read, and one that the server reads
// or writes as another topic.
func (s *Server) checkEventsTopic() []error {
	topic := s.KafkaEvents
	switch {
	case topic == "":
		return nil
	case len(s.Kafka) == 0:
		return []error{errors.New("kafka-openlineage-topic needs brokers; give them with --kafka")}
	case !topicName.MatchString(topic) || topic == "." || topic == "..":
		return []error{fmt.Errorf("kafka-openlineage-topic: %q is not the name of a topic: up to 249 ASCII letters, digits, dots, hyphens and underscores", topic)}
	case slices.ContainsFunc(wire.Topics(), func(own string) bool { return topic == s.KafkaPrefix+own }):
		return []error{fmt.Errorf("kafka-openlineage-topic: the server uses %s for something else", topic)}
	}
	return nil
}

func checkBrokers(brokers []string) (errs []error) {
	for _, broker := range brokers {
		host, port, err := net.SplitHostPort(broker)
		if number, invalid := strconv.ParseUint(port, 10, 16); err != nil || host == "" || invalid != nil || number == 0 {
			errs = append(errs, fmt.Errorf("kafka: %q is not host:port", broker))
		}
	}
	return errs
}

// checkKafkaSecurity refuses a setting that has no effect because another one is missing.
func (s *Server) checkKafkaSecurity() []error {
	var errs []error
	for _, given := range [][2]string{{"kafka-ca", s.KafkaCA}, {"kafka-cert", s.KafkaCert}, {"kafka-key", s.KafkaKey}, {"kafka-server-name", s.KafkaServerName}} {
		if given[1] != "" && !s.KafkaTLS {
			errs = append(errs, fmt.Errorf("%s needs kafka-tls", given[0]))
		}
	}
	if (s.KafkaCert == "") != (s.KafkaKey == "") {
		errs = append(errs, errors.New("kafka-cert and kafka-key must be set together"))
	}
	s.KafkaSASL = strings.ToUpper(s.KafkaSASL)
	switch {
	case s.KafkaSASL == "":
		if s.KafkaUser != "" || s.KafkaPassword != "" || s.KafkaPassFile != "" {
			errs = append(errs, fmt.Errorf("kafka-user and its password need kafka-sasl: one of %s", strings.Join(kafkaLogins, ", ")))
		}
	case !slices.Contains(kafkaLogins, s.KafkaSASL):
		errs = append(errs, fmt.Errorf("kafka-sasl must be one of %s, not %q", strings.Join(kafkaLogins, ", "), s.KafkaSASL))
	case s.KafkaUser == "":
		errs = append(errs, errors.New("kafka-sasl needs kafka-user"))
	case (s.KafkaPassword == "") == (s.KafkaPassFile == ""):
		errs = append(errs, errors.New("kafka-sasl needs either kafka-password or kafka-password-file"))
	}
	return errs
}

func checkPrefix(name, prefix string) []error {
	if topicPrefix.MatchString(prefix) {
		return nil
	}
	return []error{fmt.Errorf("%s may have up to 100 letters, digits and . _ -, not %q", name, prefix)}
}

// kafkaScheme is the beginning of the address of a topic to follow.
const kafkaScheme = "kafka://"

// KafkaSource splits the address of a topic to follow,
// kafka://host:port[,host:port…][/prefix], into the brokers and the prefix of the topic's
// name. It returns false for other addresses.
func KafkaSource(address string) (brokers []string, prefix string, is bool) {
	rest, is := strings.CutPrefix(address, kafkaScheme)
	if !is {
		return nil, "", false
	}
	hosts, prefix, _ := strings.Cut(rest, "/")
	return strings.Split(hosts, ","), prefix, true
}
