package postgres

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/headwater-io/headwater/connectors/internal/relational"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/testing/testservers"
)

// TestConnection: the connection has the settings of the recipe, whatever characters they have.
func TestConnection(t *testing.T) {
	for name, c := range map[string]struct {
		config                     map[string]any
		host, user, secret, called string
		port                       uint16
	}{
		"a host":           {map[string]any{"host_port": "db.example.com", "username": "u", "password": `it's \ "odd"`}, "db.example.com", "u", `it's \ "odd"`, "headwater", 5432},
		"a port":           {map[string]any{"host_port": "h:6000", "username": "a b"}, "h", "a b", "", "headwater", 6000},
		"IPv6":             {map[string]any{"host_port": "[::1]:7", "username": "u"}, "::1", "u", "", "headwater", 7},
		"IPv6, no port":    {map[string]any{"host_port": "[::1]", "username": "u"}, "::1", "u", "", "headwater", 5432},
		"a URI":            {map[string]any{"sqlalchemy_uri": "postgresql+psycopg2://u:s%40c@h:8/shop?application_name=mine"}, "h", "u", "s@c", "mine", 8},
		"an own name":      {map[string]any{"host_port": "h", "username": "u", "options": map[string]any{"connect_args": map[string]any{"application_name": "mine"}}}, "h", "u", "", "mine", 5432},
		"a URI and a host": {map[string]any{"host_port": "other:1", "sqlalchemy_uri": "postgresql://u@h:8/shop"}, "h", "u", "", "headwater", 8},
	} {
		read, r := read(c.config)
		if err := r.Err(); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		made, err := read.connection("d'b")
		if err != nil || made.Host != c.host || made.Port != c.port || made.User != c.user || made.Password != c.secret || made.Database != "d'b" || made.RuntimeParams["application_name"] != c.called {
			t.Errorf("%s: %v, %+v", name, err, made)
		}
	}
}

// TestTypes: types are called as the client calls them.
func TestTypes(t *testing.T) {
	for format, want := range map[string]string{
		"integer b": "INTEGER Number 1", "numeric(10,2) b": "NUMERIC(10, 2) Number 2", "character varying(9) b": "VARCHAR(9) String 0",
		"timestamp(3) with time zone b": "TIMESTAMP(3) WITH TIME ZONE Time 3", "time without time zone b": "TIME WITHOUT TIME ZONE Time 3", "interval year to month b": "INTERVAL year to month Time 0",
		"integer[] b": "INTEGER[] Array 0", "text[][] b": "TEXT[] Array 0", "mood e": "mood Enum 0", "email d": "email Null 0", "address c": "null Null 4", "address[] c": "null Null 4",
	} {
		at := strings.LastIndexByte(format, ' ')
		native, kind, class := typeOf(format[:at], format[at+1:])
		if got := fmt.Sprint(native, " ", kind, " ", int(class)); got != want {
			t.Errorf("%s is %s, want %s", format, got, want)
		}
	}
}

// TestNotCounted: counters that the user may not read are distinguished from a broken connection.
func TestNotCounted(t *testing.T) {
	for code, told := range map[string]bool{notPermitted: true, notLoaded: true, "08006": false} {
		var not *relational.NotCountedError
		if err := notCounted(fmt.Errorf("asked: %w", &pgconn.PgError{Code: code, Message: "must be loaded"})); errors.As(err, &not) != told {
			t.Errorf("%s: %v", code, err)
		}
	}
	if notCounted(nil) != nil {
		t.Error("no error is one")
	}
}

// TestUsageSettings: settings of usage have bounds.
func TestUsageSettings(t *testing.T) {
	for text, config := range map[string]map[string]any{
		"max_queries_to_extract":   {"max_queries_to_extract": 10_001},
		"min_query_calls":          {"min_query_calls": -1},
		"include_usage_statistics": {"include_usage_statistics": "often"},
	} {
		config["host_port"] = "h"
		if _, r := read(config); r.Err() == nil || !strings.Contains(r.Err().Error(), text) {
			t.Errorf("%s: %v", text, r.Err())
		}
	}
	c, r := read(map[string]any{"host_port": "h", "include_usage_statistics": true, "max_queries_to_extract": 10_000})
	if r.Err() != nil || len(r.Unknown()) != 0 || !c.Usage.Enabled || c.Usage.Most != 10_000 {
		t.Errorf("%v, %+v", r.Err(), c.Usage)
	}
}

// TestLimitsOfCommits: of a table of limits.MaxCommitRows rows, the commit of the newest row is looked for; of a larger
// one it is not, and when limits.CommitSeconds are used up, of none.
func TestLimitsOfCommits(t *testing.T) {
	c, r := read(map[string]any{"host_port": testservers.Postgres(t), "username": "postgres"})
	if err := r.Err(); err != nil {
		t.Fatal(err)
	}
	opened, err := (&driver{c}).Open(t.Context(), "postgres")
	if err != nil {
		t.Fatal(err)
	}
	defer opened.Close()
	db := opened.(*database)
	conn, err := pgx.Connect(t.Context(), "postgres://postgres@"+c.keywords["host"]+":"+c.keywords["port"]+"/postgres")
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	table := fmt.Sprintf("limit%d", time.Now().UnixNano())
	if _, err := conn.Exec(t.Context(), "CREATE TABLE "+table+" AS SELECT 1 AS id"); err != nil {
		t.Fatal(err)
	}
	for rows, found := range map[int64]bool{limits.MaxCommitRows: true, limits.MaxCommitRows + 1: false} {
		at, err := db.Committed(t.Context(), &relational.Table{Schema: "public", Name: table, Rows: &rows})
		if err != nil || (at != nil) != found {
			t.Errorf("%d rows: %v, %v", rows, at, err)
		}
	}
	if used := limits.CommitSeconds*time.Second - db.commits.left; used <= 0 || used > 10*time.Second {
		t.Errorf("%s of limits.CommitSeconds are used", used)
	}
	db.commits.left = 0
	if at, err := db.Committed(t.Context(), &relational.Table{Schema: "public", Name: table}); at != nil || err != nil {
		t.Errorf("without time: %v, %v", at, err)
	}
	db.commits.left = time.Second
	if _, err := db.Committed(t.Context(), &relational.Table{Schema: "pg_catalog", Name: "nothing"}); err == nil {
		t.Error("a table that is not there has a commit")
	}
}
