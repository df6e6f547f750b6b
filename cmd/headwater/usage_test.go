package main

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/cmd/headwater/internal/cli"
)

// TestNextSteps: an error names the next step.
func TestNextSteps(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	dir := t.TempDir()
	settings, file := filepath.Join(dir, "bad.yaml"), filepath.Join(dir, "file")
	for name, text := range map[string]string{settings: "listen: x\nretention: [\n", file: ""} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		args string
		code int
		want string
	}{
		{"lineag orders", cli.ExitUsage, `there is no command "lineag" (did you mean lineage?)`},
		{"lineag orders --hops 2", cli.ExitUsage, `there is no command "lineag" (did you mean lineage?)`},
		{"show orders", cli.ExitUsage, "(did you mean get?)"},
		{"run orders", cli.ExitUsage, "(did you mean runs, serve?)"},
		{"rm orders", cli.ExitUsage, "(did you mean delete?)"},
		{"xyzzy", cli.ExitUsage, `there is no command "xyzzy"; see headwater --help`},
		{"runs lst", cli.ExitUsage, `there is no command "runs lst" (did you mean list?); see headwater runs --help`},
		{"runs lst --limit 3", cli.ExitUsage, `there is no command "runs lst" (did you mean list?)`},
		{"lineage orders --downstrem", cli.ExitUsage, "unknown flag --downstrem (did you mean --downstream?); see headwater lineage --help"},
		{"lineage orders --hop=2", cli.ExitUsage, "(did you mean --hops?)"},
		{"lineage orders -z", cli.ExitUsage, "unknown flag -z"},
		{"--servr x", cli.ExitUsage, "unknown flag --servr"},
		{"lineage orders --hops two", cli.ExitUsage, `--hops must be a number, not "two"`},
		{"get orders --timeout soon", cli.ExitUsage, `--timeout must be a duration such as 30s or 5m, not "soon"`},
		{"lineage orders --hops", cli.ExitUsage, "see headwater lineage --help"},
		{"lineage", cli.ExitUsage, "an argument is missing: headwater lineage NAME"},
		{"get Ada Wren", cli.ExitUsage, "put a name with blanks or parentheses in quotes"},
		{"reindex all", cli.ExitUsage, "reindex takes no arguments"},
		{"get orders --server 127.0.0.1:1", cli.ExitUnreachable, "the server at http://127.0.0.1:1 cannot be reached: nothing listens there. Is `headwater serve` running? --server or HEADWATER_SERVER says where it is"},
		{"get orders --server ftp://x", cli.ExitUsage, "it begins with ftp://"},
		{"get orders --server localhost:port", cli.ExitUsage, "is not the address of a server"},
		{"serve --listen " + taken.Addr().String() + " --data " + filepath.Join(dir, "data"), cli.ExitFailure, "--listen takes another address"},
		{"serve --data " + filepath.Join(file, "x"), cli.ExitFailure, "--data names a directory"},
		{"serve --config " + settings, cli.ExitUsage, "line 2"},
		{"serve --graph neo4j://neo4j:secret@127.0.0.1:1 --listen 127.0.0.1:0", cli.ExitFailure, "is Neo4j running there?"},
	} {
		code, stdout, stderr := headwater(t, "", strings.Fields(c.args)...)
		if code != c.code || !strings.Contains(stdout+stderr, c.want) || strings.Contains(stderr, "secret") {
			t.Errorf("%s: exit %d, no %q in\n%s%s", c.args, code, c.want, stdout, stderr)
		}
	}
}
