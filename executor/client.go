package executor

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/headwater-io/headwater/catalog/ingestion"
	"github.com/headwater-io/headwater/executor/process"
	"github.com/headwater-io/headwater/executor/python"
	"github.com/headwater-io/headwater/executor/recipe"
	"github.com/headwater-io/headwater/internal/limits"
)

// Client runs recipes with DataHub's Python client.
type Client struct {
	// Environments are where the client is installed.
	Environments *python.Environments
	// Environ is the environment of this process, of which children get the variables about the network and the language.
	Environ []string
	// Supervisor is that of package process.
	Supervisor []string
	// Memory bounds the bytes that a run has in memory, 0 for the default.
	Memory int64
	// Grace is how long a run may go on after it was asked to end, 0 for the default.
	Grace time.Duration
}

// The arguments of sources that executors understand, as the reference names the first three.
const (
	argRequirements = "extra_pip_requirements"
	argPlugins      = "extra_pip_plugins"
	argEnvironment  = "extra_env_vars"
	// argRunner chooses between the Python client and the binary.
	argRunner = "headwater.runner"
)

// The values of argRunner.
const (
	withClient = "client"
	withBinary = "native"
)

// defaultGrace is how long a run may go on after SIGTERM.
const defaultGrace = 5 * time.Second

// Takes implements [Runner].
func (c *Client) Takes(w *Work) (bool, string) {
	if own, is := commands[w.Recipe.Type]; is && !own.python {
		return false, ""
	}
	if w.Run.ExtraArgs[argRunner] == withBinary {
		return false, fmt.Sprintf("its argument %s asks for a run without Python", argRunner)
	}
	return true, ""
}

// Run implements [Runner].
func (c *Client) Run(ctx context.Context, w *Work) (Report, error) {
	wanted, variables, err := c.extras(w)
	if err != nil {
		return Report{}, err
	}
	taken, err := c.Environments.Take(ctx, wanted, w.Log)
	if err != nil {
		return Report{Retry: errors.Is(err, python.ErrBuild)}, err
	}
	defer taken.Release()
	text, err := w.Recipe.Text(w.Run.URN)
	if err != nil {
		return Report{}, err
	}
	file, report := filepath.Join(w.Dir, "recipe.json"), filepath.Join(w.Dir, "report.json")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		return Report{}, err
	}
	w.Log.Print("Reading %s with DataHub's Python client.", w.Recipe.Type)
	args := []string{"ingest", "run", "-c", file, "--report-to", report, "--no-spinner"}
	if w.Run.Task == ingestion.TaskTestConnection {
		args = append(args, "--test-source-connection")
	}
	if w.Run.Debug {
		args = append([]string{"--debug"}, args...)
	}
	return runChild(ctx, w, process.Command{
		Supervisor: c.Supervisor, Path: taken.Program, Args: args, Env: append(c.environment(w, filepath.Dir(taken.Program)), variables...),
		Limits: process.Limits{Memory: cmp.Or(c.Memory, limits.DefaultRunMemory), Files: limits.RunFiles, FileSize: limits.RunFileBytes}, Grace: cmp.Or(c.Grace, defaultGrace),
	}, report)
}

// extras reads the arguments of the source that are about its environment.
func (c *Client) extras(w *Work) (python.Wanted, []string, error) {
	wanted := python.Wanted{Type: w.Recipe.Type, Version: w.Run.Version}
	if strings.ContainsAny(wanted.Type, ".:") {
		wanted.Type = python.ClientOnly // a class in place of a type needs no more than the client itself
	}
	variables := map[string]string{}
	for name, into := range map[string]any{argPlugins: &wanted.Plugins, argRequirements: &wanted.Requirements, argEnvironment: &variables} {
		text := strings.TrimSpace(w.Run.ExtraArgs[name])
		if text == "" {
			continue
		}
		if err := json.Unmarshal([]byte(text), into); err != nil {
			return wanted, nil, fmt.Errorf("the argument %s of the source is not what it must be, such as %s", name, map[string]string{argEnvironment: `{"NAME": "value"}`}[name]+map[string]string{argPlugins: `["dbt"]`, argRequirements: `["memray"]`}[name])
		}
	}
	if !w.AllowCode && (len(wanted.Requirements) > 0 || len(variables) > 0) {
		return wanted, nil, fmt.Errorf("the source asks for packages or variables of its own (%s, %s), with which it could run any code; an executor allows that with --allow-code (executor-code in serve)", argRequirements, argEnvironment)
	}
	for _, requirement := range wanted.Requirements {
		if strings.HasPrefix(strings.TrimSpace(requirement), "-") {
			return wanted, nil, fmt.Errorf("%s: %q is an option, not a package", argRequirements, requirement)
		}
	}
	var environ []string
	for _, name := range slices.Sorted(maps.Keys(variables)) {
		if !variableName.MatchString(name) {
			return wanted, nil, fmt.Errorf("%s: %q is not the name of a variable", argEnvironment, name)
		}
		environ = append(environ, name+"="+variables[name])
	}
	return wanted, environ, nil
}

