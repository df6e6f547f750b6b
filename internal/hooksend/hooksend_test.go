package hooksend

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

const testSecret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

// TestSign uses the example of the specification.
func TestSign(t *testing.T) {
	got, err := Sign(testSecret, "msg_p5jXN8AQM9LWM0D4loKWxJek", time.Unix(1614265330, 0), []byte(`{"test": 2432232314}`))
	if want := "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="; err != nil || got != want {
		t.Errorf("%s, %v, want %s", got, err, want)
	}
}

func TestSecrets(t *testing.T) {
	if a, b := NewSecret(), NewSecret(); CheckSecret(a) != nil || a == b {
		t.Error(a, b)
	}
	for _, bad := range []string{"", "whsec_", "secret", "whsec_####", "whsec_c2hvcnQ=", "whsec_" + strings.Repeat("AAAA", 22)} {
		if err := CheckSecret(bad); err == nil {
			t.Errorf("%q is accepted", bad)
		} else if bad != "" && bad != "whsec_" && strings.Contains(err.Error(), bad) && bad != "secret" {
			t.Errorf("the error shows the secret: %v", err)
		}
	}
}

func TestCheckURL(t *testing.T) {
	public, private := New(Options{}), New(Options{Private: true})
	for text, want := range map[string]string{
		"https://hooks.example.com/x?token=1": "", "http://hooks.example.com:8080": "", "https://[2606:4700::1]/": "", "https://8.8.8.8/": "",
		"ftp://x/": "http", "hooks.example.com": "http", "https://": "http", "https://u:p@x.com/": "user", "https://x.com/#a": "fragment",
		"https://x.com:0/": "port", "https://x.com:70000/": "port", "": "http", "javascript:alert(1)": "http", "file:///etc/passwd": "http",
		"http://127.0.0.1/": "loopback", "http://10.0.0.1/": "private", "http://[::1]:80/": "loopback", "http://[::ffff:169.254.169.254]/": "link-local",
		"http://localhost:80/": "loopback", "http://LOCALHOST./": "loopback", "http://a.localhost/": "loopback", "http://[fe80::1%25eth0]/": "zone",
	} {
		err := public.CheckURL(text)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	for _, text := range []string{"http://127.0.0.1/", "http://localhost:80/"} {
		if err := private.CheckURL(text); err != nil {
			t.Error(text, err)
		}
	}
}

func TestSend(t *testing.T) {
	body := []byte(`{"type":"ping"}`)
	var got *http.Request
	var gotBody []byte
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got = r
		gotBody, _ = io.ReadAll(r.Body)
		w.Header().Set("Retry-After", "7")
		w.WriteHeader(http.StatusServiceUnavailable)
		_, _ = w.Write([]byte("come\r\nback \x1b[31mlater" + strings.Repeat("x", 1<<20)))
	}))
	defer server.Close()
	m := &Message{URL: server.URL + "/hook", Secret: testSecret, ID: "msg_1", At: time.Unix(1700000000, 0), Body: body}
	answer, err := New(Options{Private: true}).Send(t.Context(), m)
	if err != nil || answer.Delivered() || answer.Status != 503 || answer.RetryAfter != 7*time.Second || !strings.HasPrefix(answer.Text, "come back [31mlater") || len(answer.Text) > keptAnswer {
		t.Errorf("%+v, %v", answer, err)
	}
	want, _ := Sign(testSecret, "msg_1", m.At, body)
	if got.Method != http.MethodPost || string(gotBody) != string(body) || got.Header.Get("webhook-id") != "msg_1" ||
		got.Header.Get("webhook-timestamp") != "1700000000" || got.Header.Get("webhook-signature") != want || got.Header.Get("Content-Type") != "application/json" {
		t.Errorf("%s %v %s", got.Method, got.Header, gotBody)
	}
}

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	for text, want := range map[string]time.Duration{
		"": 0, "x": 0, "-5": 0, "120": 2 * time.Minute, "99999999999": 24 * time.Hour,
		now.Add(time.Minute).Format(http.TimeFormat): time.Minute, now.Add(-time.Minute).Format(http.TimeFormat): 0,
	} {
		if got := retryAfter(text, now); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

// TestPrivate: no request reaches a server on this machine, whether by its address, by a
// name of that address, or by a redirect.
func TestPrivate(t *testing.T) {
	var reached atomic.Int64
	inside := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached.Add(1) }))
	defer inside.Close()
	_, port, _ := net.SplitHostPort(inside.Listener.Addr().String())
	t.Setenv("HTTP_PROXY", inside.URL)
	t.Setenv("http_proxy", inside.URL)
	s := New(Options{})
	for _, url := range []string{inside.URL, "http://localhost:" + port + "/", "http://[::ffff:127.0.0.1]:" + port + "/", "http://0x7f.1:" + port + "/"} {
		_, err := s.Send(t.Context(), &Message{URL: url, Secret: testSecret, ID: "x", At: time.Now()})
		var refused *AddressError
		if !errors.As(err, &refused) && !strings.Contains(url, "0x7f") || err == nil || err.Error() != "the receiver's host has no public address (--webhook-private allows others)" {
			t.Errorf("%s: %v", url, err)
		}
	}
	redirecting := httptest.NewServer(http.RedirectHandler(inside.URL, http.StatusTemporaryRedirect))
	defer redirecting.Close()
	answer, err := New(Options{Private: true}).Send(t.Context(), &Message{URL: redirecting.URL, Secret: testSecret, ID: "x", At: time.Now()})
	if err != nil || answer.Status != http.StatusTemporaryRedirect || answer.Delivered() {
		t.Errorf("redirect: %+v, %v", answer, err)
	}
	if reached.Load() != 0 {
		t.Error("the private server was reached")
	}
}

