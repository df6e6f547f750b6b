package executor

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/headwater-io/headwater/catalog/ingestion"
	"github.com/headwater-io/headwater/executor/recipe"
	"github.com/headwater-io/headwater/executor/runlog"
)

// Work is a run with everything that a runner needs.
type Work struct {
	Run    *ingestion.Run
	Recipe *recipe.Recipe
	// Secrets are the values of the secrets that the recipe names.
	Secrets map[string]string
	// Dir is the working directory of the run, which is removed after it.
	Dir string
	// Held is the file whose lock lasts as long as something of the run does.
	Held *os.File
	// Log takes the output of the run. It masks the secrets.
	Log *runlog.Log
	// Server and Token are where a recipe without a sink writes, and with which access token.
	Server, Token string
	// AllowCode says that the run may bring code of its own.
	AllowCode bool
}

// secrets asks for the values of the secrets that a recipe names.
func (e *Executor) secrets(ctx context.Context, run *ingestion.Run, read *recipe.Recipe) (map[string]string, error) {
	if len(read.Secrets) == 0 && len(read.Optional) == 0 {
		return nil, nil
	}
	found, err := e.Queue.Secrets(ctx, run.Lease)
	if err != nil {
		return nil, fmt.Errorf("the secrets of the recipe cannot be read: %w", err)
	}
	named := map[string]bool{}
	for _, names := range [][]string{read.Secrets, read.Optional} {
		for _, name := range names {
			named[name] = true
		}
	}
	values := map[string]string{}
	for _, one := range found {
		if named[one.Name] {
			values[one.Name] = one.Value
		}
	}
	return values, nil
}

// missingOf returns a sentence with the secrets that a recipe names and the catalog lacks, or "".
func missingOf(read *recipe.Recipe, values map[string]string) string {
	var missing []string
	for _, name := range read.Secrets {
		if _, ok := values[name]; !ok {
			missing = append(missing, name)
		}
	}
	switch len(missing) {
	case 0:
		return ""
	case 1:
		return fmt.Sprintf("the recipe names the secret %s, which the catalog does not have", missing[0])
	}
	return fmt.Sprintf("the recipe names the secrets %s, which the catalog does not have", strings.Join(missing, ", "))
}
