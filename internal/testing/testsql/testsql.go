// Package testsql lends the SQL parser to tests. The compiled parser is kept in the user's cache
// directory, so that a machine compiles it once.
package testsql

import (
	"os"
	"path/filepath"
	"sync"

	"github.com/headwater-io/headwater/sql/parser"
)

// Cache returns the directory of the compiled parser.
func Cache() string {
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = os.TempDir()
	}
	return filepath.Join(cache, "headwater", "sql")
}

// Parser returns the parser of the tests of a process. Nothing closes it.
var Parser = sync.OnceValue(func() *parser.Parser { return parser.New(Cache()) })
