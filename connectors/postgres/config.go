package postgres

import (
	"fmt"
	"net/url"
	"sort"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/headwater-io/headwater/connectors/internal/relational"
	"github.com/headwater-io/headwater/connectors/internal/settings"
	"github.com/headwater-io/headwater/internal/limits"
)

// config are the settings of a recipe.
type config struct {
	*relational.Config
	// keywords are the connection's settings in the words of libpq.
	keywords map[string]string
	// named is the database that the recipe names, in the URNs of tables; connected the one of its URI, if byURI.
	named, connected, initial string
	byURI                     bool
}

func read(values map[string]any) (*config, *settings.Reader) {
	r := settings.New(values)
	c := &config{Config: relational.Common(r, "postgres", settings.Denying("information_schema")), keywords: map[string]string{}}
	c.Databases = r.Pattern("database_pattern", settings.Pattern{})
	c.ReadProcedures(r)
	c.ReadProfiling(r, limits.MaxProfileRows)
	c.named, c.initial = r.Text("database", ""), r.Text("initial_database", "postgres")
	host := r.Text("host_port", "")
	c.keywords["user"], c.keywords["password"] = r.Text("username", ""), r.Secret("password")
	r.WithoutEffect("database_alias")
	if scheme := r.Text("scheme", "postgresql"); !isScheme(scheme) {
		r.Foreign("scheme")
	}
	if r.OneOf("auth_mode", "PASSWORD", "PASSWORD", "AWS_IAM") == "AWS_IAM" {
		r.Foreign("auth_mode")
	}
	c.usage(r)
	c.options(r)
	switch uri := r.Secret("sqlalchemy_uri"); {
	case uri != "":
		c.uri(r, uri)
	case host == "":
		r.Fail("host_port", "is missing: the address of the server, such as db.example.com:5432")
	default:
		c.keywords["host"], c.keywords["port"] = splitHost(host)
	}
	return c, r
}

func isScheme(scheme string) bool {
	name, _, _ := strings.Cut(scheme, "+")
	return name == "postgresql" || name == "postgres"
}

// splitHost separates the port from a host, which may be a socket's directory or an IPv6 address in brackets.
func splitHost(address string) (host, port string) {
	at := strings.LastIndex(address, ":")
	if at < 0 || strings.HasSuffix(address, "]") {
		return strings.Trim(address, "[]"), "5432"
	}
	return strings.Trim(address[:at], "[]"), address[at+1:]
}

// usage reads the settings about queries.
func (c *config) usage(r *settings.Reader) {
	r.OnlyFalse("include_query_lineage")
	c.ReadUsage(r)
	r.WithoutEffect("bucket_duration", "start_time", "end_time", "top_n_queries",
		"user_email_pattern", "include_operational_stats", "include_read_operational_stats", "format_sql_queries", "include_top_n_queries")
}

// connectArguments are the arguments of a connection that libpq and this program both know.
var connectArguments = []string{"sslmode", "sslrootcert", "sslcert", "sslkey", "sslpassword", "sslsni", "options", "application_name", "connect_timeout", "target_session_attrs"}

func (c *config) options(r *settings.Reader) {
	o := r.Section("options")
	o.WithoutEffect("pool_size", "max_overflow", "pool_timeout", "pool_recycle", "pool_pre_ping", "echo", "isolation_level")
	arguments := o.Section("connect_args")
	arguments.Hide(arguments.Text("sslpassword", ""))
	for _, name := range connectArguments {
		if value := arguments.Text(name, ""); value != "" {
			c.keywords[name] = value
		}
	}
}

// uri reads a URI such as postgresql+psycopg2://reader:secret@db.example.com:5432/shop?sslmode=require. It takes the
// place of the other settings of the connection.
func (c *config) uri(r *settings.Reader, text string) {
	u, err := url.Parse(text)
	if err != nil {
		r.Fail("sqlalchemy_uri", "is not a URI") // the parser's error has the password
		return
	}
	if !isScheme(u.Scheme) {
		r.Fail("sqlalchemy_uri", "must begin with postgresql://")
		return
	}
	password, _ := u.User.Password()
	r.Hide(password)
	if _, encoded, found := strings.Cut(u.User.String(), ":"); found {
		r.Hide(encoded)
	}
	c.keywords["user"], c.keywords["password"] = u.User.Username(), password
	c.keywords["host"], c.keywords["port"] = u.Hostname(), u.Port()
	c.byURI, c.connected = true, strings.TrimPrefix(u.Path, "/")
	known := map[string]bool{"host": true, "port": true, "user": true, "password": true}
	for _, name := range connectArguments {
		known[name] = true
	}
	for name, list := range u.Query() {
		if !known[name] {
			r.Fail("sqlalchemy_uri", fmt.Sprintf("has the argument %s, which is not known", name))
			continue
		}
		c.keywords[name] = list[0]
	}
}

// connection returns how a database is connected to.
func (c *config) connection(database string) (*pgx.ConnConfig, error) {
	var parts []string
	for name, value := range c.keywords {
		if value != "" {
			parts = append(parts, name+"="+quoted(value))
		}
	}
	if database != "" {
		parts = append(parts, "dbname="+quoted(database))
	}
	sort.Strings(parts)
	made, err := pgx.ParseConfig(strings.Join(parts, " "))
	if err != nil {
		return nil, err
	}
	// Poolers of connections do not keep prepared statements.
	made.DefaultQueryExecMode = pgx.QueryExecModeExec
	if made.RuntimeParams["application_name"] == "" {
		made.RuntimeParams["application_name"] = "headwater"
	}
	return made, nil
}

// quoted returns a value in the quotes of libpq.
func quoted(value string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(value) + "'"
}
