package connect_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/kafka/connect"
)

// TestLoad: settings that cannot work are refused before anything connects. Settings that work
// are tested on a broker, in e2e.
func TestLoad(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	text, empty, secret, missing := file("text", "hello"), file("empty", "\r\n"), file("secret", "s3cret\n"), filepath.Join(dir, "missing")
	for name, c := range map[string]struct {
		settings connect.Settings
		options  int
		err      string
	}{
		"nothing":               {connect.Settings{}, 0, ""},
		"TLS":                   {connect.Settings{TLS: true}, 1, ""},
		"a login":               {connect.Settings{Mechanism: connect.Plain, User: "u", Password: "s3cret"}, 1, ""},
		"TLS and a login":       {connect.Settings{TLS: true, Mechanism: connect.ScramSHA512, User: "u", PasswordFile: secret}, 2, ""},
		"no authority":          {connect.Settings{TLS: true, CAFile: missing}, 0, "certificate authority: open"},
		"an authority in text":  {connect.Settings{TLS: true, CAFile: text}, 0, "has no certificate"},
		"no certificate":        {connect.Settings{TLS: true, CertFile: missing, KeyFile: text}, 0, "client certificate: open"},
		"a certificate in text": {connect.Settings{TLS: true, CertFile: text, KeyFile: text}, 0, "client certificate"},
		"no password file":      {connect.Settings{Mechanism: connect.ScramSHA256, User: "u", PasswordFile: missing}, 0, "password: open"},
		"an empty password":     {connect.Settings{Mechanism: connect.ScramSHA256, User: "u", PasswordFile: empty}, 0, "is empty"},
		"an unknown login":      {connect.Settings{Mechanism: "GSSAPI", User: "u", Password: "s3cret"}, 0, "is none of"},
	} {
		security, err := connect.Load(c.settings)
		if c.err == "" && err != nil || c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)) {
			t.Errorf("%s: %v, want %q", name, err, c.err)
		}
		if err != nil && strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%s: the password is shown: %v", name, err)
		}
		if err == nil && len(security.Options()) != c.options {
			t.Errorf("%s: %d options, want %d", name, len(security.Options()), c.options)
		}
	}
}
