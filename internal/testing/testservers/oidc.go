package testservers

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
)

// oidcVariable is the environment variable with the issuer of a running provider.
const oidcVariable = "HEADWATER_TEST_OIDC"

// OIDC returns the issuer of an identity provider (OpenID Connect) with the accounts and clients of
// access/oidc/testdata/provider/server.js: the one in HEADWATER_TEST_OIDC, otherwise one that it starts
// for this process. Under -short, and where npm is not installed, the test is skipped.
func OIDC(t testing.TB) string {
	t.Helper()
	if issuer := os.Getenv(oidcVariable); issuer != "" {
		return issuer
	}
	if testing.Short() {
		t.Skip("needs an identity provider, which -short leaves out")
	}
	if _, err := exec.LookPath("npm"); err != nil {
		t.Skip("needs an identity provider, which npm would install; npm is not installed")
	}
	issuer, err := sharedOIDC()
	if err != nil {
		t.Fatalf("the identity provider cannot be started: %v", err)
	}
	return issuer
}

// sharedOIDC is started once in a process and ends with the process.
var sharedOIDC = sync.OnceValues(func() (string, error) {
	port, err := freePort()
	if err != nil {
		return "", err
	}
	server, err := launch(exec.Command(filepath.Join(Root(), "compose", "local", "oidc.sh"), fmt.Sprint(port)))
	if err != nil {
		return "", err
	}
	issuer := fmt.Sprintf("http://127.0.0.1:%d", port)
	return issuer, server.await(func() bool { return answers(issuer + "/.well-known/openid-configuration") })
})
