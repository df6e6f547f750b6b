// Package connect decides how connections to Kafka are made: whether they are encrypted, and
// who logs in. Each client of Kafka takes its options from this package.
package connect

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"sync/atomic"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/sasl"
	"github.com/twmb/franz-go/pkg/sasl/plain"
	"github.com/twmb/franz-go/pkg/sasl/scram"
)

// The mechanisms of a login.
const (
	Plain       = "PLAIN"
	ScramSHA256 = "SCRAM-SHA-256"
	ScramSHA512 = "SCRAM-SHA-512"
)

// Mechanisms lists the mechanisms.
func Mechanisms() []string { return []string{Plain, ScramSHA256, ScramSHA512} }

// Settings say how connections are made. With the zero value, connections are neither encrypted nor
// authenticated.
type Settings struct {
	// TLS: connections are encrypted. The files of certificates are PEM, and need TLS.
	TLS bool
	// CAFile has the authorities that may sign a broker's certificate. If CAFile is empty,
	// these are the authorities of the machine.
	CAFile string
	// CertFile and KeyFile have the certificate that the server shows to brokers, and its key.
	CertFile, KeyFile string
	// ServerName is the name in the certificates of brokers, if it differs from their host.
	ServerName string
	// Mechanism is one of [Mechanisms], "" for no login.
	Mechanism, User string
	// Password is the password, or PasswordFile has it.
	Password, PasswordFile string
}

// Security says how connections are made. The zero value makes connections as the zero
// [Settings] do.
type Security struct {
	options []kgo.Opt
	now     *current
}

// current has the settings for the next connection.
type current struct{ loaded atomic.Pointer[loaded] }

// loaded are settings with the authorities of CAFile.
type loaded struct {
	Settings
	authorities *x509.CertPool
}

// Options are the options for [kgo.NewClient].
func (s Security) Options() []kgo.Opt { return slices.Clone(s.options) }

// Load reads the files of settings. The certificate and the password are read again for each
// connection, so that files may be replaced while the server runs. Errors never show a password.
func Load(s Settings) (Security, error) {
	first, err := s.load()
	if err != nil {
		return Security{}, err
	}
	security := Security{now: &current{}}
	security.now.loaded.Store(first)
	if s.TLS {
		security.options = append(security.options, kgo.Dialer(security.now.dial))
	}
	if s.Mechanism != "" {
		mechanism, err := security.now.login(s.Mechanism)
		if err != nil {
			return Security{}, err
		}
		security.options = append(security.options, kgo.SASL(mechanism))
	}
	return security, nil
}

// Reload reads the files of settings. It returns the function use; after a call of use,
// connections are made by the new settings. TLS and Mechanism do not change.
func (s Security) Reload(settings Settings) (use func(), err error) {
	if s.now == nil {
		return func() {}, nil
	}
	was := s.now.loaded.Load()
	settings.TLS, settings.Mechanism = was.TLS, was.Mechanism
	next, err := settings.load()
	if err != nil {
		return nil, err
	}
	return func() { s.now.loaded.Store(next) }, nil
}

// load reads the files, and fails if one of them cannot be used.
func (s Settings) load() (*loaded, error) {
	l := &loaded{Settings: s}
	if s.TLS && s.CAFile != "" {
		text, err := os.ReadFile(s.CAFile)
		if err != nil {
			return nil, fmt.Errorf("certificate authority: %w", err)
		}
		l.authorities = x509.NewCertPool()
		if !l.authorities.AppendCertsFromPEM(text) {
			return nil, fmt.Errorf("certificate authority: %s has no certificate in PEM", s.CAFile)
		}
	}
	if s.TLS && s.CertFile != "" {
		if _, err := s.certificate(nil); err != nil {
			return nil, err
		}
	}
	if s.Mechanism != "" {
		if _, err := s.password(); err != nil {
			return nil, err
		}
	}
	return l, nil
}

// dialTimeout bounds the time in which an encrypted connection is made.
const dialTimeout = 5 * time.Second

// dial makes an encrypted connection.
func (c *current) dial(ctx context.Context, network, address string) (net.Conn, error) {
	l := c.loaded.Load()
	config := &tls.Config{MinVersion: tls.VersionTLS12, ServerName: l.ServerName, RootCAs: l.authorities}
	if l.CertFile != "" {
		config.GetClientCertificate = l.certificate
	}
	dialer := tls.Dialer{NetDialer: &net.Dialer{Timeout: dialTimeout}, Config: config} // the dialer takes a missing ServerName from the address
	return dialer.DialContext(ctx, network, address)
}

func (s Settings) certificate(*tls.CertificateRequestInfo) (*tls.Certificate, error) {
	pair, err := tls.LoadX509KeyPair(s.CertFile, s.KeyFile)
	if err != nil {
		return nil, fmt.Errorf("client certificate: %w", err)
	}
	return &pair, nil
}

func (c *current) login(mechanism string) (sasl.Mechanism, error) {
	who := func() (user, password string, err error) {
		l := c.loaded.Load()
		password, err = l.password()
		return l.User, password, err
	}
	byScram := func(context.Context) (scram.Auth, error) {
		user, password, err := who()
		return scram.Auth{User: user, Pass: password}, err
	}
	switch mechanism {
	case Plain:
		return plain.Plain(func(context.Context) (plain.Auth, error) {
			user, password, err := who()
			return plain.Auth{User: user, Pass: password}, err
		}), nil
	case ScramSHA256:
		return scram.Sha256(byScram), nil
	case ScramSHA512:
		return scram.Sha512(byScram), nil
	}
	return nil, fmt.Errorf("the login %q is none of %q", mechanism, Mechanisms())
}

// password returns the password without the end of the line that editors add to files.
func (s Settings) password() (string, error) {
	if s.PasswordFile == "" {
		return s.Password, nil
	}
	text, err := os.ReadFile(s.PasswordFile)
	if err != nil {
		return "", fmt.Errorf("password: %w", err)
	}
	if text = bytes.TrimRight(text, "\r\n"); len(text) == 0 {
		return "", errors.New("password: " + s.PasswordFile + " is empty")
	}
	return string(text), nil
}
