// Package connect is how connections to Kafka are made: whether they are encrypted, and who
// logs in. Every client of Kafka takes its options.
package connect

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
	"slices"

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

// Settings say how connections are made. Those of the zero value are neither encrypted nor
// logged in.
type Settings struct {
	// TLS: connections are encrypted. The files are PEM and need it.
	TLS bool
	// CAFile has the authorities that a broker's certificate must be of; those of the
	// machine if it is empty.
	CAFile string
	// CertFile and KeyFile are the certificate that brokers are shown, and its key.
	CertFile, KeyFile string
	// ServerName is the name in the certificates of brokers, if it is not their host.
	ServerName string
	// Mechanism is one of [Mechanisms], "" for no login.
	Mechanism, User string
	// Password is the password, or PasswordFile has it.
	Password, PasswordFile string
}

// Security is how connections are made. The zero value is that of the zero [Settings].
type Security struct{ options []kgo.Opt }

// Options are for [kgo.NewClient].
func (s Security) Options() []kgo.Opt { return slices.Clone(s.options) }

// Load reads the files of settings. The certificate and the password are read again for each
// connection, so that files may be replaced while the server runs. Errors never show a password.
func Load(s Settings) (Security, error) {
	var security Security
	if s.TLS {
		config, err := s.encryption()
		if err != nil {
			return security, err
		}
		security.options = append(security.options, kgo.DialTLSConfig(config))
	}
	if s.Mechanism != "" {
		mechanism, err := s.login()
		if err != nil {
			return security, err
		}
		security.options = append(security.options, kgo.SASL(mechanism))
	}
	return security, nil
}

func (s Settings) encryption() (*tls.Config, error) {
	config := &tls.Config{MinVersion: tls.VersionTLS12, ServerName: s.ServerName}
	if s.CAFile != "" {
		text, err := os.ReadFile(s.CAFile)
		if err != nil {
			return nil, fmt.Errorf("certificate authority: %w", err)
		}
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(text) {
			return nil, fmt.Errorf("certificate authority: %s has no certificate in PEM", s.CAFile)
		}
	}
	if s.CertFile == "" {
		return config, nil
	}
	if _, err := s.certificate(nil); err != nil {
		return nil, err
	}
	config.GetClientCertificate = s.certificate
	return config, nil
}

func (s Settings) certificate(*tls.CertificateRequestInfo) (*tls.Certificate, error) {
	pair, err := tls.LoadX509KeyPair(s.CertFile, s.KeyFile)
	if err != nil {
		return nil, fmt.Errorf("client certificate: %w", err)
	}
	return &pair, nil
}

func (s Settings) login() (sasl.Mechanism, error) {
	if _, err := s.password(); err != nil {
		return nil, err
	}
	byScram := func(context.Context) (scram.Auth, error) {
		password, err := s.password()
		return scram.Auth{User: s.User, Pass: password}, err
	}
	switch s.Mechanism {
	case Plain:
		return plain.Plain(func(context.Context) (plain.Auth, error) {
			password, err := s.password()
			return plain.Auth{User: s.User, Pass: password}, err
		}), nil
	case ScramSHA256:
		return scram.Sha256(byScram), nil
	case ScramSHA512:
		return scram.Sha512(byScram), nil
	}
	return nil, fmt.Errorf("the login %q is none of %q", s.Mechanism, Mechanisms())
}

// password is without the end of the line that editors put into files.
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
