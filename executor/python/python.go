// Package python provides the Python environments in which DataHub's client runs recipes: one for each type of
// source and version of the client. They are built when a run needs them first, and used again.
package python

import (
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/nearest"
)

// DefaultVersion is the version of the client that runs recipes which name none.
const DefaultVersion = "1.7.0.17"

// types.txt lists the types of sources that the client of DefaultVersion registers.
//
//go:embed types.txt
var typesText string

// Types returns the types of sources that the client of [DefaultVersion] knows, sorted.
func Types() []string { return strings.Fields(typesText) }

// Options configure Environments.
type Options struct {
	// Dir is the directory in which environments are built and kept. It belongs to the executors of one machine.
	Dir string
	// Prepared is a directory of environments that somebody has made, "" for none. With Prepared, no
	// environments are built.
	Prepared string
	// Wheels is a directory of wheels from which environments are built without a network, or "".
	Wheels string
	// Python is the interpreter of new environments, "" for python3.
	Python string
	// Constraints is a file with constraints for pip, "" for the constraints that the client itself ships.
	Constraints string
	// Disk bounds the bytes of all environments together, 0 for the default.
	Disk int64
	// Environ is the environment of this process, from which builds get the variables about networks and indexes.
	Environ []string
	// Supervisor is that of package process.
	Supervisor []string
}

// Environments builds, keeps and removes environments. It is safe for concurrent use, also of several processes
// over one directory.
type Environments struct{ Options }

// New makes Environments. It reads and writes nothing yet.
func New(o Options) *Environments {
	if o.Python == "" {
		o.Python = "python3"
	}
	if o.Disk <= 0 {
		o.Disk = limits.DefaultEnvironmentBytes
	}
	return &Environments{o}
}

// Wanted says which environment a run needs.
type Wanted struct {
	// Type is the type of the source, Version that of the client, "" for the default.
	Type, Version string
	// Plugins are further types whose libraries the environment must have, Requirements further packages as pip
	// names them.
	Plugins, Requirements []string
}

// ClientOnly is in place of a type for an environment without the libraries of any source.
const ClientOnly = "datahub-rest"

// Taken is an environment that is not removed before Release.
type Taken struct {
	// Program is the path of the client's command.
	Program string
	// Version is the version that was asked for.
	Version string
	release func()
}

// Release lets the environment be removed.
func (t *Taken) Release() { t.release() }

