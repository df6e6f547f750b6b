package app

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/spf13/pflag"

	"github.com/headwater-io/headwater/app/config"
	"github.com/headwater-io/headwater/internal/testing/testclock"
)

// reloading is a running server and its settings file, which a test changes.
type reloading struct {
	t     *testing.T
	dir   string
	url   string
	asked chan os.Signal
	mu    sync.Mutex
	log   bytes.Buffer
}

func (r *reloading) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.log.Write(p)
}

func (r *reloading) read() (*config.Server, error) {
	flags := pflag.NewFlagSet("serve", pflag.ContinueOnError)
	config.Flags(flags)
	args := []string{"--listen", "127.0.0.1:0", "--data", filepath.Join(r.dir, "data"), "--config", filepath.Join(r.dir, "headwater.yaml"), "--platforms=false"}
	if err := flags.Parse(args); err != nil {
		return nil, err
	}
	return config.Load(flags, nil)
}

func (r *reloading) write(name, text string) {
	r.t.Helper()
	if err := os.WriteFile(filepath.Join(r.dir, name), []byte(text), 0o600); err != nil {
		r.t.Fatal(err)
	}
}

// certify writes a new certificate and its key to the files that the settings name.
func (r *reloading) certify() {
	r.t.Helper()
	certFile, keyFile := certificate(r.t)
	for to, from := range map[string]string{"cert.pem": certFile, "key.pem": keyFile} {
		text, err := os.ReadFile(from)
		if err != nil {
			r.t.Fatal(err)
		}
		r.write(to, string(text))
	}
}

// reload makes the server read its settings again, and returns the log line about it.
func (r *reloading) reload() (line struct {
	Msg, Error  string
	Files       []string
	TakesEffect []string `json:"takes_effect"`
	Restart     []string `json:"needs_restart"`
},
) {
	r.t.Helper()
	r.mu.Lock()
	r.log.Reset()
	r.mu.Unlock()
	r.asked <- syscall.SIGHUP
	testclock.Await(r.t, "the settings are read again", func() bool {
		r.mu.Lock()
		defer r.mu.Unlock()
		for text := range strings.Lines(r.log.String()) {
			if strings.Contains(text, "read again") && strings.HasSuffix(text, "\n") {
				if strings.Contains(text, "s3cret") {
					r.t.Errorf("a secret is logged: %s", text)
				}
				return json.Unmarshal([]byte(text), &line) == nil
			}
		}
		return false
	})
	return line
}

// start runs the server until the end of the test.
func (r *reloading) start() {
	r.t.Helper()
	first, err := r.read()
	if err != nil {
		r.t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	out, in := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		err := Run(ctx, first, Build{}, Reload{Asked: r.asked, Read: r.read}, in, r)
		_ = in.CloseWithError(io.ErrUnexpectedEOF)
		ended <- err
	}()
	r.t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			r.t.Error(err)
		}
	})
	var listening struct{ URL string }
	if err := json.NewDecoder(out).Decode(&listening); err != nil {
		r.t.Fatal(err)
	}
	r.url = listening.URL
}

// shown returns the certificate that the server shows.
func (r *reloading) shown() string {
	r.t.Helper()
	conn, err := tls.Dial("tcp", strings.TrimPrefix(r.url, "https://"), &tls.Config{InsecureSkipVerify: true}) //nolint:gosec // a certificate of the test
	if err != nil {
		r.t.Fatal(err)
	}
	defer conn.Close()
	return string(conn.ConnectionState().PeerCertificates[0].Raw)
}

// TestCertificateChanges: a certificate whose files changed is shown without a signal. A new
// certificate that cannot be used is logged once, and the former certificate is still shown.
func TestCertificateChanges(t *testing.T) {
	r := &reloading{t: t, dir: t.TempDir(), asked: make(chan os.Signal, 1)}
	r.certify()
	r.write("headwater.yaml", "log-format: json\ntls-cert: "+filepath.Join(r.dir, "cert.pem")+"\ntls-key: "+filepath.Join(r.dir, "key.pem")+"\n")
	r.start()
	before := r.shown()
	r.certify()
	after := r.shown()
	if before == after {
		t.Error("the old certificate is shown")
	}
	r.write("cert.pem", "no certificate")
	for range 3 {
		if r.shown() != after {
			t.Error("a file that is no certificate changes the one that is shown")
		}
	}
	r.mu.Lock()
	if n := strings.Count(r.log.String(), "the changed certificate cannot be used"); n != 1 {
		t.Errorf("the bad certificate is logged %d times:\n%s", n, r.log.String())
	}
	r.mu.Unlock()
	r.certify()
	if is := r.shown(); is == before || is == after {
		t.Error("a good certificate after a bad one is not shown")
	}
}

