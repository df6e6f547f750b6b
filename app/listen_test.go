package app

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"

	"github.com/headwater-io/headwater/app/config"
)

func settings(t *testing.T, args ...string) *config.Server {
	t.Helper()
	flags := pflag.NewFlagSet("serve", pflag.ContinueOnError)
	config.Flags(flags)
	if err := flags.Parse(append([]string{"--listen", "127.0.0.1:0", "--data", t.TempDir()}, args...)); err != nil {
		t.Fatal(err)
	}
	s, err := config.Load(flags, nil)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// certificate writes a certificate for this machine and its key to files.
func certificate(t *testing.T) (certFile, keyFile string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	keyDER, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	certFile, keyFile = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	for path, block := range map[string]*pem.Block{certFile: {Type: "CERTIFICATE", Bytes: der}, keyFile: {Type: "PRIVATE KEY", Bytes: keyDER}} {
		if err := os.WriteFile(path, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return certFile, keyFile
}

// TestNotListening: a server that cannot open its port never reports that it listens.
func TestNotListening(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	certFile, keyFile := certificate(t)
	_, otherKey := certificate(t)
	for name, args := range map[string][]string{
		"no such certificate": {"--tls-cert", filepath.Join(t.TempDir(), "none.pem"), "--tls-key", keyFile},
		"another key":         {"--tls-cert", certFile, "--tls-key", otherKey},
		"a port that is used": {"--listen", taken.Addr().String()},
	} {
		var stdout bytes.Buffer
		if err := Run(t.Context(), settings(t, args...), Build{}, Reload{}, &stdout, io.Discard); err == nil || stdout.Len() > 0 {
			t.Errorf("%s: %v, %q", name, err, stdout.String())
		}
	}
}

// TestListening: a server that reports that it listens can be reached, also with HTTP/2. On
// a loopback address it refuses host names that are not its own.
func TestListening(t *testing.T) {
	certFile, keyFile := certificate(t)
	ctx, stop := context.WithCancel(t.Context())
	out, in := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		err := Run(ctx, settings(t, "--tls-cert", certFile, "--tls-key", keyFile), Build{}, Reload{}, in, io.Discard)
		_ = in.CloseWithError(io.ErrUnexpectedEOF)
		ended <- err
	}()
	defer func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}()
	line := make([]byte, 200)
	n, err := out.Read(line)
	if err != nil {
		t.Fatal(err)
	}
	url, ok := strings.CutPrefix(strings.TrimSpace(string(line[:n])), "listening on ")
	if !ok || !strings.HasPrefix(url, "https://127.0.0.1:") {
		t.Fatalf("%q", line[:n])
	}
	client := &http.Client{Transport: &http.Transport{ForceAttemptHTTP2: true, TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}} //nolint:gosec // a certificate of the test
	for host, want := range map[string]int{"": http.StatusOK, "localhost": http.StatusOK, "evil.example": http.StatusForbidden} {
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, url+"/health", http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		r.Host = host
		resp, err := client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != want || resp.ProtoMajor != 2 {
			t.Errorf("%q: %s %d", host, resp.Proto, resp.StatusCode)
		}
	}
	client.CloseIdleConnections()
}
