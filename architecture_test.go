// Package headwater_test holds the import rules of the repository. The rules
// below are the only place that has them; the table in ARCHITECTURE.md repeats
// them with what each folder owns, and is compared with them.
package headwater_test

import (
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/headwater-io/headwater/"

// A rule names the packages of this module that a folder may import. Tests
// (_test.go) may import any of them.
type rule struct {
	folder string
	may    []string
}

// rules go from the bottom to the top: a folder may only import folders above
// its own line. "helpers", "rooms" and "families" stand for the folders in groups.
var rules = []rule{
	// Helpers: small, and about nothing of the catalog.
	{"internal/broadcast", nil},
	{"internal/checktext", nil},
	{"internal/clip", nil},
	{"internal/collector", nil},
	{"internal/durations", nil},
	{"internal/features", nil},
	{"internal/filelist", nil},
	{"internal/hooksend", nil},
	{"internal/jsonlimit", nil},
	{"internal/jsontree", nil},
	{"internal/limits", nil},
	{"internal/nearest", nil},
	{"internal/strictyaml", []string{"internal/nearest"}},
	{"internal/querytext", []string{"internal/limits"}},
	{"internal/recent", nil},
	{"internal/requestinfo", nil},
	{"internal/optional", nil},
	{"internal/privatefile", nil},
	{"internal/python", nil},
	{"internal/variables", nil},
	{"internal/reread", nil},
	{"internal/safely", nil},
	{"internal/screen", nil},
	{"internal/sealed", nil},
	{"internal/sheet", nil},
	{"internal/shorthash", nil},
	{"internal/tasks", []string{"internal/safely"}},
	{"internal/turns", nil},
	{"internal/webpage", nil},
	{"internal/wording", nil},
	{"sql", []string{"internal/limits"}},
	{"sql/parser", []string{"internal/limits", "internal/tasks"}},
	{"sql/lineage", []string{"internal/jsontree", "internal/limits", "sql/parser"}},
	{"sql/reads", []string{"internal/limits", "internal/recent", "sql", "sql/lineage", "sql/parser"}},

	// The model is pure.
	{"model/internal/gennames", nil},
	{"model/internal/gentables", nil},
	{"model", []string{"internal/checktext", "internal/jsontree", "internal/limits", "internal/nearest"}},

	// Stores and indexes have no business rules and do not know each other. The
	// interfaces do not know the engines, and stores do not know the model.
	{"graphstore", []string{"internal/limits"}},
	{"indexer", []string{"model"}},
	{"cypher", nil},
	{"cypher/browser", nil},
	{"internal/sqlite", nil},
	{"graphstore/embedded", []string{"graphstore", "internal/sqlite", "internal/limits", "internal/recent"}},
	{"graphstore/neo4j", []string{"graphstore", "cypher", "internal/limits", "internal/safely", "internal/shorthash", "internal/tasks"}},
	{"graphstore/storewrap", []string{"graphstore", "internal/durations"}},
	{"indexer/embedded", []string{"indexer", "internal/limits", "internal/safely"}},
	{"indexer/typesense", []string{"indexer", "internal/recent", "internal/safely"}},
	{"indexer/indexwrap", []string{"indexer", "internal/durations"}},

	// The catalog and its rooms contain every business rule. They know neither
	// the engines below nor the transports above.
	{"catalog", []string{"graphstore", "model", "helpers"}},
	{"catalog/permission", []string{"catalog", "model", "internal/requestinfo"}},
	{"catalog/records", []string{"catalog", "graphstore"}},
	{"catalog/openlineage/naming", []string{"internal/limits", "internal/strictyaml", "model"}},
	{"catalog/matching", []string{"catalog", "graphstore", "helpers"}},
	{"catalog/statements", []string{"catalog", "graphstore", "model", "helpers"}},
	{"catalog/suggest", []string{"catalog", "catalog/permission", "catalog/records", "catalog/statements", "model", "helpers"}},
	{"catalog/traces", []string{"catalog"}},
	{"catalog/write", []string{"catalog", "catalog/permission", "graphstore", "model", "helpers"}},
	{"catalog/changelog", []string{"catalog", "graphstore", "helpers"}},
	{"catalog/read", []string{"catalog", "catalog/matching", "catalog/statements", "catalog/traces", "graphstore", "model", "helpers"}},
	{"catalog/history", []string{"catalog", "catalog/statements", "graphstore", "model", "helpers"}},
	{"catalog/changeevents", []string{"catalog", "catalog/history", "model", "helpers"}},
	{"catalog/stats", []string{"catalog", "catalog/matching", "graphstore", "model", "helpers"}},
	{"catalog/quality", []string{"catalog", "catalog/history", "graphstore", "model", "helpers"}},
	{"catalog/delivery", []string{"catalog", "catalog/records", "graphstore", "helpers"}},
	{"catalog/failed", []string{"catalog", "catalog/permission", "catalog/records", "catalog/traces", "model", "helpers"}},
	{"catalog/removal", []string{"catalog", "catalog/permission", "catalog/write", "graphstore", "model", "helpers"}},
	{"catalog/openlineage", []string{"catalog", "catalog/openlineage/naming", "catalog/permission", "catalog/records", "catalog/write", "graphstore", "model", "helpers"}},
	{"catalog/tracking", []string{"catalog", "catalog/permission", "catalog/records", "model", "helpers"}},
	{"catalog/transfer", []string{"catalog", "catalog/write", "graphstore", "model", "helpers"}},
	{"catalog/replica", []string{"catalog", "catalog/permission", "catalog/records", "catalog/transfer", "catalog/write", "graphstore", "model", "helpers"}},
	{"catalog/follower", []string{"catalog", "catalog/permission", "graphstore", "indexer", "model", "helpers"}},
	{"catalog/search", []string{"catalog", "catalog/follower", "catalog/matching", "catalog/statements", "graphstore", "indexer", "model", "helpers"}},
	{"catalog/lineage", []string{"catalog", "catalog/history", "catalog/read", "catalog/search", "catalog/statements", "graphstore", "indexer", "model", "sql", "sql/parser", "sql/reads", "helpers"}},
	{"catalog/overlay", []string{"catalog", "catalog/lineage", "catalog/read", "catalog/statements", "graphstore", "model", "helpers"}},
	{"catalog/dbt", []string{"model", "sql/lineage", "sql/parser", "helpers"}},
	{"catalog/sqllineage", []string{"catalog", "catalog/statements", "model", "sql/lineage", "helpers"}},
	{"catalog/sqlqueries", []string{"catalog", "catalog/history", "catalog/lineage", "catalog/read", "catalog/search", "catalog/sqllineage", "catalog/statements", "catalog/suggest", "graphstore", "model", "sql/lineage", "sql/parser", "helpers"}},
	{"catalog/unused", []string{"catalog", "catalog/lineage", "catalog/read", "catalog/search", "catalog/statements", "graphstore", "model", "helpers"}},
	{"catalog/querylog", []string{"catalog", "catalog/sqllineage", "model", "sql/lineage", "helpers"}},
	{"catalog/schemafile", []string{"helpers"}},
	{"catalog/change", []string{"catalog/dbt", "catalog/schemafile", "model", "sql/lineage", "helpers"}},
	{"catalog/change/gate", []string{"catalog/change", "helpers"}},
	{"catalog/change/report", []string{"catalog/change", "catalog/change/gate", "helpers"}},
	{"catalog/openlineage/marquez", []string{"catalog", "catalog/lineage", "catalog/openlineage", "catalog/openlineage/naming", "catalog/permission", "catalog/read", "catalog/search", "graphstore", "model", "helpers"}},
	{"catalog/moments", []string{"catalog", "catalog/history", "catalog/lineage", "catalog/permission", "catalog/read", "catalog/statements", "catalog/write", "graphstore", "model", "helpers"}},
	{"catalog/feed", []string{"catalog", "catalog/changeevents", "catalog/lineage", "catalog/permission", "catalog/records", "graphstore", "model", "helpers"}},
	{"catalog/secrets", []string{"catalog", "catalog/permission", "catalog/search", "catalog/write", "graphstore", "model", "helpers"}},
	{"catalog/ingestion/forms", []string{"internal/limits", "internal/nearest", "internal/python"}},
	{"catalog/ingestion", []string{"catalog", "catalog/permission", "catalog/records", "catalog/secrets", "catalog/write", "graphstore", "model", "helpers"}},
	{"catalog/edits", []string{"catalog", "catalog/permission", "catalog/search", "catalog/statements", "catalog/write", "graphstore", "model", "helpers"}},
	{"catalog/streams", []string{"catalog", "catalog/changeevents", "catalog/feed", "model", "helpers"}},
	{"catalog/ending", []string{"catalog", "catalog/delivery", "catalog/ingestion", "catalog/lineage", "catalog/write", "model", "helpers"}},
	{"catalog/announced", []string{"catalog", "catalog/changeevents", "catalog/delivery", "catalog/permission", "catalog/write", "graphstore", "model", "helpers"}},
	{"catalog/derived", []string{"catalog", "catalog/delivery", "catalog/records", "catalog/sqllineage", "catalog/statements", "catalog/write", "graphstore", "model", "sql/lineage", "sql/parser", "helpers"}},
	{"catalog/webhooks", []string{"catalog", "catalog/delivery", "catalog/permission", "catalog/records", "catalog/streams", "helpers"}},
	{"catalog/services", []string{"catalog", "rooms", "graphstore", "indexer", "internal/hooksend", "model", "sql/parser"}},

	// Who a caller is. These know the words of the catalog, and neither its other rooms nor HTTP.
	{"access/keys", []string{"internal/privatefile", "internal/reread"}},
	{"access/tokens", []string{"access/keys", "catalog", "model", "helpers"}},
	{"access/secrets", []string{"catalog", "helpers"}},
	{"access/people", []string{"catalog", "catalog/read", "catalog/records", "catalog/write", "graphstore", "model", "helpers"}},
	{"access/sessions", []string{"catalog", "catalog/records", "helpers"}},
	{"access/audit", []string{"catalog", "catalog/permission", "catalog/records", "helpers"}},
	{"access/shares", []string{"catalog", "helpers"}},
	{"access/oidc", []string{"catalog", "helpers"}},
	{"access/policies", []string{"internal/jsontree", "internal/nearest", "model"}},
	{"access/policies/policyfile", []string{"access/policies", "internal/nearest", "model"}},
	{"access/facts", []string{"access/policies", "catalog", "graphstore", "model", "helpers"}},
	{"access/permit", []string{"access/facts", "access/policies", "access/policies/policyfile", "catalog", "catalog/permission", "catalog/write", "graphstore", "model", "helpers"}},
	{"access/visible", []string{"access/policies", "catalog", "catalog/write", "graphstore", "indexer", "model", "helpers"}},
	{"access", []string{"access/keys", "access/oidc", "access/permit", "access/policies", "access/tokens", "access/visible", "catalog", "catalog/permission", "catalog/write", "model", "helpers"}},
	{"access/manage", []string{"access", "access/permit", "access/policies", "access/policies/policyfile", "catalog", "catalog/permission", "catalog/write", "model", "helpers"}},

	// Transports know the catalog and not each other; they know no store and no
	// index. Nor do the families of handlers in rest know each other: two that need the
	// same thing find it in rest/call.
	{"internal/intake", []string{"catalog", "helpers"}},
	{"internal/pace", []string{"internal/intake", "helpers"}},
	{"rest/stored", []string{"catalog"}},
	{"rest/call", []string{"catalog", "rooms", "internal/intake", "model", "helpers", "rest/stored"}},
	{"rest/sse", []string{"catalog", "internal/pace", "helpers", "rest/call"}},
	{"rest/openapi", []string{"helpers", "rest/call"}},
	{"rest/restli", []string{"catalog", "rooms", "catalog/services", "internal/intake", "model", "helpers", "rest/call", "rest/stored"}},
	{"rest/v1", []string{"catalog", "rooms", "catalog/services", "internal/intake", "model", "helpers", "rest/call", "rest/stored"}},
	{"rest/v3", []string{"catalog", "rooms", "catalog/services", "internal/intake", "model", "helpers", "rest/call", "rest/stored"}},
	{"rest/history", []string{"catalog", "rooms", "catalog/services", "helpers", "rest/call"}},
	{"rest/lineage", []string{"catalog", "model", "rooms", "catalog/services", "helpers", "rest/call"}},
	{"rest/search", []string{"catalog", "rooms", "catalog/services", "helpers", "rest/call"}},
	{"rest/removal", []string{"catalog", "rooms", "catalog/services", "helpers", "rest/call"}},
	{"rest/operations", []string{"catalog", "rooms", "catalog/services", "cypher/browser", "internal/intake", "helpers", "rest/call"}},
	{"rest/events", []string{"catalog", "rooms", "catalog/services", "model", "helpers", "rest/call", "rest/sse"}},
	{"rest/access", []string{"access/audit", "access/oidc", "access/people", "access/sessions", "catalog", "catalog/write", "model", "helpers", "rest/call"}},
	{"rest/webhooks", []string{"catalog", "rooms", "catalog/services", "internal/intake", "helpers", "rest/call"}},
	{"rest/openlineage", []string{"catalog", "catalog/openlineage/marquez", "catalog/services", "internal/intake", "helpers", "rest/call"}},
	{"rest/ingestion", []string{"catalog", "catalog/ingestion", "catalog/services", "helpers", "rest/call", "rest/sse"}},
	{"rest/usage", []string{"catalog", "rooms", "catalog/services", "model", "helpers", "rest/call"}},
	{"rest/audit", []string{"access/audit", "catalog", "model", "helpers", "rest/call", "rest/sse"}},
	{"rest/policies", []string{"access/manage", "catalog", "model", "helpers", "rest/call"}},
	{"rest/pages", []string{"catalog", "catalog/services", "cypher/browser", "helpers", "rest/call", "rest/openapi"}},
	{"rest", []string{
		"access", "access/audit", "access/manage", "access/shares", "catalog", "rooms", "catalog/services", "cypher/browser", "internal/intake", "internal/pace", "helpers", "rest/call", "rest/sse",
		"rest/restli", "rest/v1", "rest/v3", "rest/history", "rest/lineage", "rest/search", "rest/removal", "rest/operations", "rest/events", "rest/access", "rest/webhooks", "rest/openlineage", "rest/ingestion", "rest/usage", "rest/audit", "rest/policies", "rest/pages",
	}},
	{"gql/generate", nil},
	{"gql/graphiql", []string{"helpers"}},
	{"gql/object", []string{"access/audit", "access/manage", "catalog", "catalog/ingestion/forms", "rooms", "catalog/services", "model", "helpers"}},
	{"gql/generated", []string{"gql/object"}},
	{"gql/resolver", []string{"access", "access/manage", "access/people", "access/policies", "access/tokens", "catalog", "catalog/ingestion/forms", "rooms", "gql/generated", "gql/object", "model", "helpers"}},
	{"gql", []string{"access", "access/audit", "access/manage", "access/people", "catalog", "rooms", "catalog/services", "gql/generated", "gql/object", "gql/resolver", "internal/intake", "model", "helpers"}},
	{"mcp", []string{"access/audit", "catalog", "rooms", "catalog/services", "model", "helpers"}},
	{"kafka/connect", []string{"helpers"}},
	{"kafka/wire", []string{"helpers"}},
	{"kafka/registry", []string{"kafka/wire", "helpers"}},
	{"kafka/form", []string{"catalog", "catalog/changeevents", "catalog/streams", "kafka/wire", "helpers"}},
	{"kafka/produce", []string{"catalog", "kafka/connect", "kafka/form", "kafka/wire", "helpers"}},
	{"kafka/replicas", []string{"catalog", "catalog/delivery", "catalog/replica", "kafka/connect", "helpers"}},
	{"kafka/proposals", []string{"catalog", "catalog/failed", "catalog/records", "catalog/write", "internal/intake", "kafka/connect", "kafka/wire", "graphstore", "model", "helpers"}},
	{"web", nil},
	{"web/pack", nil},
	{"web/shrink", nil},

	// The program.
	{"sample", []string{"catalog", "catalog/removal", "catalog/services", "catalog/write", "model"}},
	{"app/config", []string{"access/keys", "catalog/statements", "kafka/wire", "helpers"}},
	{"app/obs", nil},
	{"client", []string{"internal/limits", "model"}},
	{"client/batches", []string{"helpers"}},
	{"client/ingest", []string{"client", "client/batches", "model"}},
	{"client/runs", []string{"catalog/ingestion", "client"}},
	{"client/copying", []string{"client", "client/batches", "client/ingest", "model", "helpers"}},
	{"connectors", []string{"model", "helpers"}},
	{"connectors/internal/settings", []string{"helpers"}},
	{"connectors/internal/relational", []string{"catalog", "catalog/querylog", "catalog/sqllineage", "connectors", "connectors/internal/settings", "model", "sql/lineage", "helpers"}},
	{"connectors/postgres", []string{"connectors", "connectors/internal/relational", "connectors/internal/settings", "model", "sql/lineage", "helpers"}},
	{"connectors/mysql", []string{"connectors", "connectors/internal/relational", "connectors/internal/settings", "model", "sql/lineage", "helpers"}},
	{"connectors/sqlite", []string{"connectors", "connectors/internal/relational", "connectors/internal/settings", "internal/sqlite", "model", "sql/lineage", "helpers"}},
	{"connectors/dbt", []string{"catalog/dbt", "connectors", "connectors/internal/settings", "model", "sql/lineage", "helpers"}},
	{"connectors/run", []string{"client", "connectors", "connectors/dbt", "connectors/internal/settings", "connectors/mysql", "connectors/postgres", "connectors/sqlite", "model", "sql/lineage", "helpers"}},
	{"executor/process", []string{"helpers"}},
	{"executor/runlog", nil},
	{"executor/recipe", []string{"helpers"}},
	{"executor/python", []string{"executor/process", "helpers"}},
	{"executor", []string{"catalog/ingestion", "client", "client/runs", "connectors/run", "executor/process", "executor/python", "executor/recipe", "executor/runlog", "helpers"}},
	{"app", []string{
		"access", "access/audit", "access/keys", "access/manage", "access/oidc", "access/people", "access/permit", "access/secrets", "access/sessions", "access/shares", "access/tokens", "access/visible", "app/config", "app/obs", "catalog", "rooms", "catalog/services", "rest", "gql", "gql/graphiql", "mcp", "web", "sample", "sql/parser", "kafka/connect", "kafka/form", "kafka/produce", "kafka/proposals", "kafka/registry", "kafka/replicas", "kafka/wire", "client", "executor", "internal/intake",
		"graphstore", "graphstore/embedded", "graphstore/neo4j", "graphstore/storewrap",
		"indexer", "indexer/embedded", "indexer/typesense", "indexer/indexwrap", "model", "helpers",
	}},
	{"cmd/headwater/internal/show", []string{"catalog/lineage", "client", "model", "helpers"}},
	{"cmd/headwater/internal/cli", []string{"client", "cmd/headwater/internal/show", "model", "helpers"}},
	{"cmd/headwater/internal/sending", []string{"client/ingest", "cmd/headwater/internal/cli", "model", "helpers"}},
	{"cmd/headwater/serve", []string{"app", "app/config", "cmd/headwater/internal/cli", "helpers"}},
	{"cmd/headwater/get", []string{"catalog/lineage", "catalog/quality", "catalog/statements", "client", "cmd/headwater/internal/cli", "cmd/headwater/internal/show", "model", "helpers"}},
	{"cmd/headwater/search", []string{"cmd/headwater/internal/cli", "cmd/headwater/internal/show", "helpers"}},
	{"cmd/headwater/lineage", []string{"catalog", "catalog/lineage", "catalog/statements", "catalog/unused", "client", "cmd/headwater/internal/cli", "cmd/headwater/internal/show", "model", "helpers"}},
	{"cmd/headwater/history", []string{"catalog", "catalog/history", "catalog/moments", "catalog/removal", "client", "cmd/headwater/internal/cli", "cmd/headwater/internal/show", "model", "helpers"}},
	{"cmd/headwater/edit", []string{"catalog/edits", "catalog/removal", "catalog/write", "client", "cmd/headwater/internal/cli", "cmd/headwater/internal/show", "model", "helpers"}},
	{"cmd/headwater/transfer", []string{"app", "app/config", "catalog/dbt", "catalog/transfer", "client", "client/batches", "client/copying", "client/ingest", "cmd/headwater/internal/cli", "cmd/headwater/internal/sending", "connectors", "connectors/run", "model", "sql/lineage", "sql/parser", "helpers"}},
	{"cmd/headwater/notify", []string{"catalog/changeevents", "catalog/feed", "catalog/streams", "catalog/webhooks", "client", "cmd/headwater/internal/cli", "cmd/headwater/internal/show", "helpers"}},
	{"cmd/headwater/access", []string{"access/keys", "access/secrets", "client", "cmd/headwater/internal/cli", "cmd/headwater/internal/show", "helpers"}},
	{"cmd/headwater/operate", []string{"access/audit", "catalog/delivery", "catalog/failed", "client", "cmd/headwater/internal/cli", "cmd/headwater/internal/show", "helpers"}},
	{"cmd/headwater/agents", []string{"client", "cmd/headwater/internal/cli"}},
	{"cmd/headwater/shell", []string{"cmd/headwater/internal/cli"}},
	{"cmd/headwater/sql", []string{"cmd/headwater/internal/cli", "catalog", "catalog/sqllineage", "client", "model", "sql/lineage", "sql/parser", "cmd/headwater/internal/sending", "catalog/querylog", "client/ingest", "helpers"}},
	{"cmd/headwater/check", []string{"cmd/headwater/internal/cli", "catalog/announced", "catalog/change", "catalog/change/gate", "catalog/change/report", "catalog/dbt", "catalog/lineage", "catalog/schemafile", "catalog/sqllineage", "client", "model", "sql/lineage", "sql/parser", "helpers"}},
	{"cmd/headwater/execute", []string{"cmd/headwater/internal/cli", "executor", "executor/process", "helpers"}},
	{"cmd/headwater", []string{"families", "cmd/headwater/internal/cli"}},

	// The packages that only tests and measurements use. No folder of the program names them.
	{"internal/testing/testclock", nil},
	{"internal/testing/testleaks", nil},
	{"internal/testing/testseed", nil},
	{"internal/testing/testsize", nil},
	{"internal/testing/testbrowser", nil},
	{"internal/testing/testservers", nil},
	{"internal/testing/testsql", []string{"sql/parser"}},
	{"graphstore/storetest", []string{"graphstore", "internal/limits", "internal/testing/testseed", "internal/testing/testsize"}},
	{"indexer/indextest", []string{"indexer", "internal/testing/testseed"}},
	{"internal/testing/testaccess", []string{"access/permit", "access/policies", "catalog/permission", "catalog/write", "internal/requestinfo", "internal/testing/testservers", "model"}},
	{"internal/testing/testcatalog", []string{"access", "access/audit", "access/manage", "access/permit", "access/secrets", "catalog/records", "rooms", "catalog/services", "graphstore", "graphstore/embedded", "indexer", "indexer/embedded", "internal/testing/testsql", "model"}},
	{"catalog/catalogtest", []string{
		"catalog", "rooms", "catalog/services", "graphstore", "graphstore/embedded", "graphstore/neo4j", "indexer", "indexer/embedded",
		"indexer/typesense", "internal/testing/testclock", "internal/testing/testservers", "internal/testing/testsql", "model",
	}},
	{"catalog/cases", nil},
	{"e2e", nil},
	{"bench", []string{
		"catalog", "rooms", "catalog/services", "rest", "kafka/wire", "graphstore", "graphstore/embedded", "graphstore/neo4j",
		"indexer", "indexer/embedded", "indexer/typesense", "model",
	}},
	{"attack", nil},
	{"oracle", nil},
}

var groups = map[string][]string{
	"helpers": {
		"internal/broadcast", "internal/checktext", "internal/clip", "internal/collector", "internal/durations", "internal/features", "internal/filelist", "internal/hooksend", "internal/jsonlimit", "internal/jsontree", "internal/limits", "internal/nearest", "internal/optional",
		"internal/privatefile", "internal/python", "internal/querytext", "internal/recent", "internal/requestinfo", "internal/reread", "internal/safely", "internal/screen", "internal/sealed", "internal/sheet", "internal/shorthash", "internal/strictyaml", "internal/tasks", "internal/turns", "internal/variables", "internal/webpage", "internal/wording",
	},
	"rooms": {
		"catalog/announced", "catalog/changeevents", "catalog/changelog", "catalog/delivery", "catalog/derived", "catalog/edits", "catalog/ending", "catalog/failed", "catalog/feed", "catalog/follower", "catalog/history", "catalog/ingestion", "catalog/lineage", "catalog/matching", "catalog/moments", "catalog/openlineage", "catalog/openlineage/marquez", "catalog/openlineage/naming", "catalog/overlay", "catalog/permission", "catalog/quality", "catalog/read", "catalog/records", "catalog/removal", "catalog/replica", "catalog/search", "catalog/secrets", "catalog/sqllineage", "catalog/sqlqueries", "catalog/suggest", "catalog/querylog",
		"catalog/statements", "catalog/stats", "catalog/streams", "catalog/traces", "catalog/tracking", "catalog/transfer", "catalog/webhooks", "catalog/write", "catalog/unused",
	},
	"families": {
		"cmd/headwater/access",
		"cmd/headwater/agents", "cmd/headwater/check", "cmd/headwater/edit", "cmd/headwater/execute", "cmd/headwater/get", "cmd/headwater/history", "cmd/headwater/lineage", "cmd/headwater/notify", "cmd/headwater/operate", "cmd/headwater/search", "cmd/headwater/serve", "cmd/headwater/shell", "cmd/headwater/sql", "cmd/headwater/transfer",
	},
}

// alone lists folders whose tests, too, import no package of Headwater: programs that check the product share
// no code with it.
var alone = []string{"attack", "oracle"}

// A library names the folders that may import other people's packages, by the
// beginning of their paths. "tests" stands for every _test.go file.
type library struct {
	path    string
	folders []string
}

// libraries lists every library, and the packages of the standard library that
// not every folder may import.
var libraries = []library{
	// Engines.
	{"go.yaml.in/yaml/v3", []string{"access/policies/policyfile", "catalog/cases", "catalog/change/gate", "catalog/schemafile", "connectors/run", "internal/strictyaml", "tests"}},
	{"github.com/neo4j/neo4j-go-driver", []string{"graphstore/neo4j", "internal/testing/testservers", "bench", "e2e"}},
	{"github.com/typesense/typesense-go", []string{"indexer/typesense"}},
	{"modernc.org/sqlite", []string{"internal/sqlite", "bench"}},
	{"database/sql", []string{"internal/sqlite", "graphstore/embedded", "connectors/mysql", "connectors/sqlite", "bench", "tests"}},
	{"github.com/jackc/pgx", []string{"connectors/postgres", "tests"}},
	{"github.com/go-sql-driver/mysql", []string{"connectors/mysql", "tests"}},
	{"github.com/gofrs/flock", []string{"graphstore/embedded", "indexer/embedded", "internal/testing/testservers"}},
	{"github.com/RoaringBitmap/roaring/v2", []string{"indexer/embedded"}},
	{"github.com/edsrzf/mmap-go", []string{"indexer/embedded"}},

	// Tables for spreadsheets: one function for all exports.
	{"encoding/csv", []string{"catalog/querylog", "internal/sheet", "tests"}},

	// Tokens and passwords.
	{"github.com/golang-jwt/jwt", []string{"access/tokens", "tests"}},
	{"golang.org/x/crypto", []string{"access/people"}},
	{"github.com/coreos/go-oidc", []string{"access/oidc"}},
	{"golang.org/x/oauth2", []string{"access/oidc"}},
	{"golang.org/x/time", []string{"access/shares"}},

	// Transports.
	{"net/http", []string{
		"access/oidc", "rest", "rest/call", "rest/sse", "rest/openapi", "rest/restli", "rest/v1", "rest/v3", "rest/history", "rest/lineage", "rest/search", "rest/removal", "rest/operations", "rest/events", "rest/access", "rest/webhooks", "rest/openlineage", "rest/ingestion", "rest/usage", "rest/audit", "rest/policies", "rest/pages",
		"gql", "gql/graphiql", "mcp", "web", "kafka/registry", "internal/intake", "internal/pace", "client", "internal/hooksend", "app", "app/config",
		"cmd/headwater/internal/cli", "cmd/headwater/check", "cmd/headwater/get", "cmd/headwater/history", "cmd/headwater/edit", "cmd/headwater/sql", "cmd/headwater/sql", "cmd/headwater/transfer", "cmd/headwater/agents", "indexer/typesense", "internal/testing/testbrowser", "internal/testing/testservers", "attack", "bench", "oracle", "tests",
	}},
	{"github.com/twmb/franz-go", []string{"attack", "kafka/connect", "kafka/produce", "kafka/proposals", "kafka/replicas", "bench", "tests"}},
	{"google.golang.org/protobuf", []string{"catalog/schemafile", "tests"}},
	{"github.com/twmb/avro", []string{"catalog/schemafile", "kafka/wire"}},
	{"github.com/gin-gonic/gin", []string{"rest", "rest/call"}},
	{"github.com/klauspost/compress", []string{"kafka/connect", "rest", "sql/parser", "web/pack"}},
	{"github.com/pierrec/lz4", []string{"kafka/connect"}},
	{"github.com/tetratelabs/wazero", []string{"sql/parser"}},
	{"github.com/swaggest/swgui", []string{"rest/pages"}},
	{"github.com/vearutop/statigz", []string{"rest/pages"}},
	{"maragu.dev/gomponents", []string{"cypher/browser", "rest/pages"}},
	{"github.com/99designs/gqlgen", []string{"gql", "gql/generate", "gql/generated", "gql/object", "gql/resolver"}},
	{"github.com/modelcontextprotocol/go-sdk", []string{"mcp", "cmd/headwater/agents", "tests"}},
	{"github.com/google/jsonschema-go", []string{"mcp", "tests"}},
	{"github.com/vektah/gqlparser", []string{"gql", "gql/generated", "gql/object"}},

	// Sign-in.

	// Rules.
	{"github.com/go-json-experiment/json", []string{"internal/jsontree"}},
	{"github.com/wI2L/jsondiff", []string{"catalog/history"}},
	{"github.com/google/uuid", []string{"access/manage", "access/tokens", "catalog/edits", "catalog/ingestion", "catalog/secrets"}},
	{"github.com/robfig/cron", []string{"catalog/ingestion"}},
	{"github.com/agnivade/levenshtein", []string{"internal/nearest"}},
	{"github.com/cespare/xxhash", []string{"indexer/embedded"}},
	{"golang.org/x/sys", []string{"app/obs"}},
	{"golang.org/x/text", []string{"indexer", "oracle"}},
	{"golang.org/x/sync", []string{"access/facts", "access/permit", "kafka/produce", "kafka/proposals", "catalog/openlineage", "catalog/write", "catalog/failed", "catalog/follower", "graphstore/neo4j", "indexer/typesense", "internal/safely", "rest/sse", "gql", "bench", "oracle"}},

	// The program.
	{"github.com/spf13/cobra", []string{"families", "cmd/headwater", "cmd/headwater/internal/sending", "cmd/headwater/internal/cli"}},
	{"github.com/schollz/progressbar", []string{"cmd/headwater/internal/cli"}},
	{"github.com/rivo/uniseg", []string{"internal/screen"}},
	{"golang.org/x/term", []string{"internal/screen"}},
	{"github.com/spf13/pflag", []string{"app/config", "cmd/headwater/internal/cli", "tests"}},
	{"github.com/knadh/koanf", []string{"app/config"}},
	{"github.com/prometheus/client_golang", []string{"catalog/cases", "app/obs", "app", "graphstore/storewrap", "indexer/indexwrap", "kafka/produce", "kafka/proposals", "rest", "rest/sse", "gql", "mcp"}},
	{"go.opentelemetry.io", []string{"app/obs", "app", "graphstore/storewrap", "indexer/indexwrap", "rest"}},

	// Tests.
	{"github.com/google/go-cmp", []string{"graphstore/storetest", "indexer/indextest", "catalog/catalogtest", "tests"}},
	{"github.com/testcontainers/testcontainers-go", []string{"internal/testing/testservers"}},
	{"github.com/yuin/goldmark", []string{"tests"}},
	{"github.com/cedar-policy/cedar-go", []string{"tests"}},
	{"go.uber.org/goleak", []string{"internal/testing/testleaks", "tests"}},
}

// TestImports fails when a package imports what its rule does not name, when a
// package has no rule, and when a library is not listed.
func TestImports(t *testing.T) {
	files := readImports(t)
	if len(files) < 100 {
		t.Fatalf("only %d Go files were read", len(files))
	}
	for _, breach := range breaches(files) {
		t.Error(breach)
	}
	folders, imported := map[string]bool{}, map[string]bool{}
	for _, f := range files {
		folders[f.folder] = true
		for _, i := range f.imports {
			if l := libraryOf(i); l != nil {
				imported[l.path] = true
			}
		}
	}
	for _, r := range rules {
		if !folders[r.folder] {
			t.Errorf("%s has a rule but no Go files: delete the rule", r.folder)
		}
	}
	for _, l := range libraries {
		if !imported[l.path] {
			t.Errorf("%s is listed but not imported: delete it from the libraries", l.path)
		}
	}
}

// TestRulesGoDown fails when a rule names a folder that does not stand above it
// in the list, so that the list itself has no arrow up and no cycle.
func TestRulesGoDown(t *testing.T) {
	above := map[string]bool{}
	for _, r := range rules {
		for _, name := range members(r.may) {
			if !above[name] {
				t.Errorf("the rule of %s names %s, which does not stand above it", r.folder, name)
			}
		}
		if above[r.folder] {
			t.Errorf("%s has two rules", r.folder)
		}
		above[r.folder] = true
	}
}

// TestBreaches shows on small examples that each kind of wrong import is found.
func TestBreaches(t *testing.T) {
	for _, c := range []struct {
		file file
		want string // "" means that the import is allowed
	}{
		{file{"catalog/lineage/walk.go", "catalog/lineage", []string{module + "catalog/search"}}, ""},
		{file{"catalog/search/search.go", "catalog/search", []string{module + "catalog/lineage"}}, "the rule of catalog/search"},
		{file{"catalog/write/edit.go", "catalog/write", []string{module + "catalog/history"}}, "the rule of catalog/write"},
		{file{"catalog/write/edit_test.go", "catalog/write", []string{module + "catalog/history"}}, ""},
		{file{"catalog/write/edit.go", "catalog/write", []string{module + "catalog/catalogtest"}}, "the rule of catalog/write"},
		{file{"rest/read.go", "rest", []string{module + "graphstore"}}, "the rule of rest"},
		{file{"gql/object/view.go", "gql/object", []string{module + "indexer"}}, "the rule of gql/object"},
		{file{"oracle/run_test.go", "oracle", []string{module + "model"}}, "the rule of oracle"},
		{file{"catalog/events/events.go", "catalog/events", nil}, "catalog/events has no rule"},
		{file{"catalog/write/edit.go", "catalog/write", []string{"net/http"}}, "the rule of net/http"},
		{file{"catalog/write/edit.go", "catalog/write", []string{"net/http/httptest"}}, "the rule of net/http"},
		{file{"catalog/write/edit_test.go", "catalog/write", []string{"net/http"}}, ""},
		{file{"rest/read.go", "rest", []string{"github.com/neo4j/neo4j-go-driver/v5/neo4j"}}, "the rule of github.com/neo4j/neo4j-go-driver"},
		{file{"rest/read.go", "rest", []string{"example.com/new"}}, "example.com/new, which is not listed"},
		{file{"rest/read.go", "rest", []string{"strings"}}, ""},
	} {
		got := strings.Join(breaches([]file{c.file}), "\n")
		if c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%s imports %v: got %q, want %q", c.file.path, c.file.imports, got, c.want)
		}
	}
}

