// Command headwater is the metadata catalog: the server and its command line.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// version and commit are set by the build of a release.
var version, commit = "dev", ""

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}
