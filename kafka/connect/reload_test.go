package connect_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/headwater-io/headwater/kafka/connect"
)

// TestReload: connections are made by the settings that were read last, and settings that
// cannot be used change nothing. The steps after the handshake are tested on a broker, in e2e.
func TestReload(t *testing.T) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), DNSNames: []string{"broker.test"}}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	file := func(name, text string) string {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	authority := file("ca.pem", string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})))
	listener, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}, MinVersion: tls.VersionTLS12})
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	shakes := make(chan error, 100)
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			if secured, ok := conn.(*tls.Conn); ok {
				shakes <- secured.Handshake()
			}
			_ = conn.Close() // a broker would answer instead of closing
		}
	}()
	settings := connect.Settings{TLS: true, ServerName: "broker.test", Mechanism: connect.Plain, User: "u", PasswordFile: file("password", "s3cret\n")}
	security, err := connect.Load(settings)
	if err != nil {
		t.Fatal(err)
	}
	client, err := kgo.NewClient(append(security.Options(), kgo.SeedBrokers(listener.Addr().String()), kgo.RequestRetries(0))...)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	connects := func() error {
		t.Helper()
		if client.Ping(t.Context()) == nil {
			t.Fatal("no broker answers, and the client is content")
		}
		return <-shakes
	}
	if connects() == nil {
		t.Error("a certificate of an unknown authority is accepted")
	}
	good, bad := settings, settings
	good.CAFile = authority
	bad.CAFile = file("none.pem", "no certificate")
	if _, err := security.Reload(bad); err == nil || !strings.Contains(err.Error(), "has no certificate") {
		t.Errorf("an authority that is none: %v", err)
	}
	use, err := security.Reload(good)
	if err != nil {
		t.Fatal(err)
	}
	use()
	if err := connects(); err != nil {
		t.Errorf("with its authority: %v", err)
	}
	good.ServerName = "other.test"
	if use, err = security.Reload(good); err != nil {
		t.Fatal(err)
	}
	if err := connects(); err != nil {
		t.Errorf("before the settings are used: %v", err)
	}
	use()
	if connects() == nil {
		t.Error("a certificate with another name is accepted")
	}
	if use, err := (connect.Security{}).Reload(good); err != nil {
		t.Error(err)
	} else {
		use()
	}
}