// TestFailures: errors state the reason, and never contain the URL.
func TestFailures(t *testing.T) {
	hang := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/reset" {
			c, _, _ := w.(http.Hijacker).Hijack()
			_ = c.(*net.TCPConn).SetLinger(0)
			_ = c.Close()
			return
		}
		<-hang
	}))
	defer server.Close()
	defer close(hang)
	s := New(Options{Private: true, Timeout: 50 * time.Millisecond})
	for path, want := range map[string]string{"/hang?token=hidden": "did not answer in time", "/reset?token=hidden": ""} {
		_, err := s.Send(context.Background(), &Message{URL: server.URL + path, Secret: testSecret, ID: "x", At: time.Now()})
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "hidden") {
			t.Errorf("%s: %v", path, err)
		}
	}
	closed := httptest.NewServer(nil)
	address := closed.Listener.Addr().String()
	closed.Close()
	for url, want := range map[string]string{
		"http://" + address: "nothing listens at the receiver's address", "http://nobody.invalid/hidden": "the receiver's host has no address",
		"https://" + server.Listener.Addr().String(): "", server.URL + "/reset": "the receiver ended the connection without an answer",
	} {
		_, err := New(Options{Private: true}).Send(context.Background(), &Message{URL: url, Secret: testSecret, ID: "x", At: time.Now()})
		if err == nil || want != "" && err.Error() != want || strings.Contains(err.Error(), "127.0.0.1") || strings.Contains(err.Error(), "nobody") {
			t.Errorf("%s: %v", url, err)
		}
		if failure := (*Failure)(nil); !errors.As(err, &failure) || failure.Unwrap() == nil || len(Detail(err)) <= len(err.Error()) || strings.Contains(Detail(err), "hidden") {
			t.Errorf("%s: %T has no cause: %s", url, err, Detail(err))
		}
	}
	if _, err := s.Send(context.Background(), &Message{URL: "http://[::1", Secret: testSecret}); err == nil || strings.Contains(err.Error(), "::1") {
		t.Error(err)
	}
}
