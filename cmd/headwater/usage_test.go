package main

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestNextSteps: an error says what to do.
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
		{"lineag orders", exitUsage, `there is no command "lineag" (did you mean lineage?)`},
		{"lineag orders --hops 2", exitUsage, `there is no command "lineag" (did you mean lineage?)`},
		{"show orders", exitUsage, "(did you mean get?)"},
		{"run orders", exitUsage, "(did you mean runs, serve?)"},
		{"rm orders", exitUsage, "(did you mean delete?)"},
		{"xyzzy", exitUsage, `there is no command "xyzzy"; see headwater --help`},
		{"runs lst", exitUsage, `there is no command "runs lst" (did you mean list?); see headwater runs --help`},
		{"runs lst --limit 3", exitUsage, `there is no command "runs lst" (did you mean list?)`},
		{"lineage orders --downstrem", exitUsage, "unknown flag --downstrem (did you mean --downstream?); see headwater lineage --help"},
		{"lineage orders --hop=2", exitUsage, "(did you mean --hops?)"},
		{"lineage orders -z", exitUsage, "unknown flag -z"},
		{"--servr x", exitUsage, "unknown flag --servr"},
		{"lineage orders --hops two", exitUsage, `--hops must be a number, not "two"`},
		{"get orders --timeout soon", exitUsage, `--timeout must be a duration such as 30s or 5m, not "soon"`},
		{"lineage orders --hops", exitUsage, "see headwater lineage --help"},
		{"lineage", exitUsage, "an argument is missing: headwater lineage NAME"},
		{"get Ada Wren", exitUsage, "put a name with blanks or parentheses in quotes"},
		{"reindex all", exitUsage, "reindex takes no arguments"},
		{"get orders --server 127.0.0.1:1", exitUnreachable, "the server at http://127.0.0.1:1 cannot be reached: nothing listens there. Is `headwater serve` running? --server or HEADWATER_SERVER says where it is"},
		{"get orders --server ftp://x", exitUsage, "it begins with ftp://"},
		{"get orders --server localhost:port", exitUsage, "is not the address of a server"},
		{"serve --listen " + taken.Addr().String() + " --data " + filepath.Join(dir, "data"), exitFailure, "--listen takes another address"},
		{"serve --data " + filepath.Join(file, "x"), exitFailure, "--data names a directory"},
		{"serve --config " + settings, exitUsage, "line 2"},
		{"serve --graph neo4j://neo4j:secret@127.0.0.1:1 --listen 127.0.0.1:0", exitFailure, "is Neo4j running there?"},
	} {
		code, stdout, stderr := headwater(t, "", strings.Fields(c.args)...)
		if code != c.code || !strings.Contains(stdout+stderr, c.want) || strings.Contains(stderr, "secret") {
			t.Errorf("%s: exit %d, no %q in\n%s%s", c.args, code, c.want, stdout, stderr)
		}
	}
}