// TestReload: settings that can take effect without a restart do so for later connections. At each reload,
// the log names the settings that need a restart. If a setting cannot be used, none takes effect.
func TestReload(t *testing.T) {
	r := &reloading{t: t, dir: t.TempDir(), asked: make(chan os.Signal, 1)}
	r.certify()
	r.write("model.json", `{"name":"own","version":"1","aspects":[],"entities":[]}`)
	tlsLines := "log-format: json\ntls-cert: " + filepath.Join(r.dir, "cert.pem") + "\ntls-key: " + filepath.Join(r.dir, "key.pem") + "\n"
	r.write("headwater.yaml", tlsLines)
	r.start()
	shown := r.shown
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, DisableKeepAlives: true}} //nolint:gosec // a certificate of the test
	status := func(method, path, host string) int {
		t.Helper()
		req, err := http.NewRequestWithContext(t.Context(), method, r.url+path, strings.NewReader("{}"))
		if err != nil {
			t.Fatal(err)
		}
		req.Host = host
		resp, err := client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		return resp.StatusCode
	}
	expect := func(what string, effect, restart []string) {
		t.Helper()
		line := r.reload()
		if line.Error != "" || !slices.Equal(line.TakesEffect, effect) || !slices.Equal(line.Restart, restart) || !slices.Contains(line.Files, filepath.Join(r.dir, "headwater.yaml")) {
			t.Errorf("%s: %+v, want %q, and %q after a restart", what, line, effect, restart)
		}
	}

	expect("nothing has changed", nil, nil)
	before := shown()
	r.certify()
	expect("another certificate in the same files", []string{"tls-cert", "tls-key"}, nil)
	after := shown()
	if before == after {
		t.Error("the old certificate is shown")
	}
	r.write("cert.pem", "no certificate")
	if line := r.reload(); !strings.Contains(line.Error, "tls-cert") || shown() != after {
		t.Errorf("a certificate that is none: %+v", line)
	}
	r.write("headwater.yaml", "lisen: x\n")
	if line := r.reload(); !strings.Contains(line.Error, "did you mean listen") {
		t.Errorf("a setting that is none: %+v", line)
	}
	r.certify()
	r.write("headwater.yaml", tlsLines+"read-only: true\nallowed-hosts: [catalog.example]\nlog-level: debug\nretention: 5\ngraph: bolt://neo4j:s3cret@127.0.0.1:1\n")
	expect("some of each", []string{"allowed-hosts", "log-level", "read-only", "tls-cert", "tls-key"}, []string{"graph", "retention"})
	if got := status(http.MethodPost, "/aspects?action=ingestProposal", ""); got != http.StatusForbidden {
		t.Errorf("a write of a server that became read-only: %d", got)
	}
	if got := status(http.MethodGet, "/health", "catalog.example"); got != http.StatusOK {
		t.Errorf("a host that is allowed now: %d", got)
	}
	expect("what needs a restart is said again", nil, []string{"graph", "retention"})
	r.write("headwater.yaml", tlsLines+"model: ["+filepath.Join(r.dir, "model.json")+"]\n")
	expect("back again", []string{"allowed-hosts", "log-level", "read-only"}, []string{"model"})
	if got := status(http.MethodPost, "/aspects?action=ingestProposal", ""); got != http.StatusBadRequest {
		t.Errorf("a write of a server that is not read-only any more: %d", got)
	}
	if got := status(http.MethodGet, "/health", "catalog.example"); got != http.StatusForbidden {
		t.Errorf("a host that is not allowed any more: %d", got)
	}
	r.write("headwater.yaml", "log-format: json\n")
	expect("no encryption", nil, []string{"tls-cert", "tls-key"})
	if shown() == after {
		t.Error("the certificate is not the last one that was used")
	}
}

// TestReadOnlySample: a server that is read-only from its start contains exactly the sample catalog.
func TestReadOnlySample(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	out, in := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		err := Run(ctx, settings(t, "--sample", "--read-only"), Build{}, Reload{}, in, io.Discard)
		_ = in.CloseWithError(io.ErrUnexpectedEOF)
		ended <- err
	}()
	line := make([]byte, 200)
	n, err := out.Read(line)
	if err != nil {
		t.Fatal(err, <-ended)
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	url := strings.TrimPrefix(strings.TrimSpace(string(line[:n])), "listening on ")
	for urn, want := range map[string]int{"urn:li:tag:PII": http.StatusOK, "urn:li:dataPlatform:oracle": http.StatusNotFound} {
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, url+"/openapi/v3/entity/"+strings.Split(urn, ":")[2]+"/"+urn, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != want {
			t.Errorf("%s: %d, want %d", urn, resp.StatusCode, want)
		}
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
