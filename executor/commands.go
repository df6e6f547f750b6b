package executor

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/headwater-io/headwater/client"
	"github.com/headwater-io/headwater/internal/filelist"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/nearest"
	"github.com/headwater-io/headwater/internal/variables"
)

// command is how this program reads a type of source by one of its own commands.
type command struct {
	// settings are the settings of the command, and required the settings that a recipe must have. Only the setting
	// secret may name secrets, because the other settings become arguments, which other users of the machine can see.
	settings, required []string
	secret             string
	// python says that the Python client reads sources of the type, too. withRun says that the command takes the ID of
	// the run and the name of the pipeline, and withSQL that it parses SQL.
	// withPipeline is withRun without the ID of the run.
	python, withRun, withPipeline, withSQL bool
	// arguments returns the command with its flags.
	arguments func(s *commandSettings) ([]string, error)
	// environ returns further variables of the environment.
	environ func(s *commandSettings) []string
	// test says whether the source can be reached. Without it, the arguments are enough.
	test func(ctx context.Context, s *commandSettings) error
}

// commands are the commands by the types of sources.
var commands = map[string]command{
	"file": {
		settings: []string{"filename", "path"}, python: true, withRun: true,
		arguments: func(s *commandSettings) ([]string, error) {
			path, err := s.file("path", "filename")
			return []string{"ingest", path}, err
		},
	},
	"sql-files": {
		settings: sqlSettings, required: []string{"path", "dialect"}, withRun: true, withSQL: true,
		arguments: func(s *commandSettings) ([]string, error) {
			files, err := s.files("path", ".sql")
			return append(append([]string{"sql", "--ingest"}, sqlFlags(s)...), files...), err
		},
	},
	"query-log": {
		settings: append([]string{"format"}, sqlSettings...), required: []string{"path", "dialect"}, withRun: true, withSQL: true,
		arguments: func(s *commandSettings) ([]string, error) {
			files, err := s.files("path", ".csv", ".json", ".jsonl", ".ndjson", ".sql", ".csv.gz", ".json.gz", ".jsonl.gz", ".ndjson.gz", ".sql.gz")
			args := append([]string{"sql", "--ingest", "--log", "--ignore-column", "*"}, sqlFlags(s)...)
			return append(s.flag(args, "format", "--log-format"), files...), err
		},
	},
	"openlineage-files": {
		settings: []string{"path"}, required: []string{"path"},
		arguments: func(s *commandSettings) ([]string, error) {
			files, err := s.files("path", ".json", ".jsonl", ".ndjson", ".json.gz", ".jsonl.gz", ".ndjson.gz")
			return append([]string{"ingest", "openlineage"}, files...), err
		},
	},
	"catalog": {
		settings: []string{"server", "token", "delete_at_most"}, required: []string{"server"}, secret: "token", withPipeline: true,
		arguments: func(s *commandSettings) ([]string, error) {
			address, err := client.SourceAddress(s.text("server"))
			return s.flag([]string{"copy", address}, "delete_at_most", "--delete-at-most"), err
		},
		environ: func(s *commandSettings) []string { return []string{"HEADWATER_SOURCE_TOKEN=" + s.text("token")} },
		test: func(ctx context.Context, s *commandSettings) error {
			address, err := client.SourceAddress(s.text("server"))
			if err != nil {
				return err
			}
			_, err = client.NewSource(address, s.text("token"), 10*time.Second, 1<<20).Config(ctx)
			return err
		},
	},
}

// sqlSettings are the settings of files of SQL, and sqlFlags the flags of the command sql that they become.
var sqlSettings = []string{"path", "dialect", "platform", "platform_instance", "env", "default_db", "default_schema"}

func sqlFlags(s *commandSettings) []string {
	var args []string
	for _, one := range [][2]string{
		{"dialect", "--dialect"},
		{"platform", "--platform"},
		{"platform_instance", "--platform-instance"},
		{"env", "--env"},
		{"default_db", "--database"},
		{"default_schema", "--default-schema"},
	} {
		args = s.flag(args, one[0], one[1])
	}
	return args
}

