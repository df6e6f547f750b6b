package testservers

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/testcontainers/testcontainers-go"
	"github.com/testcontainers/testcontainers-go/wait"
)

// typesenseVariable is the environment variable with the address of a running server.
const typesenseVariable = "HEADWATER_TEST_TYPESENSE"

const typesenseImage = "typesense/typesense:0.24.1"

// TypesenseKey is the API key of the servers of this package.
const TypesenseKey = "headwater-test"

// Typesense returns the address of a Typesense server with the key TypesenseKey: the one in
// HEADWATER_TEST_TYPESENSE, otherwise one that it starts for this process, in a container
// if Docker runs and otherwise from its binary. If there is no server, the test fails;
// under -short it is skipped.
func Typesense(t testing.TB) string {
	t.Helper()
	if address := os.Getenv(typesenseVariable); address != "" {
		return address
	}
	if testing.Short() {
		t.Skip("needs Typesense, which -short leaves out")
	}
	address, err := sharedTypesense()
	if err != nil {
		t.Fatalf("Typesense cannot be started: %v", err)
	}
	return address
}

// sharedTypesense is started once in a process and ends with the process.
var sharedTypesense = sync.OnceValues(func() (string, error) {
	if dockerRuns() {
		return typesenseInContainer()
	}
	node := &TypesenseNode{Dir: filepath.Join(os.TempDir(), fmt.Sprintf("headwater-typesense-%d", os.Getpid()))}
	return node.Address(), node.Start()
})

func typesenseInContainer() (string, error) {
	return startContainer(testcontainers.ContainerRequest{
		Image: typesenseImage, ExposedPorts: []string{"8108/tcp"},
		Cmd:        []string{"--data-dir", "/tmp", "--api-key", TypesenseKey},
		WaitingFor: wait.ForHTTP("/health").WithPort("8108/tcp"),
	}, "http")
}

// TypesenseNode is a Typesense server from its binary, which a test can kill and start
// again.
type TypesenseNode struct {
	Dir string
	// Nodes is the file that lists the nodes of a cluster, "" for a single node.
	Nodes string

	port, peering int
	*process
}

// Address returns the node's URL. The first call chooses the node's ports.
func (n *TypesenseNode) Address() string {
	n.choosePorts()
	return fmt.Sprintf("http://127.0.0.1:%d", n.port)
}

// Peer returns the node's entry in a file of nodes.
func (n *TypesenseNode) Peer() string {
	n.choosePorts()
	return fmt.Sprintf("127.0.0.1:%d:%d", n.peering, n.port)
}

func (n *TypesenseNode) choosePorts() {
	for _, port := range []*int{&n.port, &n.peering} {
		if *port == 0 {
			*port, _ = freePort() // without a free port, the start fails
		}
	}
}

// Launch starts the node without waiting for it, because the nodes of a cluster need each
// other to become healthy.
func (n *TypesenseNode) Launch() error {
	n.choosePorts()
	args := []string{n.Dir, fmt.Sprint(n.port), fmt.Sprint(n.peering), TypesenseKey}
	if n.Nodes != "" {
		args = append(args, n.Nodes)
	}
	var err error
	n.process, err = launch(exec.Command(filepath.Join(Root(), "compose", "local", "typesense.sh"), args...))
	return err
}

// Start starts the node and waits until it is healthy.
func (n *TypesenseNode) Start() error {
	if err := n.Launch(); err != nil {
		return err
	}
	return n.Await()
}

// Await waits until the node is healthy.
func (n *TypesenseNode) Await() error {
	return n.await(func() bool { return answers(n.Address() + "/health") })
}

// Stop ends the node if it runs.
func (n *TypesenseNode) Stop() {
	if n.process != nil {
		n.kill()
	}
}

// Kill ends the node at once, as a crash would.
func (n *TypesenseNode) Kill() { n.kill() }
