package naming

import (
	"errors"
	"regexp"
	"strings"
)

// Settings are a server's settings for names; the zero value works. Settings are not changed after their
// first use, and may then be used by several goroutines.
type Settings struct {
	// Env is the environment of datasets, PROD if it is empty.
	Env string `yaml:"env"`
	// Orchestrator is the orchestrator of all jobs. If it is empty, the events tell the orchestrator.
	Orchestrator string `yaml:"orchestrator"`
	// Namespaces are the settings of single namespaces. The key is the text of a namespace, or the
	// beginning of namespaces followed by "*". The exact text comes first, then the longest beginning.
	Namespaces map[string]Namespace `yaml:"namespaces"`
	// Tables are patterns of the folders that are tables, such as s3://bucket/foo/{table}. A "*" stands for
	// any text within a folder. Everything below the folder {table} is part of the table. The first pattern
	// that fits decides.
	Tables []string `yaml:"tables"`
	// Partition fits the names of folders that are partitions, nil for none. A path ends before the first
	// folder whose whole name fits. The patterns of Tables come first.
	Partition *regexp.Regexp `yaml:"partition"`
}

// Namespace is the settings of one namespace, or of the namespaces with one beginning.
type Namespace struct {
	// Instance is the platform instance, which becomes the first part of a dataset's name.
	Instance string `yaml:"instance"`
	// Env is the environment of the datasets, that of the settings if it is empty.
	Env string `yaml:"env"`
	// Cluster is the cluster of the flows of a job namespace, the namespace itself if it is empty.
	Cluster string `yaml:"cluster"`
	// Lowercase makes the names of datasets lower-case.
	Lowercase bool `yaml:"lowercase"`
	// AnyCase tells that names of tables which differ in letter case only mean one dataset: the one that exists in the
	// catalog, else the one in lower case.
	AnyCase bool `yaml:"anyCase"`
	// StripDatabase removes the first part of names of tables that have several parts.
	StripDatabase bool `yaml:"stripDatabase"`
	// KeepDatabase keeps the first part of names with three parts in stores whose connectors do not write it:
	// Athena and Oracle.
	KeepDatabase bool `yaml:"keepDatabase"`
}

// Dataset is a dataset as the specification names it.
type Dataset struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
}

// ErrNoName is the error of a dataset, a job or a run without a name.
var ErrNoName = errors.New("the name is empty")

// namespace returns the settings of a namespace.
func (s *Settings) namespace(text string) Namespace {
	for _, spelling := range []string{text, withoutNone(text)} {
		if found, ok := s.Namespaces[spelling]; ok {
			return found
		}
	}
	longest, found := -1, Namespace{}
	for key, special := range s.Namespaces {
		beginning, open := strings.CutSuffix(key, "*")
		if open && len(beginning) > longest && strings.HasPrefix(text, beginning) {
			longest, found = len(beginning), special
		}
	}
	return found
}

// Instance is the platform instance of the datasets of a namespace, "" for none.
func (s *Settings) Instance(namespace string) string {
	_, text := frameworkOf(namespace)
	return s.namespace(text).Instance
}

// env is the environment of a namespace with these settings.
func (s *Settings) env(special Namespace) string {
	for _, env := range []string{special.Env, s.Env} {
		if env = strings.TrimSpace(env); env != "" {
			return strings.ToUpper(env)
		}
	}
	return "PROD"
}

// withoutNone removes the text None that a producer wrote as the port, because it had none.
func withoutNone(namespace string) string {
	before, after, found := strings.Cut(namespace, ":None")
	if !found || after != "" && after[0] != '/' && after[0] != ',' {
		return namespace
	}
	return before + after
}