// line returns the command with its flags, and further variables of its environment. cache is the directory of the
// compiled parser of SQL. These commands write no report.
func (c *command) line(w *Work, cache, _ string) (args, env []string, err error) {
	settings := settingsOf(w)
	if args, err = c.arguments(settings); err != nil {
		return nil, nil, err
	}
	if c.withRun {
		args = append(args, "--run-id="+w.Recipe.RunID(w.Run.URN))
	}
	if (c.withRun || c.withPipeline) && w.Recipe.Pipeline != "" {
		args = append(args, "--pipeline-name="+w.Recipe.Pipeline)
	}
	if c.withSQL {
		args = append(args, "--cache-dir="+cache)
	}
	if c.environ != nil {
		env = c.environ(settings)
	}
	return args, env, nil
}

// fault says why the command cannot run a recipe, "" if it can.
func (c *command) fault(s *commandSettings) string {
	var faults []string
	for _, name := range slices.Sorted(maps.Keys(s.config)) {
		text, isText := s.config[name].(string)
		switch {
		case !slices.Contains(c.settings, name):
			faults = append(faults, fmt.Sprintf("%s is not a setting%s", name, nearest.Among(name, c.settings, "settings")))
		case s.config[name] != nil && !isText:
			faults = append(faults, name+" must be a text")
		case name != c.secret && strings.Contains(text, "$"):
			faults = append(faults, name+" may not name a variable")
		}
	}
	for _, name := range c.required {
		if s.text(name) == "" {
			faults = append(faults, name+" is missing")
		}
	}
	if len(faults) == 0 {
		if _, err := c.arguments(s); err != nil {
			faults = append(faults, err.Error())
		}
	}
	return strings.Join(faults, "; ")
}

// commandSettings are the settings of a recipe that a command runs.
type commandSettings struct {
	config  map[string]any
	secrets map[string]string
}

func settingsOf(w *Work) *commandSettings {
	return &commandSettings{config: w.Recipe.Config, secrets: w.Secrets}
}

// text returns a setting, with the values of the secrets that it names.
func (s *commandSettings) text(name string) string {
	text, _ := s.config[name].(string)
	text, _ = variables.Expand(text, func(name string) (string, bool) {
		value, known := s.secrets[name]
		return value, known
	})
	return text
}

// flag adds a flag with the value of a setting, if it has one.
func (s *commandSettings) flag(args []string, name, flag string) []string {
	if value := s.text(name); value != "" {
		args = append(args, flag+"="+value)
	}
	return args
}

// file returns the path of a file of this machine.
func (s *commandSettings) file(names ...string) (string, error) {
	path := ""
	for _, name := range names {
		path = cmp.Or(path, s.text(name))
	}
	if !filepath.IsAbs(path) {
		return "", fmt.Errorf("%s must be an absolute path", names[0])
	}
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is no file", path)
	}
	return path, err
}

// files returns the file of this machine that a setting names, or the files below the directory that it names.
func (s *commandSettings) files(name string, endings ...string) ([]string, error) {
	path := s.text(name)
	if !filepath.IsAbs(path) {
		return nil, fmt.Errorf("%s must be an absolute path", name)
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		return filelist.Below(path, limits.SourceFiles, endings...)
	}
	return []string{path}, nil
}

// tested is the report of a connection test, in the form of the Python client's.
type tested struct {
	Basic ability `json:"basic_connectivity"`
}

type ability struct {
	Capable bool   `json:"capable"`
	Reason  string `json:"failure_reason,omitempty"`
}

// try tests whether the source of a command can be read.
func (c *command) try(ctx context.Context, w *Work) (Report, error) {
	var err error
	if c.test != nil {
		err = c.test(ctx, settingsOf(w))
	}
	found := tested{Basic: ability{Capable: err == nil}}
	if err != nil {
		found.Basic.Reason = w.Log.Mask(err.Error())
	}
	text, failure := json.Marshal(found)
	if failure != nil {
		return Report{}, failure
	}
	w.Log.Print("%s can be read: %t. %s", w.Recipe.Type, err == nil, found.Basic.Reason)
	return Report{Structured: string(text)}, nil
}
