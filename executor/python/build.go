package python

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/headwater-io/headwater/executor/process"
)

// uv.txt names the version of uv that is installed where there is none, with the hashes of its wheels.
//
//go:embed uv.txt
var uvRequirement string

// ErrBuild is wrapped by the errors of commands that build environments. They may be about the network, and pass.
var ErrBuild = errors.New("a command failed")

// grace is how long a command of a build may go on after it was asked to end.
const grace = 2 * time.Second

// buildOnce builds an environment while nobody else does, unless somebody else has.
func (e *Environments) buildOnce(ctx context.Context, name string, w Wanted, log io.Writer) error {
	mine, err := tryLock(e.locks(name), syscall.LOCK_EX)
	if err != nil {
		return err
	}
	if mine == nil {
		fmt.Fprintf(log, "waiting for another run, which builds or uses the environment %s\n", name)
		if mine, err = lock(ctx, e.locks(name), syscall.LOCK_EX); err != nil {
			return err
		}
	}
	defer mine.Close()
	if _, err := os.Stat(e.environment(name)); err == nil {
		return nil
	}
	e.removeRemains(name)
	cache, err := lockShared(ctx, e.locks("cache"))
	if err != nil {
		return err
	}
	defer cache.Close()
	fmt.Fprintf(log, "building the environment %s\n", name)
	tmp, err := os.MkdirTemp(e.building(""), name+".")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(tmp) }()
	if err := e.build(ctx, filepath.Join(tmp, "env"), w, log); err != nil {
		return fmt.Errorf("the environment %s cannot be built: %w", name, err)
	}
	if err := os.WriteFile(filepath.Join(tmp, "env", "size"), fmt.Appendln(nil, sizeOf(tmp)), 0o600); err != nil {
		return err
	}
	if err := touch(filepath.Join(tmp, "env")); err != nil {
		return err
	}
	if err := os.Rename(filepath.Join(tmp, "env"), e.environment(name)); err != nil {
		return err
	}
	cache.Close()
	e.makeRoom(name)
	return nil
}

// build builds an environment in dir.
func (e *Environments) build(ctx context.Context, dir string, w Wanted, log io.Writer) error {
	uv, err := e.uv(ctx, log)
	if err != nil {
		return err
	}
	if err := e.run(ctx, log, uv, "venv", "--quiet", "--relocatable", "--python", e.Python, dir); err != nil {
		return err
	}
	install := []string{"pip", "install", "--quiet", "--python", filepath.Join(dir, "bin", "python")}
	if e.Wheels != "" {
		install = append(install, "--no-index", "--find-links", e.Wheels)
	}
	constraints := e.Constraints
	if constraints == "" {
		if constraints, err = e.shipped(ctx, dir, w, append([]string{uv}, install...), log); err != nil {
			return err
		}
	}
	wanted := wantedPackages(w)
	within := slices.Clone(wanted)
	if constraints != "" {
		within = append([]string{"--constraint", constraints}, wanted...)
	}
	err = e.run(ctx, log, uv, append(slices.Clone(install), within...)...)
	if err != nil && ctx.Err() == nil && constraints != "" && e.Constraints == "" {
		fmt.Fprintln(log, "not all of the libraries with which this version of the client was tested can be had; building with the newest that fit it")
		err = e.run(ctx, log, uv, append(slices.Clone(install), wanted...)...)
	}
	if err != nil {
		return err
	}
	types, err := installedTypes(dir)
	if err == nil && w.Type != ClientOnly && !slices.Contains(types, w.Type) {
		err = unknownType(w.Type, w.Version, types)
	}
	return err
}

// shipped installs the client alone, and returns the path of the file in which it names the versions of the
// libraries with which it was tested, "" if it ships none.
func (e *Environments) shipped(ctx context.Context, dir string, w Wanted, install []string, log io.Writer) (string, error) {
	if err := e.run(ctx, log, install[0], append(install[1:], "--no-deps", "acryl-datahub=="+w.Version)...); err != nil {
		return "", err
	}
	found, err := filepath.Glob(filepath.Join(dir, "lib", "python*", "site-packages", "datahub", "constraints.txt"))
	return cmp.Or(append(found, "")...), err
}

