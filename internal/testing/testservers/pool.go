package testservers

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gofrs/flock"
)

// poolVariable is the environment variable with the directories of the servers of
// compose/local/with-neo4j-pool.sh.
const poolVariable = "HEADWATER_TEST_NEO4J_POOL"

// taken is a server that this process uses.
type taken struct {
	uri string
	// lock is the lock on a server of the pool; the process has it as long as it refers to it.
	lock *flock.Flock
}

// pooled takes a server of the pool for this process, and empties it: another process may have used
// it. While all servers are in use, pooled waits: a new server would spend as much time on its
// first plans as the tests of a package take. The result is empty if there is no pool.
func pooled(ctx context.Context) (taken, error) {
	var servers []string
	for _, dir := range filepath.SplitList(os.Getenv(poolVariable)) {
		if dir != "" {
			servers = append(servers, dir)
		}
	}
	for len(servers) > 0 {
		for _, dir := range servers {
			lock := flock.New(filepath.Join(dir, "lock"))
			locked, err := lock.TryLock()
			if err != nil {
				return taken{}, err
			}
			if !locked {
				continue
			}
			uri, err := addressIn(dir)
			if err != nil {
				return taken{}, err
			}
			return taken{uri, lock}, wipe(ctx, uri)
		}
		select {
		case <-ctx.Done():
			return taken{}, ctx.Err()
		case <-time.After(100 * time.Millisecond):
		}
	}
	return taken{}, nil
}

// addressIn waits until the server of a directory answers, and returns its address.
func addressIn(dir string) (string, error) {
	for deadline := time.Now().Add(startTimeout); time.Now().Before(deadline); <-time.After(50 * time.Millisecond) {
		said, err := os.ReadFile(filepath.Join(dir, "address"))
		if err != nil {
			return "", err
		}
		for line := range strings.Lines(string(said)) {
			if uri, ready := strings.CutPrefix(strings.TrimSpace(line), "ready "); ready {
				return uri, nil
			}
		}
	}
	log, err := os.ReadFile(filepath.Join(dir, "log"))
	return "", errors.Join(err, fmt.Errorf("the server of %s is not ready after %s: %s", dir, startTimeout, log))
}
