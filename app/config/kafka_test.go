package config

import (
	"slices"
	"strings"
	"testing"
)

func TestKafka(t *testing.T) {
	for _, c := range []struct {
		name    string
		environ []string
		args    []string
		want    []string
		err     string
	}{
		{"none", nil, nil, nil, ""},
		{"an empty variable", []string{"HEADWATER_KAFKA="}, nil, nil, ""},
		{"two in a variable", []string{"HEADWATER_KAFKA=a:9092,b:9092"}, nil, []string{"a:9092", "b:9092"}, ""},
		{"two in a flag", nil, []string{"--kafka", "a:1,[::1]:2"}, []string{"a:1", "[::1]:2"}, ""},
		{"no port", nil, []string{"--kafka", "broker"}, nil, "is not host:port"},
		{"a URL", nil, []string{"--kafka", "kafka://a:9092"}, nil, "is not host:port"},
		{"a port that is none", nil, []string{"--kafka", "a:70000"}, nil, "is not host:port"},
		{"no group", nil, []string{"--kafka-group", ""}, nil, "kafka-group must not be empty"},
		{"a format that is none", nil, []string{"--kafka-format", "xml"}, nil, "kafka-format must be avro or json"},
		{"a prefix that no topic has", nil, []string{"--kafka-topic-prefix", "a b"}, nil, "kafka-topic-prefix"},
		{"all of TLS", nil, []string{"--kafka-tls", "--kafka-ca", "a", "--kafka-cert", "b", "--kafka-key", "c", "--kafka-server-name", "d"}, nil, ""},
		{"an authority without TLS", nil, []string{"--kafka-ca", "a"}, nil, "kafka-ca needs kafka-tls"},
		{"a certificate without TLS", nil, []string{"--kafka-cert", "a", "--kafka-key", "b"}, nil, "kafka-key needs kafka-tls"},
		{"a name without TLS", nil, []string{"--kafka-server-name", "a"}, nil, "kafka-server-name needs kafka-tls"},
		{"a certificate without key", nil, []string{"--kafka-tls", "--kafka-cert", "a"}, nil, "must be set together"},
		{"a login with a variable", []string{"HEADWATER_KAFKA_PASSWORD=s3cret,s"}, []string{"--kafka-sasl", "scram-sha-512", "--kafka-user", "u"}, nil, ""},
		{"a login with a file", nil, []string{"--kafka-sasl", "PLAIN", "--kafka-user", "u", "--kafka-password-file", "f"}, nil, ""},
		{"a login that is none", nil, []string{"--kafka-sasl", "GSSAPI", "--kafka-user", "u", "--kafka-password", "p"}, nil, "must be one of PLAIN, SCRAM-SHA-256, SCRAM-SHA-512"},
		{"no user", nil, []string{"--kafka-sasl", "PLAIN", "--kafka-password", "p"}, nil, "needs kafka-user"},
		{"no password", nil, []string{"--kafka-sasl", "PLAIN", "--kafka-user", "u"}, nil, "either kafka-password or kafka-password-file"},
		{"two passwords", nil, []string{"--kafka-sasl", "PLAIN", "--kafka-user", "u", "--kafka-password", "s3cret", "--kafka-password-file", "f"}, nil, "either"},
		{"a password without login", nil, []string{"--kafka-password", "s3cret"}, nil, "need kafka-sasl"},
		{"a topic of events", nil, []string{"--kafka", "a:1", "--kafka-openlineage-topic", "openlineage.events"}, []string{"a:1"}, ""},
		{"a topic of events without brokers", nil, []string{"--kafka-openlineage-topic", "events"}, nil, "needs brokers"},
		{"a topic of events that is none", nil, []string{"--kafka", "a:1", "--kafka-openlineage-topic", "a b"}, nil, "is not the name of a topic"},
		{"a topic of events of the server", nil, []string{"--kafka", "a:1", "--kafka-topic-prefix", "x-", "--kafka-openlineage-topic", "x-MetadataChangeProposal_v1"}, nil, "for something else"},
		{"replicas without brokers", nil, []string{"--kafka-replicas"}, nil, "kafka-replicas needs brokers"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := load(t, "", c.environ, c.args...)
			if c.err != "" {
				if err == nil || !strings.Contains(err.Error(), c.err) {
					t.Fatalf("%v, want %q", err, c.err)
				}
				if strings.Contains(err.Error(), "s3cret") {
					t.Errorf("the password is shown: %v", err)
				}
				return
			}
			if err != nil || !slices.Equal(s.Kafka, c.want) {
				t.Errorf("%v, %v", s.Kafka, err)
			}
		})
	}
}

func TestSource(t *testing.T) {
	for _, c := range []struct {
		address, want, prefix, err string
		brokers                    []string
	}{
		{address: "http://a:8080/", want: "http://a:8080"},
		{address: "ftp://a", err: "kafka://host:port"},
		{address: "kafka://a:9092", want: "kafka://a:9092", brokers: []string{"a:9092"}},
		{address: "kafka://a:1,[::1]:2/prod./", want: "kafka://a:1,[::1]:2/prod.", brokers: []string{"a:1", "[::1]:2"}, prefix: "prod."},
		{address: "kafka://", err: "is not host:port"},
		{address: "kafka://a", err: "is not host:port"},
		{address: "kafka://a:1/x/y", err: "prefix of the topic"},
	} {
		got, err := Source(c.address)
		if c.err != "" {
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%s: %v, want %q", c.address, err, c.err)
			}
			continue
		}
		brokers, prefix, is := KafkaSource(got)
		if err != nil || got != c.want || !slices.Equal(brokers, c.brokers) || prefix != c.prefix || is != (c.brokers != nil) {
			t.Errorf("%s: %s, %v, %q, %t, %v", c.address, got, brokers, prefix, is, err)
		}
	}
}
