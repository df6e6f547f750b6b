package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

func load(t *testing.T, file string, environ []string, args ...string) (*Server, error) {
	t.Helper()
	f := pflag.NewFlagSet("serve", pflag.ContinueOnError)
	Flags(f)
	if file != "" {
		path := filepath.Join(t.TempDir(), "settings.yaml")
		if err := os.WriteFile(path, []byte(file), 0o600); err != nil {
			t.Fatal(err)
		}
		args = append(args, "--config", path)
	}
	if err := f.Parse(args); err != nil {
		t.Fatal(err)
	}
	return Load(f, environ)
}

func TestPrecedence(t *testing.T) {
	file := "listen: file:1\nlog-format: json\nretention: 5\nmodel: [a.json, b.json]\n"
	for _, c := range []struct {
		name    string
		file    string
		environ []string
		args    []string
		want    string
	}{
		{"default", "", nil, nil, "127.0.0.1:8080"},
		{"file", file, nil, nil, "file:1"},
		{"environment over file", file, []string{"HEADWATER_LISTEN=env:1"}, nil, "env:1"},
		{"flag over both", file, []string{"HEADWATER_LISTEN=env:1"}, []string{"--listen", "flag:1"}, "flag:1"},
		{"other variables", "", []string{"HEADWATER_TEST_NEO4J=x", "LISTEN=y"}, nil, "127.0.0.1:8080"},
	} {
		s, err := load(t, c.file, c.environ, c.args...)
		if err != nil || s.Listen != c.want {
			t.Errorf("%s: %+v %v, want %s", c.name, s, err, c.want)
		}
	}
	s, err := load(t, file, []string{"HEADWATER_SHUTDOWN_TIMEOUT=3s"})
	if err != nil || s.Retention != 5 || s.LogFormat != "json" || len(s.Model) != 2 || s.ShutdownTimeout.Seconds() != 3 {
		t.Errorf("%+v %v", s, err)
	}
	if s, err = load(t, "", []string{"HEADWATER_MODEL=a.json,b.json"}); err != nil || len(s.Model) != 2 {
		t.Errorf("%+v %v", s, err)
	}
}

func TestMistakes(t *testing.T) {
	for name, c := range map[string]struct {
		file string
		args []string
		says string
	}{
		"unknown key": {"lisen: x", nil, `"lisen" (did you mean listen?)`}, "no YAML": {"[", nil, "settings"}, "level": {"", []string{"--log-level", "loud"}, "log-level"},
		"tls": {"", []string{"--tls-cert", "x"}, "set together"}, "graph": {"", []string{"--graph", "http://u:hidden@h"}, "graph must be"},
		"lineage-ending": {"", []string{"--lineage-ending", "3"}, "lineage-ending must be 0"}, "lineage-ending without fading": {"", []string{"--lineage-ending", "3", "--lineage-fading", "0"}, "lineage-fading"},
		"lineage-ending beyond the history": {"", []string{"--lineage-ending", "51"}, "at most 50 runs"},
		"origin":                            {"", []string{"--trusted-origins", "https://a.example/path"}, "trusted-origins"},
		"host":                              {"", []string{"--allowed-hosts", "a.example:8080"}, "allowed-hosts"},
		"time-out":                          {"", []string{"--request-timeout", "0s"}, "timeouts"},
		"readers":                           {"", []string{"--readers", "-1"}, "readers"}, "walks": {"walks: 0", nil, "walks"},
		"changes-age": {"", []string{"--changes-age", "-1s"}, "changes-age"}, "changes-kept": {"", []string{"--changes-kept", "-1"}, "changes-kept"},
		"caller-rate": {"", []string{"--caller-rate", "-1"}, "caller-rate"}, "caller-requests": {"", []string{"--caller-requests", "0"}, "caller-requests"},
		"event-streams": {"", []string{"--event-streams", "0"}, "event-streams"}, "graph-pool": {"", []string{"--graph-pool", "7"}, "graph-pool"},
		"sql-prefer": {"", []string{"--sql-prefer", "ours", "--sql-derive", "on"}, "sql-prefer must be client or own"}, "sql-prefer alone": {"sql-prefer: own", nil, "needs sql-derive on"},
		"search-memory": {"", []string{"--search-memory", "1000"}, "search-memory"},
		"graph-browser": {"", []string{"--graph", "bolt://h", "--graph-browser", "http://u:hidden@h"}, "graph-browser"},
	} {
		_, err := load(t, c.file, nil, c.args...)
		if err == nil || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "hidden") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestNeo4jAddress(t *testing.T) {
	s, err := load(t, "", nil, "--graph", "neo4j+s://me:pa%40ss@host:7687/graph")
	if err != nil {
		t.Fatal(err)
	}
	n, err := s.Neo4j()
	if err != nil || n != (Neo4j{URI: "neo4j+s://host:7687", User: "me", Password: "pa@ss", Database: "graph"}) {
		t.Errorf("%+v %v", n, err)
	}
	if strings.Contains(s.GraphRedacted(), "pa") && strings.Contains(s.GraphRedacted(), "ss@") {
		t.Errorf("the password shows: %s", s.GraphRedacted())
	}
}

func TestNeo4jBrowser(t *testing.T) {
	for graph, want := range map[string]string{
		"bolt://me:secret@host:7687/graph": "http://host:7474/browser/",
		"neo4j+s://host":                   "https://host:7473/browser/",
		"neo4j://[::1]:7687":               "http://[::1]:7474/browser/",
	} {
		s, err := load(t, "", nil, "--graph", graph)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := s.Neo4jBrowser(); err != nil || got != want {
			t.Errorf("%s: %s %v, want %s", graph, got, err, want)
		}
	}
	s, err := load(t, "", nil, "--graph", "bolt://neo4j:7687", "--graph-browser", "https://graph.example/browser")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := s.Neo4jBrowser(); err != nil || got != "https://graph.example/browser/" {
		t.Errorf("%s %v", got, err)
	}
}
