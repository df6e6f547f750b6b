package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/cmd/headwater/internal/cli"
)

// TestCopyTokens: the source's token is sent only to the source, and is not in the output.
// The token comes from a file or from the environment.
func TestCopyTokens(t *testing.T) {
	const sourceToken, ownToken = "secret-of-the-source", "secret-of-the-server"
	wanted := map[string]string{}
	check := func(side string) func(w http.ResponseWriter, r *http.Request) bool {
		return func(w http.ResponseWriter, r *http.Request) bool {
			if wanted[side] == "" || r.Header.Get("Authorization") == "Bearer "+wanted[side] {
				return false
			}
			w.WriteHeader(http.StatusUnauthorized)
			return true
		}
	}
	from, to := newServer(t, check("source")), newServer(t, check("server"))
	if code, out, errs := headwater(t, record(1), "ingest", "-", "--server", from); code != cli.ExitOK {
		t.Fatal(out + errs)
	}
	wanted["source"], wanted["server"] = sourceToken, ownToken
	file := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(file, []byte(sourceToken+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, env string
		args      []string
		code      int
		says      string
	}{
		{"no token", "", nil, cli.ExitFailure, "HEADWATER_SOURCE_TOKEN or the file of --source-token-file is the access token"},
		{"a wrong token", "wrong-secret", nil, cli.ExitFailure, "access is refused"},
		{"the environment", sourceToken, nil, cli.ExitOK, "1 entity of 1 type compared"},
		{"a file", "wrong-secret", []string{"--source-token-file", file}, cli.ExitOK, "0 aspects and 0 time-series values written"},
		{"no file", "", []string{"--source-token-file", file + ".none"}, cli.ExitUsage, "no such file"},
		{"an empty file", "", []string{"--source-token-file", os.DevNull}, cli.ExitUsage, "does not contain one access token"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Setenv("HEADWATER_SOURCE_TOKEN", c.env)
			code, out, errs := headwater(t, "", append([]string{"copy", from, "--server", to, "--token", ownToken}, c.args...)...)
			if code != c.code || !strings.Contains(out+errs, c.says) || strings.Contains(out+errs, "secret") {
				t.Errorf("exit %d: %s%s; want %d with %q", code, out, errs, c.code, c.says)
			}
		})
	}
}

// TestCopyDifferences: a copy with differences has an exit code of its own. A file can
// receive all differences.
func TestCopyDifferences(t *testing.T) {
	lying := false
	from := newServer(t, func(w http.ResponseWriter, r *http.Request) bool {
		if lying && r.URL.Query().Get("action") == "getCount" {
			fmt.Fprint(w, `{"value":7}`)
			return true
		}
		return false
	})
	to := newServer(t, nil)
	if code, out, errs := headwater(t, record(1)+record(2), "ingest", "-", "--server", from); code != cli.ExitOK {
		t.Fatal(out + errs)
	}
	differences := filepath.Join(t.TempDir(), "differences.jsonl")
	lying = true
	code, out, errs := headwater(t, "", "copy", from, "--server", to, "--differences", differences)
	text, err := os.ReadFile(differences)
	if lines := strings.Count(string(text), "\n"); code != cli.ExitPartial || err != nil || lines < 2 || !strings.Contains(errs, fmt.Sprintf("the source has: %d differences", lines)) ||
		!strings.Contains(errs, "tag tagProperties: the source counts 7 values, and 2 were read") {
		t.Errorf("exit %d %v: %s%s%s", code, err, out, errs, text)
	}
	var first struct{ Type, Message string }
	if line, _, _ := strings.Cut(string(text), "\n"); json.Unmarshal([]byte(line), &first) != nil || first.Type != "tag" || first.Message == "" {
		t.Errorf("the first difference is %s", text)
	}
	lying = false
	for name, c := range map[string]struct {
		args []string
		code int
		says string
	}{
		"none any more":       {[]string{from}, cli.ExitOK, "0 differences"},
		"another scheme":      {[]string{"file:///etc/passwd"}, cli.ExitUsage, "it begins with file://, not with http:// or https://"},
		"the server itself":   {[]string{to}, cli.ExitUsage, "the server at --server itself"},
		"not a service":       {[]string{from + "/docs"}, cli.ExitFailure, "metadata service"},
		"no directory":        {[]string{from, "--differences", "/no/such/directory/x"}, cli.ExitUsage, "no such file"},
		"a password in vain":  {[]string{"http://me:secret@" + strings.TrimPrefix(to, "http://")}, cli.ExitUsage, "the server at --server itself"},
		"two sources at once": {[]string{from, to}, cli.ExitUsage, "arg"},
	} {
		t.Run(name, func(t *testing.T) {
			code, out, errs := headwater(t, "", append([]string{"copy", "--server", to}, c.args...)...)
			if code != c.code || !strings.Contains(out+errs, c.says) || strings.Contains(out+errs, "secret") {
				t.Errorf("exit %d: %s%s; want %d with %q", code, out, errs, c.code, c.says)
			}
		})
	}
}
