package main

import (
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/cmd/headwater/internal/cli"
	"github.com/headwater-io/headwater/internal/testing/testcatalog"
	"github.com/headwater-io/headwater/rest"
)

func TestBrowser(t *testing.T) {
	server := httptest.NewServer(rest.New(rest.Options{Catalog: testcatalog.New(t), Neo4j: rest.Neo4j{
		Address: "neo4j://graph.example:7687", Database: "catalog", Browser: "http://graph.example:7474/browser/",
	}}))
	t.Cleanup(server.Close)
	dir := t.TempDir()
	code, out, errs := headwater(t, "", "browser", "--server", server.URL, "--write", dir)
	port := server.URL[strings.LastIndexByte(server.URL, ':'):]
	for _, text := range []string{
		"neo4j://graph.example:7687, catalog",
		"http://graph.example:7474/browser/?arg=http%3A%2F%2Flocalhost%3A" + port[1:] + "%2Fbrowser%2Fguide&cmd=play&db=catalog\n",
		":style http://localhost" + port + "/browser/style.grass\n", ":play http://localhost" + port + "/browser/guide\n",
	} {
		if code != cli.ExitOK || !strings.Contains(out, text) {
			t.Errorf("exit %d, %s%s; it lacks %s", code, out, errs, text)
		}
	}
	for name, contains := range map[string]string{
		"headwater.grass": "node.Dataset {", "guide.html": "<carousel", "queries.zip": "PK",
		"queries/Headwater find/01_find.cypher": "// Where is it, and what is its URN?\n",
	} {
		content, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil || !strings.Contains(string(content), contains) || !strings.Contains(out, filepath.Join(dir, name)) {
			t.Errorf("%s: %v %.80s", name, err, content)
		}
	}
	if code, out, _ := headwater(t, "", "browser", "--server", server.URL, "-o", "json"); code != cli.ExitOK || !strings.Contains(out, `"guide": "http://localhost`+port+`/browser/guide"`) {
		t.Errorf("exit %d, %s", code, out)
	}
}

// TestBrowserWithoutNeo4j: if the server uses the embedded store, the command fails,
// because there is no Neo4j to open.
func TestBrowserWithoutNeo4j(t *testing.T) {
	dir := t.TempDir()
	code, out, errs := headwater(t, "", "browser", "--server", newServer(t, nil), "--write", dir)
	if code != cli.ExitFailure || out != "" || !strings.Contains(errs, "embedded store") || !strings.Contains(errs, "--graph neo4j://") {
		t.Errorf("exit %d, %s%s", code, out, errs)
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) > 0 {
		t.Errorf("%v %v", files, err)
	}
}
