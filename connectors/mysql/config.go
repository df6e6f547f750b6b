package mysql

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/go-sql-driver/mysql"

	"github.com/headwater-io/headwater/connectors/internal/relational"
	"github.com/headwater-io/headwater/connectors/internal/settings"
	"github.com/headwater-io/headwater/internal/limits"
)

// config are the settings of a recipe.
type config struct {
	*relational.Config
	address, user, password string
	// database is the one that the recipe names, "" for all.
	database string
	tls      transport
	timeout  time.Duration
}

// transport says how the connection is encrypted.
type transport struct {
	wanted        bool
	ca, cert, key string
	checkName     bool
}

func read(platform string, values map[string]any) (*config, *settings.Reader) {
	r := settings.New(values)
	c := &config{Config: relational.Common(r, platform, settings.Pattern{})}
	c.TwoLevels = true
	c.Databases = r.Pattern("database_pattern", c.Schemas) // schema_pattern is the old name
	c.ReadProcedures(r)
	c.ReadProfiling(r, limits.MaxProfileRows)
	c.address, c.user, c.password = withPort(r.Text("host_port", "localhost:3306")), r.Text("username", ""), r.Secret("password")
	c.database = r.Text("database", "")
	r.WithoutEffect("database_alias")
	if scheme := r.Text("scheme", "mysql"); !isScheme(scheme) {
		r.Foreign("scheme")
	}
	if r.OneOf("auth_mode", "PASSWORD", "PASSWORD", "AWS_IAM") == "AWS_IAM" {
		r.Foreign("auth_mode")
	}
	c.ReadUsage(r)
	r.WithoutEffect("usage_source", "usage", "email_domain")
	c.options(r)
	if uri := r.Secret("sqlalchemy_uri"); uri != "" {
		c.uri(r, uri)
	}
	return c, r
}

func isScheme(scheme string) bool {
	name, _, _ := strings.Cut(scheme, "+")
	return name == "mysql" || name == "mariadb"
}

// withPort adds the usual port to an address without one.
func withPort(address string) string {
	if _, _, err := net.SplitHostPort(address); err != nil {
		return net.JoinHostPort(strings.Trim(address, "[]"), "3306")
	}
	return address
}

func (c *config) options(r *settings.Reader) {
	o := r.Section("options")
	o.WithoutEffect("pool_size", "max_overflow", "pool_timeout", "pool_recycle", "pool_pre_ping", "echo", "isolation_level", "poolclass")
	a := o.Section("connect_args")
	a.WithoutEffect("charset", "autocommit", "read_timeout")
	c.timeout = time.Duration(a.Whole("connect_timeout", 10, 1, 3600)) * time.Second
	s := a.Section("ssl")
	c.tls = transport{
		ca: s.Text("ca", a.Text("ssl_ca", "")), cert: s.Text("cert", a.Text("ssl_cert", "")), key: s.Text("key", a.Text("ssl_key", "")),
		checkName: s.Bool("check_hostname", true), wanted: a.Has("ssl") || a.Has("ssl_ca") || a.Has("ssl_cert"),
	}
	s.WithoutEffect("ssl")
	if s.Has("verify_mode") {
		s.Foreign("verify_mode")
	}
}

// uri reads a URI such as mysql+pymysql://reader:secret@db.example.com:3306/shop.
func (c *config) uri(r *settings.Reader, text string) {
	u, err := url.Parse(text)
	if err != nil {
		r.Fail("sqlalchemy_uri", "is not a URI") // the parser's error has the password
		return
	}
	if !isScheme(u.Scheme) {
		r.Fail("sqlalchemy_uri", "must begin with mysql:// or mariadb://")
		return
	}
	password, _ := u.User.Password()
	r.Hide(password)
	if _, encoded, found := strings.Cut(u.User.String(), ":"); found {
		r.Hide(encoded)
	}
	c.user, c.password, c.address = u.User.Username(), password, withPort(u.Host)
	for name, list := range u.Query() {
		switch name {
		case "charset":
		case "ssl_ca":
			c.tls.wanted, c.tls.ca = true, list[0]
		default:
			r.Fail("sqlalchemy_uri", fmt.Sprintf("has the argument %s, which is not known", name))
		}
	}
}

// connection returns how a database is connected to; "" stands for no database.
func (c *config) connection(database string) (*mysql.Config, error) {
	made := mysql.NewConfig()
	made.User, made.Passwd, made.Net, made.Addr, made.DBName = c.user, c.password, "tcp", c.address, database
	made.Timeout, made.InterpolateParams, made.Logger = c.timeout, true, &mysql.NopLogger{}
	made.Params = map[string]string{"time_zone": "'+00:00'"}
	if !c.tls.wanted {
		return made, nil
	}
	t := &tls.Config{MinVersion: tls.VersionTLS12}
	if c.tls.ca == "" {
		t.InsecureSkipVerify = true // as the client does without an authority: encrypted, but by whoever answers
	} else {
		pem, err := os.ReadFile(c.tls.ca)
		if err != nil {
			return nil, err
		}
		if t.RootCAs = x509.NewCertPool(); !t.RootCAs.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("%s has no certificate", c.tls.ca)
		}
		if !c.tls.checkName {
			onlyChain(t)
		}
	}
	if c.tls.cert != "" {
		pair, err := tls.LoadX509KeyPair(c.tls.cert, c.tls.key)
		if err != nil {
			return nil, err
		}
		t.Certificates = []tls.Certificate{pair}
	}
	if host, _, err := net.SplitHostPort(c.address); err == nil {
		t.ServerName = host
	}
	made.TLS = t
	return made, nil
}

// onlyChain checks who signed the server's certificate, but not its name.
func onlyChain(t *tls.Config) {
	roots := t.RootCAs
	t.InsecureSkipVerify = true
	t.VerifyConnection = func(state tls.ConnectionState) error {
		if len(state.PeerCertificates) == 0 {
			return errors.New("the server has no certificate")
		}
		chain := x509.NewCertPool()
		for _, one := range state.PeerCertificates[1:] {
			chain.AddCert(one)
		}
		_, err := state.PeerCertificates[0].Verify(x509.VerifyOptions{Roots: roots, Intermediates: chain})
		return err
	}
}
