package testservers

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

// mysqlVariable is the environment variable with the address of a running server.
const mysqlVariable = "HEADWATER_TEST_MYSQL"

// MySQL returns the address of a MariaDB server, host:port, on which the user root needs no
// password: the one in HEADWATER_TEST_MYSQL, otherwise one that it starts for this process
// from Debian's package mariadb-server. All tests share the server, so each test uses
// databases of its own. If there is no server, the test fails; under -short it is skipped.
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
	return startMySQL(filepath.Join(os.TempDir(), fmt.Sprintf("headwater-mariadb-%d", os.Getpid())))
})

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
	for deadline := time.Now().Add(startTimeout); time.Now().Before(deadline); {
		select {
		case <-server.gone:
			return "", fmt.Errorf("the server ended before it was ready: %s", server.log)
		case <-time.After(100 * time.Millisecond):
		}
		if conn, err := net.Dial("tcp", address); err == nil {
			return address, conn.Close()
		}
	}
	server.kill()
	return "", fmt.Errorf("the server is not ready after %s", startTimeout)
}
