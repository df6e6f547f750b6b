package e2e

import (
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/internal/testing/testclock"
)

// TestProxy runs nginx with the configuration in docs/security.md: callers without a token
// are refused, a write has the actor of its token even if the caller names another, and
// imports are refused.
func TestProxy(t *testing.T) {
	nginx, err := exec.LookPath("nginx")
	if err != nil {
		t.Skip("nginx is not installed")
	}
	s := start(t, "--data", t.TempDir(), "--platforms=false", "--allowed-hosts", "catalog.example.com")
	proxy := &server{t: t, base: "http://" + freeAddress(t), log: s.log}
	runNginx(t, nginx, documentedProxy(t, s.base, proxy.base))
	awaitAnswer(t, proxy.base)

	const host = "catalog.example.com"
	for _, authorization := range []string{
		"", "Bearer wrong", "Bearer CHANGE-ME-NIGHTLY", "Bearer change-me-Nightly", "Bearer change-me-nightly2", "x Bearer change-me-nightly",
		"Basic d3Jvbmc6d3Jvbmc=", "Basic YWRHLNDYZW46Y2HHBMDLLW1L", "Basic ywrhlndyzw46y2hhbmdllw1l",
	} {
		if status := proxyRequest(t, proxy.base, host, "GET", "/entitiesV2/urn:li:tag:x", "", authorization); status != http.StatusUnauthorized {
			t.Errorf("%q: %d", authorization, status)
		}
	}
	for authorization, actor := range map[string]string{"Bearer change-me-nightly": "urn:li:corpuser:nightly", "Basic YWRhLndyZW46Y2hhbmdlLW1l": "urn:li:corpuser:ada.wren"} {
		body := strings.ReplaceAll(`{"proposal":{"entityType":"tag","entityUrn":"urn:li:tag:NAME","changeType":"UPSERT","aspectName":"tagProperties","aspect":{"value":"{\"name\":\"x\"}","contentType":"application/json"}}}`, "NAME", actor[16:])
		if status := proxyRequest(t, proxy.base, host, "POST", "/aspects?action=ingestProposal", body, authorization, "X-DataHub-Actor", "urn:li:corpuser:somebody.else"); status != http.StatusOK {
			t.Errorf("a write of %s: %d", actor, status)
		}
		_, answer := s.send(http.MethodGet, "/entitiesV2/urn:li:tag:"+actor[16:], "")
		if got := at(answer, "aspects", "tagProperties", "created", "actor"); got != actor {
			t.Errorf("a write of %s is that of %v", actor, got)
		}
	}
	// An import would write the actors named in its file.
	imported := `{"header":{"format":1,"time":0}}` + "\n"
	for _, target := range []string{"/import", "/import/", "//import", "/%69mport", "/x/../import", "/import?replace=true"} {
		if status := proxyRequest(t, proxy.base, host, "POST", target, imported, "Bearer change-me-nightly"); status != http.StatusForbidden {
			t.Errorf("%s: %d", target, status)
		}
	}
	for _, target := range []string{"/metrics", "/metrics/"} {
		if status := proxyRequest(t, proxy.base, host, "GET", target, "", "Bearer change-me-nightly"); status != http.StatusForbidden {
			t.Errorf("%s: %d", target, status)
		}
	}
	s.stop()
}

// documentedProxy returns the configuration in the example, with the addresses of the test
// and without TLS.
func documentedProxy(t *testing.T, server, proxy string) string {
	t.Helper()
	for _, p := range documents(t) {
		i := slices.IndexFunc(p.blocks, func(b *block) bool { return b.lang == "nginx" })
		if p.name != "docs/security.md" || i < 0 {
			continue
		}
		text := strings.ReplaceAll(p.blocks[i].text, documentedServer, server)
		text = strings.ReplaceAll(text, "listen 443 ssl;", "listen "+strings.TrimPrefix(proxy, "http://")+";")
		return regexp.MustCompile(`(?m)^ *ssl_.*$`).ReplaceAllString(text, "")
	}
	t.Fatal("docs/security.md has no example for nginx")
	return ""
}

func runNginx(t *testing.T, nginx, example string) {
	t.Helper()
	dir := t.TempDir()
	text := "daemon off; pid nginx.pid; error_log stderr; events {} http { access_log off;"
	for _, kind := range []string{"client_body", "proxy", "fastcgi", "uwsgi", "scgi"} {
		text += " " + kind + "_temp_path " + filepath.Join(dir, kind) + ";"
	}
	if err := os.WriteFile(filepath.Join(dir, "nginx.conf"), []byte(text+"\n"+example+"\n}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	log := &logText{}
	cmd := exec.Command(nginx, "-p", dir, "-c", "nginx.conf", "-e", "stderr")
	cmd.Stderr = log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		_ = cmd.Wait()
		if t.Failed() {
			t.Logf("nginx: %s", log)
		}
	})
}

// freeAddress returns an address on which nothing listens.
func freeAddress(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().String()
}

// awaitAnswer waits until a server answers at an address.
func awaitAnswer(t *testing.T, base string) {
	t.Helper()
	testclock.Await(t, "an answer of "+base, func() bool {
		connection, err := net.Dial("tcp", strings.TrimPrefix(base, "http://"))
		if err == nil {
			connection.Close()
		}
		return err == nil
	})
}

func proxyRequest(t *testing.T, base, host, method, target, body, authorization string, headers ...string) int {
	t.Helper()
	req, err := http.NewRequest(method, base+target, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Host = host
	req.Header.Set("Authorization", authorization)
	req.Header.Set("X-RestLi-Protocol-Version", "2.0.0")
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	resp, err := httpClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	return resp.StatusCode
}