// wantedPackages are the packages of an environment, as pip names them.
func wantedPackages(w Wanted) []string {
	extras := []string{ClientOnly}
	for _, name := range append([]string{w.Type}, w.Plugins...) {
		if !slices.Contains(extras, name) {
			extras = append(extras, name)
		}
	}
	return append([]string{fmt.Sprintf("acryl-datahub[%s]==%s", strings.Join(extras, ","), w.Version)}, w.Requirements...)
}

// uv returns the path of uv: that in PATH, or one of the executor's own, which is installed first if need be.
func (e *Environments) uv(ctx context.Context, log io.Writer) (string, error) {
	if path, err := exec.LookPath("uv"); err == nil {
		return filepath.Abs(path)
	}
	version, _, _ := strings.Cut(strings.TrimPrefix(uvRequirement, "uv=="), " ")
	name := "uv-" + version
	own := filepath.Join(e.Dir, name)
	mine, err := lock(ctx, e.locks(name), syscall.LOCK_EX)
	if err != nil {
		return "", err
	}
	defer mine.Close()
	path := filepath.Join(own, "bin", "uv")
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	e.removeRemains(name)
	fmt.Fprintf(log, "installing uv %s, which builds environments\n", version)
	tmp, err := os.MkdirTemp(e.building(""), name+".")
	if err != nil {
		return "", err
	}
	defer func() { _ = os.RemoveAll(tmp) }()
	requirement := filepath.Join(tmp, "uv.txt")
	if err := os.WriteFile(requirement, []byte(uvRequirement), 0o600); err != nil {
		return "", err
	}
	made := filepath.Join(tmp, "uv")
	python, err := exec.LookPath(e.Python)
	if err != nil {
		return "", fmt.Errorf("recipes run in Python, which this machine lacks (or name it with --python): %w", err)
	}
	if err := e.run(ctx, log, python, "-m", "venv", made); err != nil {
		return "", err
	}
	install := []string{"-m", "pip", "install", "--quiet", "--require-hashes", "--only-binary", ":all:", "-r", requirement}
	if e.Wheels != "" {
		install = append(install, "--no-index", "--find-links", e.Wheels)
	}
	if err := e.run(ctx, log, filepath.Join(made, "bin", "python"), install...); err != nil {
		return "", err
	}
	// uv itself is a program without Python, so that it may be moved.
	return path, os.Rename(made, own)
}

// passed are the beginnings of the names of variables that builds get from this process: how a network and an
// index of packages are reached.
var passed = []string{"PATH=", "LANG=", "LC_", "UV_", "PIP_", "SSL_CERT_", "REQUESTS_CA_BUNDLE=", "HTTP_PROXY=", "HTTPS_PROXY=", "ALL_PROXY=", "NO_PROXY=", "http_proxy=", "https_proxy=", "all_proxy=", "no_proxy=", "PYENV_"}

// run runs a command of a build.
func (e *Environments) run(ctx context.Context, log io.Writer, path string, args ...string) error {
	env := []string{"HOME=" + e.Dir, "UV_CACHE_DIR=" + filepath.Join(e.Dir, "cache"), "UV_NO_CONFIG=1", "UV_NO_PROGRESS=1"}
	for _, one := range e.Environ {
		if slices.ContainsFunc(passed, func(name string) bool { return strings.HasPrefix(one, name) }) {
			env = append(env, one)
		}
	}
	result, err := process.Run(ctx, process.Command{Supervisor: e.Supervisor, Path: path, Args: args, Dir: e.Dir, Env: env, Output: log, Grace: grace})
	switch {
	case err != nil:
		return err
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case result.Exit != 0:
		return fmt.Errorf("%w: %s ended with %s", ErrBuild, filepath.Base(path)+" "+strings.Join(args[:min(2, len(args))], " "), cmp.Or(result.Signal, fmt.Sprintf("exit code %d", result.Exit)))
	}
	return nil
}
