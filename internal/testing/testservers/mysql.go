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

// mysqlVariable is the environment variable with the address of a running server.
const mysqlVariable = "HEADWATER_TEST_MYSQL"

const mysqlImage = "mariadb:11.4.5"

// MySQL returns the address of a MariaDB server, host:port, on which the user root needs no
// password: the one in HEADWATER_TEST_MYSQL, otherwise one that it starts for this
// process, in a container if Docker runs and otherwise from installed or downloaded
// programs. All tests share the server, so each test uses databases of its own. If there is
// no server, the test fails; under -short it is skipped.
func MySQL(t testing.TB) string {
	t.Helper()
	if address := os.Getenv(mysqlVariable); address != "" {
		return address
	}
	if testing.Short() {
		t.Skip("needs MariaDB, which -short leaves out")
	}
	address, err := sharedMySQL()
	if err != nil {
		t.Fatalf("MariaDB cannot be started: %v", err)
	}
	return address
}

// sharedMySQL is started once in a process and ends with the process.
var sharedMySQL = sync.OnceValues(func() (string, error) {
	if dockerRuns() {
		return mysqlInContainer()
	}
	return startMySQL(filepath.Join(os.TempDir(), fmt.Sprintf("headwater-mariadb-%d", os.Getpid())))
})

func mysqlInContainer() (string, error) {
	return startContainer(testcontainers.ContainerRequest{
		Image: mysqlImage, ExposedPorts: []string{"3306/tcp"},
		Env: map[string]string{"MARIADB_ALLOW_EMPTY_ROOT_PASSWORD": "1"},
		Cmd: []string{"--performance-schema=ON"},
		// The image starts the server twice, the first time only to initialize the data and without a port.
		WaitingFor: wait.ForLog("port: 3306").WithStartupTimeout(startTimeout),
	}, "")
}

// startMySQL starts a server on a data directory, and returns when the server accepts
// connections.
func startMySQL(dir string) (string, error) {
	port, err := freePort()
	if err != nil {
		return "", err
	}
	server, err := launch(exec.Command(filepath.Join(Root(), "compose", "local", "mariadb.sh"), dir, fmt.Sprint(port)))
	if err != nil {
		return "", err
	}
	address := fmt.Sprintf("127.0.0.1:%d", port)
	return address, server.await(func() bool { return accepts(address) })
}
