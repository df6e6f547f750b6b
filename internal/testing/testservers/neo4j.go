// Package testservers starts the real servers that tests run against.
package testservers

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	driver "github.com/neo4j/neo4j-go-driver/v5/neo4j"
	"github.com/testcontainers/testcontainers-go"
	"github.com/testcontainers/testcontainers-go/modules/neo4j"
)

// neo4jVariable is the environment variable with the address of a running server.
const neo4jVariable = "HEADWATER_TEST_NEO4J"

const neo4jImage = "neo4j:5.26-community"

// Neo4j returns the address of a Neo4j server without authentication: the one in
// HEADWATER_TEST_NEO4J, otherwise one that it starts for this process, in a container if
// Docker runs and otherwise from its jars. If there is no server, the test fails; under
// -short it is skipped.
func Neo4j(t testing.TB) string {
	t.Helper()
	if uri := os.Getenv(neo4jVariable); uri != "" {
		return uri
	}
	if testing.Short() {
		t.Skip("needs Neo4j, which -short leaves out")
	}
	server, err := shared()
	if err != nil {
		t.Fatalf("Neo4j cannot be started: %v", err)
	}
	return server.uri
}

// WipeNeo4j empties a database, including the record of the schema, so that the next store
// applies all migrations.
func WipeNeo4j(t testing.TB, uri string) {
	t.Helper()
	if err := wipe(context.Background(), uri); err != nil {
		t.Fatal(err)
	}
}

func wipe(ctx context.Context, uri string) error {
	d, err := driver.NewDriverWithContext(uri, driver.NoAuth())
	if err != nil {
		return err
	}
	defer d.Close(ctx)
	session := d.NewSession(ctx, driver.SessionConfig{})
	defer session.Close(ctx)
	result, err := session.Run(ctx, "MATCH (n) CALL (n) { DETACH DELETE n } IN TRANSACTIONS OF 5000 ROWS", nil)
	if err == nil {
		_, err = result.Consume(ctx)
	}
	return err
}

// shared is taken or started once in a process, which frees it at its end.
var shared = sync.OnceValues(func() (taken, error) {
	if dockerRuns() {
		uri, err := inContainer()
		return taken{uri: uri}, err
	}
	if server, err := pooled(context.Background()); err != nil || server.uri != "" {
		return server, err
	}
	server, err := StartNeo4j(filepath.Join(os.TempDir(), fmt.Sprintf("headwater-neo4j-%d", os.Getpid())), 0)
	if err != nil {
		return taken{}, err
	}
	return taken{uri: server.URI}, nil
})

func dockerRuns() bool {
	provider, err := testcontainers.NewDockerProvider()
	if err != nil {
		return false
	}
	defer provider.Close()
	return provider.Health(context.Background()) == nil
}

// inContainer starts a server in a container, which the reaper of testcontainers removes.
func inContainer() (string, error) {
	ctx := context.Background()
	container, err := neo4j.Run(ctx, neo4jImage, neo4j.WithoutAuthentication())
	if err != nil {
		return "", err
	}
	return container.BoltUrl(ctx)
}

// Server is a Neo4j server from its jars, which a test can stop and start.
type Server struct {
	URI  string
	port int
	dir  string
	*process
}

// StartNeo4j starts Neo4j on a data directory and a port, and returns when it answers; port
// 0 means any free port. The server ends at the latest with this process.
func StartNeo4j(dir string, port int) (*Server, error) {
	if port == 0 {
		var err error
		if port, err = freePort(); err != nil {
			return nil, err
		}
	}
	s := &Server{URI: fmt.Sprintf("bolt://127.0.0.1:%d", port), port: port, dir: dir}
	return s, s.Start()
}

// Start starts the server after Kill.
func (s *Server) Start() error {
	cmd := exec.Command(filepath.Join(Root(), "compose", "local", "neo4j.sh"), s.dir, fmt.Sprint(s.port), "false")
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if s.process, err = launch(cmd); err != nil {
		return err
	}
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if strings.HasPrefix(lines.Text(), "ready") {
			return nil
		}
	}
	return fmt.Errorf("the server ended before it was ready: %s", s.log)
}

// Kill ends the server at once, as a crash would.
func (s *Server) Kill() { s.kill() }

func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}

// Root returns the directory of the repository.
func Root() string {
	_, file, _, _ := runtime.Caller(0)
	return filepath.Join(filepath.Dir(file), "..", "..", "..")
}
