package app

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"

	"github.com/headwater-io/headwater/app/config"
	"github.com/headwater-io/headwater/internal/reread"
)

// listen opens the port and reads the certificate, if one is set, so that clients can
// connect as soon as the server reports that it listens. It returns the scheme of the
// server's URL. local is true if no other machine can reach the server.
func (s *server) listen(ctx context.Context) (listener net.Listener, scheme string, local bool, err error) {
	if s.settings.TLSCert != "" {
		use, err := s.readCertificate(s.settings)
		if err != nil {
			return nil, "", false, err
		}
		use()
	}
	listener, err = new(net.ListenConfig).Listen(ctx, "tcp", s.settings.Listen)
	if err != nil {
		return nil, "", false, err
	}
	if address, ok := listener.Addr().(*net.TCPAddr); ok {
		local = address.IP.IsLoopback()
	}
	if s.settings.TLSCert == "" {
		return listener, "http", local, nil
	}
	return tls.NewListener(listener, &tls.Config{
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return s.certificate.Load().Current(), nil }, NextProtos: []string{"h2", "http/1.1"}, MinVersion: tls.VersionTLS12,
	}), "https", local, nil
}

// refuseAnyone fails if other machines could reach the server and it would believe every caller,
// unless the settings say that this is wanted. It runs before the store is opened.
func refuseAnyone(settings *config.Server) error {
	if settings.Auth == config.AuthOn || settings.AllowAnyone {
		return nil
	}
	address, err := net.ResolveTCPAddr("tcp", settings.Listen)
	if err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	if address.IP.IsLoopback() {
		return nil
	}
	return fmt.Errorf("other machines can reach %s, and without authentication whoever reaches this server may read, change and delete everything; "+
		"give --auth on (HEADWATER_AUTH=on), or --listen 127.0.0.1:%d to serve this machine only, or --allow-anyone (HEADWATER_ALLOW_ANYONE=true) if everybody may do that",
		settings.Listen, address.Port)
}

// readCertificate reads the certificate and its key. The returned function use makes this
// certificate the one that later connections get. When one of the two files changes, the
// certificate is read again at the next connection.
func (s *server) readCertificate(settings *config.Server) (use func(), err error) {
	certificate, err := reread.Open(func() (*tls.Certificate, error) {
		certificate, err := tls.LoadX509KeyPair(settings.TLSCert, settings.TLSKey)
		return &certificate, err
	}, func(certificate *tls.Certificate, err error) {
		if err != nil {
			s.logger.Error("the changed certificate cannot be used and the former one is shown", "tls_cert", settings.TLSCert, "tls_key", settings.TLSKey, "error", err)
			return
		}
		s.logger.Info("a changed certificate is shown from now on", "tls_cert", settings.TLSCert, "valid_until", certificate.Leaf.NotAfter)
	}, settings.TLSCert, settings.TLSKey)
	if err != nil {
		return nil, fmt.Errorf("tls-cert and tls-key: %w", err)
	}
	return func() { s.certificate.Store(certificate) }, nil
}
