package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/headwater-io/headwater/internal/testing/testclock"
	"github.com/headwater-io/headwater/internal/testing/testservers"
	"github.com/headwater-io/headwater/internal/testing/testsize"
)

// TestKafkaSecured: a server uses a Kafka that requires TLS and a login or a client
// certificate. If Kafka refuses the server, it names the reason, without the password.
func TestKafkaSecured(t *testing.T) {
	broker := testservers.SecureKafka(t)
	outside, err := kgo.NewClient(kgo.SeedBrokers(broker.Address), kgo.MetadataMinAge(100*time.Millisecond))
	if err != nil {
		t.Fatal(err)
	}
	defer outside.Close()
	admin := kadm.NewClient(outside)
	for _, mechanism := range []kadm.ScramMechanism{kadm.ScramSha256, kadm.ScramSha512} {
		user := kadm.UpsertSCRAM{User: broker.User, Mechanism: mechanism, Iterations: 4096, Password: broker.Password}
		if answers, err := admin.AlterUserSCRAMs(t.Context(), nil, []kadm.UpsertSCRAM{user}); err != nil || answers.Error() != nil {
			t.Fatal(err, answers)
		}
	}
	secret := filepath.Join(t.TempDir(), "password")
	wrong := filepath.Join(t.TempDir(), "wrong")
	for path, text := range map[string]string{secret: broker.Password + "\n", wrong: "s3cret-wrong"} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	login := func(mechanism, file, ca string) []string {
		return []string{
			"--kafka", broker.Login, "--kafka-tls", "--kafka-ca", ca, "--kafka-server-name", testservers.SecureName,
			"--kafka-sasl", mechanism, "--kafka-user", broker.User, "--kafka-password-file", file,
		}
	}
	for name, flags := range map[string][]string{
		"plain":    login("PLAIN", secret, broker.CA),
		"scram256": login("SCRAM-SHA-256", secret, broker.CA),
		"scram512": login("scram-sha-512", secret, broker.CA),
		"certificate": {
			"--kafka", broker.Certificate, "--kafka-tls", "--kafka-ca", broker.CA, "--kafka-server-name", testservers.SecureName,
			"--kafka-cert", broker.ClientCert, "--kafka-key", broker.ClientKey,
		},
	} {
		if slices.Contains([]string{"plain", "scram256"}, name) && testsize.Of(0, 1) == 0 {
			continue // only make soak runs these two mechanisms
		}
		t.Run(name, func(t *testing.T) {
			prefix := name + "."
			const proposals, log = "MetadataChangeProposal_v1", "MetadataChangeLog_Versioned_v1"
			s := start(t, append(flags, "--data", t.TempDir(), "--platforms=false", "--kafka-topic-prefix", prefix)...)
			value := fmt.Sprintf(`{"entityType":"dataset","entityUrn":%q,"aspectName":"datasetProperties","aspect":{"json":{"description":"secured"}}}`, kafkaTable(name, 1))
			testclock.Await(t, "the server makes the topics", func() bool {
				topics, err := admin.ListTopics(t.Context(), prefix+proposals)
				return err == nil && topics.Error() == nil
			})
			if err := outside.ProduceSync(t.Context(), &kgo.Record{Topic: prefix + proposals, Value: []byte(value)}).FirstErr(); err != nil {
				t.Fatal(err)
			}
			s.awaitDescription(kafkaTable(name, 1), "secured")
			testclock.Await(t, "the change is in Kafka", func() bool {
				ends, err := admin.ListEndOffsets(t.Context(), prefix+log)
				sum := int64(0)
				ends.Each(func(end kadm.ListedOffset) { sum += max(0, end.Offset) })
				return err == nil && sum > 0
			})
			s.stop()
		})
	}
	for name, c := range map[string]struct {
		flags []string
		says  string
	}{
		"another password":  {login("SCRAM-SHA-512", wrong, broker.CA), "SASL"},
		"another authority": {login("PLAIN", secret, broker.Other), "certificate signed by unknown authority"},
		"no login":          {[]string{"--kafka", broker.Login, "--kafka-tls", "--kafka-ca", broker.CA, "--kafka-server-name", testservers.SecureName}, "SASL"},
		"another name":      {login("PLAIN", secret, broker.CA)[:5], "127.0.0.1 because"},
	} {
		t.Run(name, func(t *testing.T) {
			s := start(t, append(c.flags, "--data", t.TempDir(), "--platforms=false", "--kafka-topic-prefix", "refused.")...)
			testclock.Await(t, "the log says "+c.says, func() bool { return strings.Contains(s.log.String(), c.says) })
			if strings.Contains(s.log.String(), "s3cret") {
				t.Errorf("the password is in the log: %s", s.log)
			}
			s.stop()
		})
	}
}