// TestArchitectureTable compares the table in ARCHITECTURE.md with the rules:
// the same folders, the same imports.
func TestArchitectureTable(t *testing.T) {
	text, err := os.ReadFile("ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	cells := map[string]string{}
	for line := range strings.Lines(string(text)) {
		row := strings.Split(strings.TrimSpace(line), " | ")
		if folder, ok := strings.CutPrefix(row[0], "| `"); ok && len(row) == 3 {
			cells[strings.TrimSuffix(folder, "`")] = strings.TrimSuffix(row[2], " |")
		}
	}
	for _, r := range rules {
		want := "nothing of ours"
		if len(r.may) > 0 {
			want = "`" + strings.Join(r.may, "`, `") + "`"
		}
		if got, ok := cells[r.folder]; !ok {
			t.Errorf("the table has no row for %s, which may import %s", r.folder, want)
		} else if got != want {
			t.Errorf("the table lets %s import %s; its rule is %s", r.folder, got, want)
		}
		delete(cells, r.folder)
	}
	for folder := range cells {
		t.Errorf("the table has a row for %s, which has no rule", folder)
	}
}

// A file is a Go file with its imports, its path relative to the repository.
type file struct {
	path, folder string
	imports      []string
}

// readImports reads the imports of every Go file of the repository, also of
// those that a build on this machine leaves out.
func readImports(t *testing.T) []file {
	t.Helper()
	var files []file
	err := filepath.WalkDir(".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		base := entry.Name()
		if entry.IsDir() {
			if name != "." && (strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_") || base == "testdata" || base == "node_modules") {
				return fs.SkipDir
			}
			if _, err := os.Stat(filepath.Join(name, "go.mod")); err == nil && name != "." {
				return fs.SkipDir // a module of its own
			}
			return nil
		}
		name = filepath.ToSlash(name)
		if path.Ext(base) != ".go" || path.Dir(name) == "." {
			return nil
		}
		source, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		f := file{path: name, folder: path.Dir(name)}
		for _, spec := range source.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			f.imports = append(f.imports, imported)
		}
		files = append(files, f)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// breaches describes each import that is against the rules, and each package
// without a rule, with the rule that says so.
func breaches(files []file) []string {
	found := map[string]bool{}
	for _, f := range files {
		at := slices.IndexFunc(rules, func(r rule) bool { return r.folder == f.folder })
		if at < 0 {
			found[fmt.Sprintf("%s has no rule: add it to the rules in architecture_test.go and to the table in ARCHITECTURE.md", f.folder)] = true
			continue
		}
		for _, imported := range f.imports {
			if ours, ok := strings.CutPrefix(imported, module); ok {
				if breach := checkOurs(f, rules[at], ours); breach != "" {
					found[breach] = true
				}
			} else if breach := checkLibrary(f, imported); breach != "" {
				found[breach] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(found))
}

func checkOurs(f file, r rule, imported string) string {
	if imported == f.folder || f.isTest() && !slices.Contains(alone, f.folder) || slices.Contains(members(r.may), imported) {
		return ""
	}
	may := "nothing of ours"
	if len(r.may) > 0 {
		may = strings.Join(r.may, ", ")
	}
	return fmt.Sprintf("%s imports %s; the rule of %s: it may import %s", f.path, imported, f.folder, may)
}

func checkLibrary(f file, imported string) string {
	l := libraryOf(imported)
	if l == nil {
		if host, _, _ := strings.Cut(imported, "/"); strings.Contains(host, ".") {
			return fmt.Sprintf("%s imports %s, which is not listed: add it to the libraries in architecture_test.go", f.path, imported)
		}
		return ""
	}
	if slices.Contains(members(l.folders), f.folder) || f.isTest() && slices.Contains(l.folders, "tests") {
		return ""
	}
	return fmt.Sprintf("%s imports %s; the rule of %s: only %s may import it", f.path, imported, l.path, strings.Join(l.folders, ", "))
}

// libraryOf finds the entry of an imported package, nil if it has none.
func libraryOf(imported string) *library {
	for i := range libraries {
		if l := &libraries[i]; imported == l.path || strings.HasPrefix(imported, l.path+"/") {
			return l
		}
	}
	return nil
}

func (f file) isTest() bool { return strings.HasSuffix(f.path, "_test.go") }

// members replaces the names of groups by their members.
func members(names []string) []string {
	var all []string
	for _, name := range names {
		if group, ok := groups[name]; ok {
			all = append(all, group...)
		} else {
			all = append(all, name)
		}
	}
	return all
}
