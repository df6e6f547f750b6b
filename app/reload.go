package app

import (
	"context"
	"crypto/sha256"
	"errors"
	"os"
	"slices"

	"github.com/headwater-io/headwater/app/config"
	"github.com/headwater-io/headwater/catalog/services"
)

// Reload says when and how the settings are read again. With the zero value, they never
// are.
type Reload struct {
	// Asked receives a value each time the settings must be read again.
	Asked <-chan os.Signal
	// Read reads the settings.
	Read func() (*config.Server, error)
}

// part is a group of settings that take effect together, without a restart.
type part struct {
	settings []string
	// read reads the files that the settings name, and returns the function that makes the
	// new settings take effect. The function is nil if they need a restart.
	read func(next *config.Server) (use func(), err error)
}

// reloader reads the settings again and makes them take effect.
type reloader struct {
	*server
	Reload
	// running are the settings in effect.
	running *config.Server
	// sums are the checksums of the files in effect, by the setting that names the file.
	sums  map[string][sha256.Size]byte
	parts []part
}

// newReloader makes a reloader. setGuard makes the settings about browsers take effect.
func newReloader(s *server, reload Reload, cat *services.Services, setGuard func(*config.Server)) *reloader {
	r := &reloader{server: s, Reload: reload, running: s.settings, sums: sumsOf(s.settings)}
	r.parts = []part{
		{[]string{"log-level"}, func(next *config.Server) (func(), error) {
			return func() { _ = s.level.UnmarshalText([]byte(next.LogLevel)) }, nil // the check of the settings has accepted the level
		}},
		{[]string{"read-only"}, func(next *config.Server) (func(), error) {
			return func() { cat.SetReadOnly(next.ReadOnly) }, nil
		}},
		{[]string{"trusted-origins", "allowed-hosts"}, func(next *config.Server) (func(), error) {
			return func() { setGuard(next) }, nil
		}},
		{[]string{"tls-cert", "tls-key"}, r.readTLS},
		{[]string{"kafka-ca", "kafka-cert", "kafka-key", "kafka-server-name", "kafka-user", "kafka-password", "kafka-password-file"}, r.readKafka},
		{[]string{"graph"}, r.readPassword},
		{[]string{"search"}, r.readKey},
	}
	return r
}

// read reads the settings and their files, and logs which settings take effect. If any of
// them cannot be used, none takes effect.
func (r *reloader) read(ctx context.Context) {
	next, err := r.Read()
	if err != nil {
		r.refuse(ctx, err)
		return
	}
	sums := sumsOf(next)
	changed := config.Differences(r.running, next)
	for name := range fileSettings {
		if sums[name] != r.sums[name] {
			changed = append(changed, name)
		}
	}
	slices.Sort(changed)
	changed = slices.Compact(changed)
	var (
		effective []string
		uses      []func()
		errs      []error
	)
	for _, p := range r.parts {
		use, err := p.read(next)
		if errs = append(errs, err); use == nil {
			continue
		}
		uses = append(uses, use)
		effective = append(effective, p.settings...)
	}
	if err := errors.Join(errs...); err != nil {
		r.refuse(ctx, err)
		return
	}
	for _, use := range uses {
		use()
	}
	waits := slices.DeleteFunc(slices.Clone(changed), func(name string) bool { return slices.Contains(effective, name) })
	effective = slices.DeleteFunc(changed, func(name string) bool { return slices.Contains(waits, name) })
	r.running = r.running.With(next, effective...)
	for _, name := range effective {
		r.sums[name] = sums[name]
	}
	r.logger.InfoContext(ctx, "settings were read again", "files", filesOf(next), "takes_effect", effective, "needs_restart", waits)
}

func (r *reloader) refuse(ctx context.Context, err error) {
	r.logger.ErrorContext(ctx, "settings cannot be used and were not read again; the server goes on with those that it has", "error", err)
}

func (r *reloader) readTLS(next *config.Server) (func(), error) {
	if r.running.TLSCert == "" || next.TLSCert == "" {
		return nil, nil
	}
	return r.readCertificate(next)
}

func (r *reloader) readKafka(next *config.Server) (func(), error) {
	if next.KafkaTLS != r.running.KafkaTLS || next.KafkaSASL != r.running.KafkaSASL {
		return nil, nil
	}
	return r.security.Reload(kafkaSettings(next))
}

// readPassword returns the function that sets a new password of Neo4j. All other changes of
// the setting graph need a restart.
func (r *reloader) readPassword(next *config.Server) (func(), error) {
	if r.setPassword == nil || next.Graph == config.Embedded {
		return nil, nil
	}
	was, err := r.running.Neo4j()
	if err != nil {
		return nil, err
	}
	is, err := next.Neo4j()
	if was.Password = is.Password; err != nil || was != is {
		return nil, err
	}
	return func() { r.setPassword(is.Password) }, nil
}

// readKey returns the function that sets a new key of Typesense. All other changes of the
// setting search need a restart.
func (r *reloader) readKey(next *config.Server) (func(), error) {
	if r.setKey == nil || next.Search == config.Embedded {
		return nil, nil
	}
	was, err := r.running.Typesense()
	if err != nil {
		return nil, err
	}
	is, err := next.Typesense()
	if err != nil || !slices.Equal(was.Nodes, is.Nodes) {
		return nil, err
	}
	return func() { r.setKey(is.Key) }, nil
}

// fileSettings has the settings that name files, with the files.
var fileSettings = map[string]func(*config.Server) []string{
	"tls-cert":            func(s *config.Server) []string { return []string{s.TLSCert} },
	"tls-key":             func(s *config.Server) []string { return []string{s.TLSKey} },
	"graph-ca":            func(s *config.Server) []string { return []string{s.GraphCA} },
	"kafka-ca":            func(s *config.Server) []string { return []string{s.KafkaCA} },
	"kafka-cert":          func(s *config.Server) []string { return []string{s.KafkaCert} },
	"kafka-key":           func(s *config.Server) []string { return []string{s.KafkaKey} },
	"kafka-password-file": func(s *config.Server) []string { return []string{s.KafkaPassFile} },
	"openlineage-names":   func(s *config.Server) []string { return []string{s.OpenLineage} },
	"model":               func(s *config.Server) []string { return s.Model },
}

// sumsOf returns the checksums of the files of each setting. An unreadable file counts as
// empty; the code that uses the file reports the error.
func sumsOf(s *config.Server) map[string][sha256.Size]byte {
	sums := map[string][sha256.Size]byte{}
	for name, files := range fileSettings {
		hash := sha256.New()
		for _, path := range files(s) {
			text, _ := os.ReadFile(path)
			one := sha256.Sum256(text)
			hash.Write(one[:])
		}
		sums[name] = [sha256.Size]byte(hash.Sum(nil))
	}
	return sums
}

// filesOf returns the files that the settings name, sorted.
func filesOf(s *config.Server) []string {
	files := []string{s.File}
	for _, of := range fileSettings {
		files = append(files, of(s)...)
	}
	slices.Sort(files)
	return slices.DeleteFunc(slices.Compact(files), func(path string) bool { return path == "" })
}