var variableName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// inherited are the names of the variables that runs get from this process.
var inherited = []string{"LANG", "LC_ALL", "LC_CTYPE", "TZ", "SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"}

// environment returns the environment of a run: nothing of this process but where the network is, and the secrets
// of the recipe. The home directory is that of the run, so that it finds no credentials there.
func (c *Client) environment(w *Work, programs string) []string {
	env := environmentOf(w, c.Environ)
	return append(env, "PATH="+programs+":/usr/local/bin:/usr/bin:/bin", "PYTHONUNBUFFERED=1", "PYTHONDONTWRITEBYTECODE=1", "DATAHUB_SKIP_CONFIG=true", "DATAHUB_TELEMETRY_ENABLED=false", "DATAHUB_ENABLE_SECRET_MASKING=true")
}

// environmentOf returns the part of the environment of a run that does not depend on its runner.
func environmentOf(w *Work, environ []string) []string {
	var env []string
	noProxy := ""
	for _, one := range environ {
		name, value, _ := strings.Cut(one, "=")
		if slices.Contains(inherited, name) {
			env = append(env, one)
		}
		if strings.EqualFold(name, "NO_PROXY") {
			noProxy = value
		}
	}
	if u, err := url.Parse(w.Server); err == nil && isLoopback(u.Hostname()) {
		noProxy = strings.TrimPrefix(noProxy+","+u.Hostname(), ",")
	}
	if noProxy != "" {
		env = append(env, "NO_PROXY="+noProxy, "no_proxy="+noProxy)
	}
	env = append(env, "HOME="+w.Dir, "TMPDIR="+w.Dir)
	if w.Recipe.Default {
		env = append(env, recipe.ServerVariable+"="+w.Server)
		if w.Token != "" {
			env = append(env, recipe.TokenVariable+"="+w.Token)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(w.Secrets)) {
		env = append(env, name+"="+w.Secrets[name])
	}
	return env
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// errEnded is the error of a run that another program has asked to end, such as a service manager that ends all
// processes of the service.
var errEnded = errors.New("it was asked to end from outside")

// runChild runs the program of a run, and reads its report.
func runChild(ctx context.Context, w *Work, c process.Command, reportFile string) (Report, error) {
	c.Dir, c.Output, c.Held = w.Dir, w.Log, w.Held
	result, err := process.Run(ctx, c)
	if err != nil {
		return Report{Retry: true}, err
	}
	report := Report{Structured: readReport(w, reportFile)}
	switch {
	case result.Stopped:
		report.Retry = true
		return report, cmp.Or(context.Cause(ctx), errEnded)
	case result.OverMemory:
		return report, fmt.Errorf("it used %s of memory, and may use %s", mebibytes(result.Peak), mebibytes(c.Limits.Memory))
	case result.Signal != "":
		report.Retry = true
		return report, fmt.Errorf("it was ended by the signal %s", result.Signal)
	case result.Exit != 0 && w.Run.Task == ingestion.TaskTestConnection && report.Structured != "":
		return report, nil // the test was made, and the report says how the source answered
	case result.Exit != 0:
		return report, fmt.Errorf("it ended with the exit code %d", result.Exit)
	}
	return report, nil
}

func mebibytes(n int64) string { return fmt.Sprintf("%d MiB", n>>20) }

// readReport reads the structured report of a run, if there is one that can be kept.
func readReport(w *Work, file string) string {
	info, err := os.Lstat(file)
	if errors.Is(err, fs.ErrNotExist) {
		return ""
	}
	if err == nil && (!info.Mode().IsRegular() || info.Size() > limits.IngestionReport) {
		err = fmt.Errorf("it has %d bytes, and %d are kept", info.Size(), limits.IngestionReport)
	}
	var text []byte
	if err == nil {
		text, err = os.ReadFile(file)
	}
	if err == nil && !json.Valid(text) {
		err = errors.New("it is not JSON")
	}
	if err != nil {
		w.Log.Print("The structured report is left out: %v.", err)
		return ""
	}
	return string(text)
}
