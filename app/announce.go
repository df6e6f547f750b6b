package app

import (
	"context"
	"fmt"
	"io"
	"log/slog"

	"github.com/headwater-io/headwater/app/config"
)

// announceStart logs the start of the server, with its version and its backends.
func (s *server) announceStart(build Build) {
	attributes := []any{"version", build.Version, "graph", s.settings.GraphRedacted(), "search", s.settings.SearchRedacted()}
	if build.Commit != "" {
		attributes = append(attributes, "commit", build.Commit)
	}
	if s.settings.Graph == config.Embedded || s.settings.Search == config.Embedded {
		attributes = append(attributes, "data", s.settings.Data)
	}
	if s.settings.ReadOnly {
		attributes = append(attributes, "read_only", true)
	}
	s.logger.Info("starting", attributes...)
}

// announceListening writes a line with the URL of the server, in the format of the log.
func (s *server) announceListening(stdout io.Writer, url string) error {
	return s.announce(stdout, "listening", "listening on "+url, url)
}

// announce writes a line with an address to stdout or, if logs are JSON, an object with the message
// and the member url.
func (s *server) announce(stdout io.Writer, message, line, url string) error {
	if s.settings.LogFormat != "json" {
		_, err := fmt.Fprintln(stdout, line)
		return err
	}
	out := &firstError{to: stdout}
	slog.New(slog.NewJSONHandler(out, nil)).Info(message, "url", url)
	return out.err
}

// firstError is a writer that keeps its first error. slog does not return errors of its
// writer.
type firstError struct {
	to  io.Writer
	err error
}

func (w *firstError) Write(p []byte) (int, error) {
	n, err := w.to.Write(p)
	if w.err == nil {
		w.err = err
	}
	return n, err
}

// warnIfOpen logs a warning if other machines can reach the server and it has no authentication, or if its
// connections are not encrypted, so that credentials can be read on the way.
func (s *server) warnIfOpen(ctx context.Context, local bool) {
	if local {
		return
	}
	if s.settings.Auth == config.AuthOn {
		if s.settings.TLSCert == "" {
			s.logger.WarnContext(ctx, "other machines can reach this server, and connections to it are not encrypted: set tls-cert and tls-key, or put a proxy that encrypts in front, or whoever listens on the network can use the tokens of others", "listen", s.settings.Listen)
		}
		return
	}
	s.logger.WarnContext(ctx, "other machines can reach this server, which has no authentication: give --auth on, put a proxy that has it in front, or listen on 127.0.0.1",
		"listen", s.settings.Listen, "encrypted", s.settings.TLSCert != "", "agents_may_write", s.settings.MCPWrites)
}
