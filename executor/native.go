package executor

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/headwater-io/headwater/catalog/ingestion"
	"github.com/headwater-io/headwater/executor/process"
	"github.com/headwater-io/headwater/internal/limits"
)

// Native runs the recipes that this program reads without Python, each in a process of its own.
type Native struct {
	// Unknown returns the settings of a source that this program does not know. It reports false if the program does
	// not read sources of the type at all.
	Unknown func(kind string, config map[string]any) (unknown []string, reads bool)
	// Program is the path of this program, and Cache the directory in which it keeps its compiled parser of SQL.
	Program, Cache string
	// Environ, Supervisor, Memory and Grace are as in [Client].
	Environ    []string
	Supervisor []string
	Memory     int64
	Grace      time.Duration
}

// The variables of the environment with which this program's own commands find a server.
const (
	serverVariable = "HEADWATER_SERVER"
	tokenVariable  = "HEADWATER_TOKEN"
)

// Takes implements [Runner].
func (n *Native) Takes(w *Work) (bool, string) {
	if w.Run.ExtraArgs[argRunner] == withClient {
		return false, ""
	}
	fault := ""
	own, hasCommand := commands[w.Recipe.Type]
	unknown, reads := n.Unknown(w.Recipe.Type, w.Recipe.Config)
	if hasCommand {
		fault, reads = own.fault(settingsOf(w)), true
	}
	switch {
	case fault != "":
		return false, fault
	case !reads:
		return false, fmt.Sprintf("sources of the type %s are not read without Python", w.Recipe.Type)
	case len(unknown) > 0:
		return false, "these settings are not known without Python: " + strings.Join(unknown, ", ")
	case !w.Recipe.Plain:
		return false, "recipes with a sink to elsewhere, transformers or flags need Python"
	case w.Run.Version != "" && w.Run.ExtraArgs[argRunner] == "":
		return false, "the source names a version of the Python client"
	}
	return true, ""
}

// Run implements [Runner].
func (n *Native) Run(ctx context.Context, w *Work) (Report, error) {
	w.Log.Print("Reading %s without Python.", w.Recipe.Type)
	own, hasCommand := commands[w.Recipe.Type]
	if hasCommand && w.Run.Task == ingestion.TaskTestConnection {
		return own.try(ctx, w)
	}
	report := filepath.Join(w.Dir, "report.json")
	line := n.ingestSource
	if hasCommand {
		line = own.line
	}
	args, env, err := line(w, n.Cache, report)
	if err != nil {
		return Report{}, err
	}
	env = append(environmentOf(w, n.Environ), append(env, "PATH=/usr/local/bin:/usr/bin:/bin", serverVariable+"="+w.Server)...)
	if w.Token != "" {
		env = append(env, tokenVariable+"="+w.Token)
	}
	return runChild(ctx, w, process.Command{
		Supervisor: n.Supervisor, Path: n.Program, Args: args, Env: env,
		Limits: process.Limits{Memory: cmp.Or(n.Memory, limits.DefaultRunMemory), Files: limits.RunFiles, FileSize: limits.RunFileBytes}, Grace: cmp.Or(n.Grace, defaultGrace),
	}, report)
}

// ingestSource returns the command with which this program runs a recipe of the client, which it writes to a file. The
// command finds the server and the token in its environment.
func (n *Native) ingestSource(w *Work, cache, report string) (args, env []string, err error) {
	text, err := w.Recipe.Text(w.Run.URN)
	if err != nil {
		return nil, nil, err
	}
	file := filepath.Join(w.Dir, "recipe.json")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		return nil, nil, err
	}
	args = []string{"ingest", "source", file, "--report", report, "--cache-dir", cache}
	if w.Run.Task == ingestion.TaskTestConnection {
		args = append(args, "--test")
	}
	return args, nil, nil
}
