package testservers

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// SecureBroker is a Kafka broker with three listeners. Address accepts every client. Login
// requires TLS and a login of User: PLAIN, or SCRAM after the test has created it.
// Certificate requires TLS and a client certificate.
type SecureBroker struct {
	*KafkaBroker
	Login, Certificate string
	// CA, ClientCert and ClientKey are PEM files. Other is the file of an authority that has
	// signed no certificate.
	CA, ClientCert, ClientKey, Other string
	// User and Password are the login.
	User, Password string
}

// SecureName is the only name in the certificate of a [SecureBroker].
const SecureName = "kafka.test"

// SecureKafka starts a broker with its own certificates for one test. The broker runs from
// jars, not in a container; without Java, the test is skipped.
func SecureKafka(t testing.TB) *SecureBroker {
	t.Helper()
	if testing.Short() {
		t.Skip("needs Kafka, which -short leaves out")
	}
	if _, err := exec.LookPath("java"); err != nil {
		t.Skip("needs Java: a Kafka with certificates does not run in a container")
	}
	b := &SecureBroker{KafkaBroker: &KafkaBroker{dir: t.TempDir()}, User: "headwater", Password: "s3cret, =and\"quoted\""}
	err := b.start(t.TempDir())
	if err != nil {
		t.Fatalf("Kafka cannot be started: %v", err)
	}
	t.Cleanup(b.Kill)
	return b
}

func (b *SecureBroker) start(dir string) error {
	file := func(name string) string { return filepath.Join(dir, name) }
	b.CA, b.ClientCert, b.ClientKey, b.Other = file("ca.pem"), file("client.pem"), file("client.key"), file("other.pem")
	server, err := b.makeCertificates()
	if err != nil {
		return err
	}
	if err := os.WriteFile(file("server.pem"), server, 0o600); err != nil {
		return err
	}
	ports := make([]int, 4)
	for i := range ports {
		if ports[i], err = freePort(); err != nil {
			return err
		}
	}
	b.port, b.controller = ports[0], ports[1]
	b.Address = fmt.Sprintf("127.0.0.1:%d", ports[0])
	b.Login, b.Certificate = fmt.Sprintf("127.0.0.1:%d", ports[2]), fmt.Sprintf("127.0.0.1:%d", ports[3])
	listeners := fmt.Sprintf("PLAINTEXT://%s,LOGIN://%s,CERTIFICATE://%s", b.Address, b.Login, b.Certificate)
	plain := `org.apache.kafka.common.security.plain.PlainLoginModule required user_headwater="s3cret, =and\\"quoted\\"";`
	settings := fmt.Sprintf(`
listeners=%s,CONTROLLER://127.0.0.1:%d
advertised.listeners=%s
listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT,LOGIN:SASL_SSL,CERTIFICATE:SSL
sasl.enabled.mechanisms=PLAIN,SCRAM-SHA-256,SCRAM-SHA-512
listener.name.login.plain.sasl.jaas.config=%s
listener.name.login.scram-sha-256.sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required;
listener.name.login.scram-sha-512.sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required;
ssl.keystore.type=PEM
ssl.keystore.location=%s
ssl.truststore.type=PEM
ssl.truststore.location=%s
listener.name.certificate.ssl.client.auth=required
`, listeners, b.controller, listeners, plain, file("server.pem"), b.CA)
	b.more = file("more.properties")
	if err := os.WriteFile(b.more, []byte(settings), 0o600); err != nil {
		return err
	}
	return b.Start()
}

// makeCertificates writes the files of the authorities and of the client's certificate. It
// returns the broker's key and certificate.
func (b *SecureBroker) makeCertificates() (server []byte, err error) {
	authority, err := newAuthority(b.CA)
	if err != nil {
		return nil, err
	}
	if _, err := newAuthority(b.Other); err != nil {
		return nil, err
	}
	certificate, key, err := authority.issue(SecureName)
	if err != nil {
		return nil, err
	}
	client, clientKey, err := authority.issue("headwater")
	if err != nil {
		return nil, err
	}
	return append(key, certificate...), errors.Join(os.WriteFile(b.ClientCert, client, 0o600), os.WriteFile(b.ClientKey, clientKey, 0o600))
}

// authority is a certificate authority.
type authority struct {
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
}

// newAuthority makes an authority and writes its certificate to a file.
func newAuthority(path string) (*authority, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "Headwater's tests"}, NotAfter: time.Now().AddDate(0, 0, 1),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return nil, err
	}
	certificate, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, err
	}
	return &authority{certificate, key}, os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600)
}

// issue makes a certificate for a name, with its key.
func (a *authority) issue(name string) (certificate, key []byte, err error) {
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, nil, err
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: name}, DNSNames: []string{name}, NotAfter: time.Now().AddDate(0, 0, 1),
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, a.certificate, &private.PublicKey, a.key)
	if err != nil {
		return nil, nil, err
	}
	text, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		return nil, nil, err
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: text}), nil
}
