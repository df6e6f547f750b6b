package serve

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"

	"github.com/headwater-io/headwater/app/config"
)

// startError adds the next step to an error of the server.
func startError(settings *config.Server, err error) error {
	if err == nil {
		return nil
	}
	text := err.Error()
	has := func(parts ...string) bool {
		for _, part := range parts {
			if strings.Contains(text, part) {
				return true
			}
		}
		return false
	}
	next := ""
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		next = fmt.Sprintf("something else listens on %s, perhaps another `headwater serve`; --listen takes another address, such as 127.0.0.1:8081", settings.Listen)
	case errors.Is(err, syscall.EADDRNOTAVAIL):
		next = "this machine does not have that address; --listen :8080 listens on all that it has (with --auth on)"
	case has("in use by another process"):
		next = "only one server can use a data directory: stop the other `headwater serve`, or choose another directory with --data"
	case settings.Graph == config.Embedded && (errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) || has("permission denied", "read-only file system", "readonly database", "mkdir ")):
		next = "--data names a directory that this user may write"
	case has("disk is full", "no space left"):
		next = "--data names a directory on a disk that has room"
	case has("Security.Unauthorized", "Security.AuthenticationRateLimit", "Security.CredentialsExpired"):
		next = "Neo4j refuses the user or password; --graph is neo4j://user:password@host:7687, with special characters percent-encoded"
	case settings.Graph != config.Embedded && has("ConnectivityError", "connection refused", "no such host", "i/o timeout"):
		next = "is Neo4j running there? --graph or HEADWATER_GRAPH says where it is; port 7687 is that of the Bolt protocol, not 7474"
	case settings.Search != config.Embedded && has("status: 401", "status: 403", "Forbidden", "Unauthorized", "x-typesense-api-key"):
		next = "Typesense refuses the key; --search is typesense://KEY@host:8108"
	case settings.Search != config.Embedded && has("search index") && has("connection refused", "no such host", "timeout", "deadline"):
		next = "is Typesense running there? --search or HEADWATER_SEARCH says where it is"
	default:
		return err
	}
	return fmt.Errorf("%w\n  %s", err, next)
}
