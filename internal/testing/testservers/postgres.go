package testservers

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/testcontainers/testcontainers-go"
	"github.com/testcontainers/testcontainers-go/wait"
)

// postgresVariable is the environment variable with the address of a running server.
const postgresVariable = "HEADWATER_TEST_POSTGRES"

const postgresImage = "postgres:16.9-alpine"

// Postgres returns the address of a PostgreSQL server, host:port, on which the user
// postgres needs no password: the one in HEADWATER_TEST_POSTGRES, otherwise one that it
// starts for this process, in a container if Docker runs and otherwise from installed or
// downloaded programs. All tests share the server, so each test uses a database of its own.
// If there is no server, the test fails; under -short it is skipped.
func Postgres(t testing.TB) string {
	t.Helper()
	if address := os.Getenv(postgresVariable); address != "" {
		return address
	}
	if testing.Short() {
		t.Skip("needs PostgreSQL, which -short leaves out")
	}
	address, err := sharedPostgres()
	if err != nil {
		t.Fatalf("PostgreSQL cannot be started: %v", err)
	}
	return address
}

// sharedPostgres is started once in a process and ends with the process.
var sharedPostgres = sync.OnceValues(func() (string, error) {
	if dockerRuns() {
		return postgresInContainer()
	}
	return startPostgres(filepath.Join(os.TempDir(), fmt.Sprintf("headwater-postgres-%d", os.Getpid())))
})

func postgresInContainer() (string, error) {
	return startContainer(testcontainers.ContainerRequest{
		Image: postgresImage, ExposedPorts: []string{"5432/tcp"},
		Env: map[string]string{"POSTGRES_HOST_AUTH_METHOD": "trust"},
		Cmd: []string{"postgres", "-c", "shared_preload_libraries=pg_stat_statements", "-c", "track_commit_timestamp=on"},
		// The image starts the server twice, the first time only to initialize the data.
		WaitingFor: wait.ForLog("database system is ready to accept connections").WithOccurrence(2),
	}, "")
}

// startPostgres starts a server on a data directory, and returns when the server accepts
// connections.
func startPostgres(dir string) (string, error) {
	port, err := freePort()
	if err != nil {
		return "", err
	}
	server, err := launch(exec.Command(filepath.Join(Root(), "compose", "local", "postgres.sh"), dir, fmt.Sprint(port)))
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("127.0.0.1:%d", port), server.await(func() bool {
		// The last line of postmaster.pid says whether the server accepts connections.
		status, _ := os.ReadFile(filepath.Join(dir, "data", "postmaster.pid")) // the file appears when the server starts
		return strings.HasSuffix(strings.TrimSpace(string(status)), "ready")
	})
}
