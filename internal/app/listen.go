package app

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
)

// listen opens the port and reads the certificate, if there is one, so that clients
// can connect once the server reports that it listens. The scheme is that of the
// server's URL; local means that no other machine can reach it.
func (s *server) listen(ctx context.Context) (listener net.Listener, scheme string, local bool, err error) {
	var certificate tls.Certificate
	if s.settings.TLSCert != "" {
		if certificate, err = tls.LoadX509KeyPair(s.settings.TLSCert, s.settings.TLSKey); err != nil {
			return nil, "", false, fmt.Errorf("tls-cert and tls-key: %w", err)
		}
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
		Certificates: []tls.Certificate{certificate}, NextProtos: []string{"h2", "http/1.1"}, MinVersion: tls.VersionTLS12,
	}), "https", local, nil
}
