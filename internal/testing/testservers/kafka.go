package testservers

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/testcontainers/testcontainers-go/modules/kafka"
)

// kafkaVariable is the environment variable with the address of a running broker.
const kafkaVariable = "HEADWATER_TEST_KAFKA"

const kafkaImage = "confluentinc/confluent-local:7.9.0" // the image of Kafka 3.9

// Kafka returns the address of a Kafka broker, host:port: the one in HEADWATER_TEST_KAFKA,
// otherwise one that it starts for this process, in a container if Docker runs and
// otherwise from its jars. All tests share the broker, so each test uses topics of its own.
// If there is no broker, the test fails; under -short it is skipped.
func Kafka(t testing.TB) string {
	t.Helper()
	if address := os.Getenv(kafkaVariable); address != "" {
		return address
	}
	if testing.Short() {
		t.Skip("needs Kafka, which -short leaves out")
	}
	address, err := sharedKafka()
	if err != nil {
		t.Fatalf("Kafka cannot be started: %v", err)
	}
	return address
}

// sharedKafka is started once in a process and ends with the process.
var sharedKafka = sync.OnceValues(func() (string, error) {
	if dockerRuns() {
		return kafkaInContainer()
	}
	broker, err := StartKafka(filepath.Join(os.TempDir(), fmt.Sprintf("headwater-kafka-%d", os.Getpid())))
	if err != nil {
		return "", err
	}
	return broker.Address, nil
})

// kafkaInContainer starts a broker in a container, which the reaper of testcontainers
// removes.
func kafkaInContainer() (string, error) {
	ctx := context.Background()
	container, err := kafka.Run(ctx, kafkaImage)
	if err != nil {
		return "", err
	}
	brokers, err := container.Brokers(ctx)
	if err != nil {
		return "", err
	}
	if len(brokers) == 0 {
		return "", errors.New("the container has no broker")
	}
	return brokers[0], nil
}

// KafkaBroker is a Kafka broker from its jars, which a test can kill and start again.
type KafkaBroker struct {
	// Address is host:port. It is the same after every start.
	Address          string
	port, controller int
	dir              string
	// more is a file with further settings of the broker, "" for none.
	more string
	*process
}

// StartKafka starts a broker on a data directory, and returns when the broker answers. The
// broker ends at the latest with this process.
func StartKafka(dir string) (*KafkaBroker, error) {
	return startKafka(&KafkaBroker{dir: dir})
}

func startKafka(b *KafkaBroker) (*KafkaBroker, error) {
	for _, port := range []*int{&b.port, &b.controller} {
		var err error
		if *port, err = freePort(); err != nil {
			return nil, err
		}
	}
	b.Address = fmt.Sprintf("127.0.0.1:%d", b.port)
	return b, b.Start()
}

// Start starts the broker after Kill, and returns when the broker answers.
func (b *KafkaBroker) Start() error {
	script := filepath.Join(Root(), "compose", "local", "kafka.sh")
	var err error
	if b.process, err = launch(exec.Command(script, b.dir, fmt.Sprint(b.port), fmt.Sprint(b.controller), b.more)); err != nil {
		return err
	}
	return b.await(func() bool { return accepts(b.Address) })
}

// Kill ends the broker at once, as a crash would.
func (b *KafkaBroker) Kill() { b.kill() }
