// Package recipe reads the recipes of runs: which secrets they name, where they write, and whether they name
// code. A recipe is never written out with the value of a secret.
package recipe

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/headwater-io/headwater/internal/jsontree"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/variables"
)

// The variables of the environment with which the client finds its server.
const (
	ServerVariable = "DATAHUB_GMS_URL"
	TokenVariable  = "DATAHUB_GMS_TOKEN"
)

// Recipe is a recipe that was read. Its texts contain ${NAME} where the value of a secret belongs.
type Recipe struct {
	// Type is the type of the source, Config its settings.
	Type   string
	Config map[string]any
	// Pipeline is the name of the pipeline, or "".
	Pipeline string
	// Secrets are the names of the secrets without which the recipe cannot run, sorted. Optional are the
	// secrets for which the recipe has a default.
	Secrets, Optional []string
	// Default says that the recipe writes to the server of the executor.
	Default bool
	// Plain says that the recipe consists of a source alone, besides its name: it has no transformers, no sink to
	// elsewhere and no further parts.
	Plain bool

	tree jsontree.Object
}

// Options are the rules for the contents of a recipe.
type Options struct {
	// Server is the address to which recipes write by default.
	Server string
	// AllowCode lets recipes name classes and functions in place of registered types.
	AllowCode bool
}

// Read reads a recipe.
func Read(text string, o Options) (*Recipe, error) {
	if len(text) > limits.IngestionRecipe {
		return nil, fmt.Errorf("the recipe has %d bytes, and may have %d", len(text), limits.IngestionRecipe)
	}
	tree, err := jsontree.DecodeObject([]byte(text))
	if err != nil {
		return nil, fmt.Errorf("the recipe is not a JSON object: %w", err)
	}
	source, ok := tree["source"].(jsontree.Object)
	if !ok {
		return nil, errors.New("the recipe has no source; a recipe begins {\"source\": {\"type\": …}}")
	}
	r := &Recipe{tree: tree, Type: jsontree.Text(source, "type"), Config: jsontree.Member(source, "config"), Pipeline: jsontree.Text(tree, "pipeline_name")}
	if r.Type == "" {
		return nil, errors.New("the source of the recipe has no type, such as postgres")
	}
	if r.Config == nil {
		r.Config = jsontree.Object{}
	}
	if !o.AllowCode {
		if err := refuseCode(tree); err != nil {
			return nil, err
		}
	}
	r.Default = defaultSink(tree, o.Server)
	r.Plain = r.Default && plain(tree)
	return r, r.findSecrets()
}

// known are the parts of a recipe that name no more than the source does.
var known = []string{"source", "pipeline_name", "run_id"}

func plain(tree jsontree.Object) bool {
	for name, part := range tree {
		list, isList := part.([]any)
		if !slices.Contains(known, name) && part != nil && (!isList || len(list) > 0) {
			return false
		}
	}
	return true
}

// defaultSink reports whether a recipe writes to the executor's server. Where it names that server without a
// token, the sink is taken out, so that the executor's own is used.
func defaultSink(tree jsontree.Object, server string) bool {
	sink := jsontree.Member(tree, "sink")
	if sink == nil {
		delete(tree, "sink")
		return true
	}
	config := jsontree.Member(sink, "config")
	to, token := jsontree.Text(config, "server"), jsontree.Text(config, "token")
	toUs := to == "" || to == "${"+ServerVariable+"}" || sameServer(to, server)
	asUs := token == "" || token == "${"+TokenVariable+"}"
	if jsontree.Text(sink, "type") != "datahub-rest" || !toUs || !asUs {
		return false
	}
	delete(tree, "sink")
	return true
}

// sameServer reports whether two addresses name the same host and port.
func sameServer(a, b string) bool {
	first, err1 := url.Parse(a)
	second, err2 := url.Parse(b)
	return err1 == nil && err2 == nil && first.Host != "" && place(first) == place(second)
}

func place(u *url.URL) string {
	host, port := strings.ToLower(u.Hostname()), u.Port()
	if host == "localhost" || host == "::1" {
		host = "127.0.0.1"
	}
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	return host + ":" + port
}

// Text returns the recipe as JSON for the client, with the ID of the run unless the recipe has one.
func (r *Recipe) Text(runID string) ([]byte, error) {
	tree := maps.Clone(r.tree)
	tree["run_id"] = r.RunID(runID)
	return json.MarshalIndent(tree, "", "  ")
}

// RunID returns the ID of the run that the recipe has, otherwise the given one.
func (r *Recipe) RunID(otherwise string) string {
	return cmp.Or(jsontree.Text(r.tree, "run_id"), otherwise)
}

// reserved are the names that mean something to the programs of a run. No secret may have one.
var reserved = regexp.MustCompile(`(?i)^(PATH|HOME|LANG|LC_.*|TMPDIR|TMP|TEMP|SHELL|IFS|ENV|BASH_.*|LD_.*|DYLD_.*|GCONV_PATH|PYTHON.*|DATAHUB_.*|HTTPS?_PROXY|ALL_PROXY|NO_PROXY|SSL_CERT_.*|REQUESTS_CA_BUNDLE|CURL_CA_BUNDLE|OPENSSL_.*|GIT_.*|UV_.*|PIP_.*|GODEBUG|GOMEMLIMIT|HEADWATER_.*)$`)

// findSecrets lists the names of the secrets.
func (r *Recipe) findSecrets() error {
	needed, optional := map[string]bool{}, map[string]bool{}
	var wrong error
	eachText(r.tree, func(text string) {
		for _, named := range variables.Braced(text) {
			name := named.Name
			switch {
			case name == ServerVariable || name == TokenVariable:
				wrong = errors.Join(wrong, fmt.Errorf("${%s} belongs to the executor, and a recipe may use it only in a sink that writes to the server of the executor; leave the sink out", name))
			case reserved.MatchString(name):
				wrong = errors.Join(wrong, fmt.Errorf("a secret may not be called %s, because programs read a setting from a variable of that name", name))
			case named.Default:
				optional[name] = true
			default:
				needed[name] = true
			}
		}
	})
	if wrong != nil {
		return wrong
	}
	for name := range needed {
		delete(optional, name)
	}
	if n := len(needed) + len(optional); n > limits.MaxSecretsRead {
		return fmt.Errorf("the recipe names %d secrets, and may name %d", n, limits.MaxSecretsRead)
	}
	r.Secrets, r.Optional = slices.Sorted(maps.Keys(needed)), slices.Sorted(maps.Keys(optional))
	return nil
}

// eachText calls do for each text of a tree.
func eachText(tree any, do func(string)) {
	switch tree := tree.(type) {
	case string:
		do(tree)
	case []any:
		for _, one := range tree {
			eachText(one, do)
		}
	case jsontree.Object:
		for _, one := range tree {
			eachText(one, do)
		}
	}
}