// The forms of names that become parts of paths and of pip's arguments.
var (
	typeName    = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,60}$`)
	versionName = regexp.MustCompile(`^[0-9]+(\.[0-9]+)*((a|b|rc|\.post|\.dev|\.)[0-9]+)*$`)
)

// unnamed are the versions that the reference knows and that mean no particular one here.
var unnamed = []string{"", "latest", "bundled", "native"}

// complete adds the defaults to w, or says why such an environment cannot be had.
func (w Wanted) complete() (Wanted, error) {
	if slices.Contains(unnamed, strings.ToLower(w.Version)) {
		w.Version = DefaultVersion
	}
	w.Version = strings.TrimPrefix(w.Version, "v")
	if !versionName.MatchString(w.Version) {
		return w, fmt.Errorf("the version %q of the client is not one of PyPI, such as %s", w.Version, DefaultVersion)
	}
	for _, name := range append([]string{w.Type}, w.Plugins...) {
		if !typeName.MatchString(name) {
			return w, fmt.Errorf("%q is not the name of a type of source%s", name, nearest.Question(nearest.Names(name, slices.Values(Types()))))
		}
	}
	if w.Version == DefaultVersion && w.Type != ClientOnly && !slices.Contains(Types(), w.Type) {
		return w, unknownType(w.Type, w.Version, Types())
	}
	return w, nil
}

func unknownType(name, version string, known []string) error {
	return fmt.Errorf("the client %s has no source of the type %s%s", version, name, nearest.Question(nearest.Names(name, slices.Values(known))))
}

// name returns the name of an environment. Environments that differ in any way have different names.
func (e *Environments) name(w Wanted) (string, error) {
	sum := sha256.New()
	fmt.Fprintf(sum, "%q %q %q %q", w.Plugins, w.Requirements, e.Wheels, e.Python)
	if e.Constraints != "" {
		text, err := os.ReadFile(e.Constraints)
		if err != nil {
			return "", fmt.Errorf("the constraints of environments: %w", err)
		}
		sum.Write(text)
	}
	return w.Type + "-" + w.Version + "-" + hex.EncodeToString(sum.Sum(nil))[:8], nil
}

// Take returns an environment, which is built if there is none. The output of the build is written to log.
func (e *Environments) Take(ctx context.Context, w Wanted, log io.Writer) (*Taken, error) {
	if e.Prepared != "" {
		return e.prepared(w)
	}
	w, err := w.complete()
	if err != nil {
		return nil, err
	}
	name, err := e.name(w)
	if err != nil {
		return nil, err
	}
	for _, dir := range []string{e.environment(""), e.building(""), e.locks("")} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return nil, fmt.Errorf("the directory of environments: %w", err)
		}
	}
	for {
		held, err := lockShared(ctx, e.locks(name))
		if err != nil {
			return nil, err
		}
		program := filepath.Join(e.environment(name), "bin", "datahub")
		if _, err := os.Stat(program); err == nil {
			if err := touch(e.environment(name)); err != nil {
				held.Close()
				return nil, err
			}
			return &Taken{Program: program, Version: w.Version, release: held.Close}, nil
		}
		held.Close()
		if err := e.buildOnce(ctx, name, w, log); err != nil {
			return nil, err
		}
	}
}

func (e *Environments) environment(name string) string {
	return filepath.Join(e.Dir, "environments", name)
}
func (e *Environments) building(name string) string { return filepath.Join(e.Dir, "building", name) }
func (e *Environments) locks(name string) string {
	if name == "" {
		return filepath.Join(e.Dir, "locks")
	}
	return filepath.Join(e.Dir, "locks", name+".lock")
}

// prepared finds an environment that somebody has made.
func (e *Environments) prepared(w Wanted) (*Taken, error) {
	named := typeName.MatchString(w.Type) && (w.Version == "" || versionName.MatchString(strings.TrimPrefix(w.Version, "v")))
	version := strings.TrimPrefix(w.Version, "v")
	var places []string
	if named && version != "" {
		places = append(places, w.Type+"-"+version, version)
	}
	if named && version == "" {
		places = append(places, w.Type, DefaultVersion)
	}
	for _, place := range append(places, "") {
		program := filepath.Join(e.Prepared, place, "bin", "datahub")
		if _, err := os.Stat(program); err == nil {
			return &Taken{Program: program, Version: w.Version, release: func() {}}, nil
		}
	}
	return nil, fmt.Errorf("there is no prepared environment for the type %s in %s; one of these directories must be one: %s", w.Type, e.Prepared, strings.Join(append(places, "the directory itself"), ", "))
}

// touch notes that an environment is used now.
func touch(dir string) error {
	return os.WriteFile(filepath.Join(dir, "used"), []byte("used\n"), 0o600)
}

// installedTypes returns the types of sources that an environment's client registers.
func installedTypes(dir string) ([]string, error) {
	found, err := filepath.Glob(filepath.Join(dir, "lib", "python*", "site-packages", "acryl_datahub-*.dist-info", "entry_points.txt"))
	if err != nil || len(found) == 0 {
		return nil, errors.Join(err, errors.New("the environment has no client"))
	}
	text, err := os.ReadFile(found[0])
	if err != nil {
		return nil, err
	}
	var types []string
	within := false
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "[") {
			within = line == "[datahub.ingestion.source.plugins]"
			continue
		}
		if name, _, ok := strings.Cut(line, "="); ok && within {
			types = append(types, strings.TrimSpace(name))
		}
	}
	return types, nil
}
