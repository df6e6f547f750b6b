// Package config reads the server's settings. The value of a setting is taken from its
// flag, otherwise from the environment variable HEADWATER_<NAME>, otherwise from its key in
// headwater.yaml, and otherwise it is the default.
package config

import (
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/knadh/koanf/parsers/yaml"
	"github.com/knadh/koanf/providers/env/v2"
	"github.com/knadh/koanf/providers/file"
	"github.com/knadh/koanf/providers/posflag"
	"github.com/knadh/koanf/v2"
	"github.com/spf13/pflag"

	"github.com/headwater-io/headwater/access/keys"
	"github.com/headwater-io/headwater/catalog/statements"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/nearest"
)

// DefaultFile is the settings file that is read if it exists and no other file is named.
const DefaultFile = "headwater.yaml"

// environmentPrefix is the beginning of the names of the settings' environment variables.
const environmentPrefix = "HEADWATER_"

// Embedded selects the graph store, or the search index, that needs no server.
const Embedded = "embedded"

// The values of the setting auth.
const (
	AuthOff = "off"
	AuthOn  = "on"
)

// The values of the setting executor.
const (
	ExecutorOff = "off"
	ExecutorOn  = "on"
)

// The values of the setting sql-derive.
const (
	DeriveOff    = "off"
	DeriveOn     = "on"
	DeriveRemove = "remove"
)

// Server holds the settings of headwater serve.
type Server struct {
	Listen          string        `koanf:"listen"`
	Data            string        `koanf:"data"`
	Graph           string        `koanf:"graph"`
	GraphPool       int           `koanf:"graph-pool"`
	GraphBrowser    string        `koanf:"graph-browser"`
	Readers         int           `koanf:"readers"`
	Walks           int           `koanf:"walks"`
	EventStreams    int           `koanf:"event-streams"`
	GraphCA         string        `koanf:"graph-ca"`
	Search          string        `koanf:"search"`
	SearchPrefix    string        `koanf:"search-prefix"`
	SearchWait      time.Duration `koanf:"search-wait"`
	SearchMemory    int64         `koanf:"search-memory"`
	SQLCache        string        `koanf:"sql-cache"`
	SQLDerive       string        `koanf:"sql-derive"`
	SQLPrefer       string        `koanf:"sql-prefer"`
	Kafka           []string      `koanf:"kafka"`
	KafkaGroup      string        `koanf:"kafka-group"`
	KafkaFormat     string        `koanf:"kafka-format"`
	KafkaPrefix     string        `koanf:"kafka-topic-prefix"`
	KafkaEvents     string        `koanf:"kafka-openlineage-topic"`
	KafkaTLS        bool          `koanf:"kafka-tls"`
	KafkaCA         string        `koanf:"kafka-ca"`
	KafkaCert       string        `koanf:"kafka-cert"`
	KafkaKey        string        `koanf:"kafka-key"`
	KafkaServerName string        `koanf:"kafka-server-name"`
	KafkaSASL       string        `koanf:"kafka-sasl"`
	KafkaUser       string        `koanf:"kafka-user"`
	KafkaPassword   string        `koanf:"kafka-password"`
	KafkaPassFile   string        `koanf:"kafka-password-file"`
	KafkaReplicas   bool          `koanf:"kafka-replicas"`
	OpenLineage     string        `koanf:"openlineage-names"`
	RunEvents       int           `koanf:"openlineage-events"`
	Sample          bool          `koanf:"sample"`
	Platforms       bool          `koanf:"platforms"`
	Model           []string      `koanf:"model"`
	UnknownFields   string        `koanf:"unknown-fields"`
	Retention       int64         `koanf:"retention"`
	ChangesAge      time.Duration `koanf:"changes-age"`
	ChangesKept     int64         `koanf:"changes-kept"`
	LogLevel        string        `koanf:"log-level"`
	LogFormat       string        `koanf:"log-format"`
	MaxBody         int64         `koanf:"max-body"`
	RequestMemory   int64         `koanf:"request-memory"`
	RequestTimeout  time.Duration `koanf:"request-timeout"`
	IdleTimeout     time.Duration `koanf:"idle-timeout"`
	ShutdownTimeout time.Duration `koanf:"shutdown-timeout"`
	OTLPEndpoint    string        `koanf:"otlp-endpoint"`
	TLSCert         string        `koanf:"tls-cert"`
	TLSKey          string        `koanf:"tls-key"`
	TrustedOrigins  []string      `koanf:"trusted-origins"`
	AllowedHosts    []string      `koanf:"allowed-hosts"`
	MCPWrites       bool          `koanf:"mcp-writes"`
	WebhookPrivate  bool          `koanf:"webhook-private"`
	Feed            bool          `koanf:"feed"`
	Announced       bool          `koanf:"announced-changes"`
	ReadOnly        bool          `koanf:"read-only"`
	Auth            string        `koanf:"auth"`
	AuthKeys        string        `koanf:"auth-keys"`
	OIDCFile        string        `koanf:"oidc-file"`
	SecretsKey      string        `koanf:"secrets-key"`
	SecretsKeyFile  string        `koanf:"secrets-key-file"`
	FirstAdminFile  string        `koanf:"first-admin-file"`
	MinPassword     int           `koanf:"min-password"`
	AllowAnyone     bool          `koanf:"allow-anyone"`
	OpenMetrics     bool          `koanf:"open-metrics"`
	AuditAge        time.Duration `koanf:"audit-age"`
	IngestionJitter time.Duration `koanf:"ingestion-jitter"`
	// LineageFading is the number of good runs of its source after which an edge that they have not stated fades.
	LineageFading int `koanf:"lineage-fading"`
	// LineageEnding is the number of such runs after which the edge ends; 0 means never.
	LineageEnding  int `koanf:"lineage-ending"`
	CallerRate     int `koanf:"caller-rate"`
	CallerRequests int `koanf:"caller-requests"`

	Executor             string        `koanf:"executor"`
	ExecutorRuns         int           `koanf:"executor-runs"`
	ExecutorTime         time.Duration `koanf:"executor-time"`
	ExecutorMemory       int64         `koanf:"executor-memory"`
	ExecutorDisk         int64         `koanf:"executor-disk"`
	ExecutorEnvironments string        `koanf:"executor-environments"`
	ExecutorWheels       string        `koanf:"executor-wheels"`
	ExecutorPython       string        `koanf:"executor-python"`
	ExecutorConstraints  string        `koanf:"executor-constraints"`
	ExecutorCode         bool          `koanf:"executor-code"`
	// File is the settings file that was read, or "".
	File string `koanf:"-"`
	// Follow is the address of the server that this one follows; it is set by headwater
	// follow and is no setting of serve. SourceToken is the bearer token for that server.
	Follow      string `koanf:"-"`
	SourceToken string `koanf:"source-token"`
}

// FollowFlags declares the settings of headwater follow that serve lacks.
func FollowFlags(f *pflag.FlagSet) {
	f.String("source-token", "", "bearer token that is sent to the server that is followed; better given as HEADWATER_SOURCE_TOKEN")
}

// Source checks the address of a server or topic to follow, and returns it in normal form.
func Source(address string) (string, error) {
	if rest, kafka := strings.CutPrefix(address, kafkaScheme); kafka {
		address = kafkaScheme + strings.TrimRight(rest, "/")
		brokers, prefix, _ := KafkaSource(address)
		return address, errors.Join(append(checkBrokers(brokers), checkPrefix("the prefix of the topic", prefix)...)...)
	}
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.RawQuery != "" || u.Fragment != "" || u.User != nil {
		return "", fmt.Errorf("what is followed is http://host:port or https://host, without a user, or kafka://host:port; a token is given with --source-token")
	}
	return strings.TrimRight(u.String(), "/"), nil
}

// Load reads the settings. environ has the form of os.Environ.
func Load(f *pflag.FlagSet, environ []string) (*Server, error) {
	k := koanf.New("/") // no setting is nested
	path, err := loadFile(k, f, environ)
	if err != nil {
		return nil, err
	}
	known := func(key, value string) (string, any) {
		name := strings.ReplaceAll(strings.ToLower(strings.TrimPrefix(key, environmentPrefix)), "_", "-")
		if f.Lookup(name) == nil {
			return "", nil
		}
		if slices.Contains([]string{"kafka", "model", "trusted-origins", "allowed-hosts"}, name) {
			return name, strings.Split(value, ",")
		}
		return name, value
	}
	source := env.Provider("/", env.Opt{Prefix: environmentPrefix, TransformFunc: known, EnvironFunc: func() []string { return environ }})
	if err := k.Load(source, nil); err != nil {
		return nil, fmt.Errorf("environment: %w", err)
	}
	if err := k.Load(posflag.Provider(f, "/", k), nil); err != nil {
		return nil, fmt.Errorf("flags: %w", err)
	}
	s := Server{File: path}
	if err := k.Unmarshal("", &s); err != nil {
		return nil, fmt.Errorf("settings: %w", err)
	}
	return &s, s.check()
}

// loadFile reads the settings file, if there is one, and returns its path.
func loadFile(k *koanf.Koanf, f *pflag.FlagSet, environ []string) (path string, err error) {
	if path, err = f.GetString("config"); err != nil {
		return "", err
	}
	named := path != ""
	if !named {
		path = DefaultFile
		for _, pair := range environ {
			if value, ok := strings.CutPrefix(pair, environmentPrefix+"CONFIG="); ok {
				path, named = value, true
			}
		}
	}
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) && !named {
		return "", nil
	}
	if err := k.Load(file.Provider(path), yaml.Parser()); err != nil {
		return "", fmt.Errorf("settings file %s: %w", path, err)
	}
	for _, key := range k.Keys() {
		if f.Lookup(key) == nil {
			return "", fmt.Errorf("settings file %s: unknown setting %q%s", path, key, nearest.Question(nearest.Names(key, settingsOf(f))))
		}
	}
	return path, nil
}

// settingsOf lists the names of all settings.
func settingsOf(f *pflag.FlagSet) iter.Seq[string] {
	return func(yield func(string) bool) {
		more := true
		f.VisitAll(func(flag *pflag.Flag) { more = more && yield(flag.Name) })
	}
}

func (s *Server) check() error {
	var errs []error
	if !slices.Contains([]string{"text", "json"}, s.LogFormat) {
		errs = append(errs, fmt.Errorf("log-format must be text or json, not %q", s.LogFormat))
	}
	var level slog.Level
	if err := level.UnmarshalText([]byte(s.LogLevel)); err != nil {
		errs = append(errs, fmt.Errorf("log-level must be debug, info, warn or error, not %q", s.LogLevel))
	}
	if (s.TLSCert == "") != (s.TLSKey == "") {
		errs = append(errs, errors.New("tls-cert and tls-key must be set together"))
	}
	if s.Retention < 0 || s.MaxBody <= 0 || s.RequestTimeout <= 0 || s.IdleTimeout <= 0 || s.ShutdownTimeout <= 0 {
		errs = append(errs, errors.New("retention must not be negative; max-body and the timeouts must be greater than 0"))
	}
	if s.LineageFading < 0 || s.LineageFading > limits.IngestionHistory {
		errs = append(errs, fmt.Errorf("lineage-fading must be from 0 to %d runs", limits.IngestionHistory))
	}
	if s.LineageEnding != 0 && (s.LineageFading == 0 || s.LineageEnding <= s.LineageFading || s.LineageEnding > limits.IngestionHistory) {
		errs = append(errs, fmt.Errorf("lineage-ending must be 0, or more than lineage-fading, which must not be 0 then, and at most %d runs", limits.IngestionHistory))
	}
	if !slices.Contains([]string{DeriveOff, DeriveOn, DeriveRemove}, s.SQLDerive) {
		errs = append(errs, fmt.Errorf("sql-derive must be %s, %s or %s, not %q", DeriveOff, DeriveOn, DeriveRemove, s.SQLDerive))
	}
	switch {
	case s.SQLPrefer != statements.PreferClient && s.SQLPrefer != statements.PreferOwn:
		errs = append(errs, fmt.Errorf("sql-prefer must be %s or %s, not %q", statements.PreferClient, statements.PreferOwn, s.SQLPrefer))
	case s.SQLPrefer == statements.PreferOwn && s.SQLDerive != DeriveOn:
		errs = append(errs, fmt.Errorf("sql-prefer %s needs sql-derive %s", statements.PreferOwn, DeriveOn))
	}
	if s.RunEvents < 0 || s.RunEvents > limits.OpenLineageEvents {
		errs = append(errs, fmt.Errorf("openlineage-events must be between 0 and %d", limits.OpenLineageEvents))
	}
	if s.IngestionJitter < 0 {
		errs = append(errs, errors.New("ingestion-jitter must not be negative"))
	}
	if s.AuditAge < time.Hour {
		errs = append(errs, errors.New("audit-age must be at least 1h"))
	}
	if s.CallerRate < 0 || s.CallerRequests <= 0 {
		errs = append(errs, errors.New("caller-rate must not be negative, and caller-requests must be greater than 0"))
	}
	if s.SearchWait < 0 || s.SearchWait >= s.RequestTimeout {
		errs = append(errs, errors.New("search-wait must not be negative, and must be less than request-timeout"))
	}
	if s.ChangesAge < 0 || s.ChangesKept < 0 {
		errs = append(errs, errors.New("changes-age and changes-kept must not be negative"))
	}
	if s.Readers < 0 || s.Walks <= 0 || s.EventStreams <= 0 || s.GraphPool < limits.MinGraphPool {
		errs = append(errs, fmt.Errorf("readers must not be negative, walks and event-streams must be greater than 0, graph-pool must be at least %d", limits.MinGraphPool))
	}
	for _, origin := range s.TrustedOrigins {
		if err := http.NewCrossOriginProtection().AddTrustedOrigin(origin); err != nil {
			errs = append(errs, fmt.Errorf("trusted-origins: %w", err))
		}
	}
	if !slices.Contains([]string{"keep", "refuse", "auto"}, s.UnknownFields) {
		errs = append(errs, fmt.Errorf("unknown-fields must be keep, refuse or auto, not %q", s.UnknownFields))
	}
	for _, host := range s.AllowedHosts {
		if host == "" || strings.ContainsAny(host, ":/ *") {
			errs = append(errs, fmt.Errorf("allowed-hosts: %q is not a host name without a port", host))
		}
	}
	if s.Auth != AuthOff && s.Auth != AuthOn {
		errs = append(errs, fmt.Errorf("auth must be on or off, not %q", s.Auth))
	}
	if s.Auth == AuthOff && (s.AuthKeys != "" || s.OpenMetrics || s.FirstAdminFile != "" || s.OIDCFile != "") {
		errs = append(errs, errors.New("auth-keys, first-admin-file, oidc-file and open-metrics need --auth on"))
	}
	if s.MinPassword < limits.LeastMinPassword || s.MinPassword > limits.MostMinPassword {
		errs = append(errs, fmt.Errorf("min-password must be from %d to %d", limits.LeastMinPassword, limits.MostMinPassword))
	}
	if s.SecretsKey != "" && s.SecretsKeyFile != "" {
		errs = append(errs, errors.New("secrets-key and secrets-key-file cannot be set together"))
	}
	if s.Executor != ExecutorOff && s.Executor != ExecutorOn {
		errs = append(errs, fmt.Errorf("executor must be on or off, not %q", s.Executor))
	}
	errs = append(errs, s.checkKafka()...)
	if s.RequestMemory != 0 && s.RequestMemory < limits.MinRequestMemory {
		errs = append(errs, fmt.Errorf("request-memory must be at least %d, or 0 for a value that suits the machine", limits.MinRequestMemory))
	}
	if s.SearchMemory < limits.MinSearchMemory {
		errs = append(errs, fmt.Errorf("search-memory must be at least %d", limits.MinSearchMemory))
	}
	if s.Graph != Embedded {
		if _, err := s.Neo4j(); err != nil {
			errs = append(errs, err)
		} else if _, err := s.Neo4jBrowser(); err != nil {
			errs = append(errs, err)
		}
	}
	if s.Search != Embedded {
		if _, err := s.Typesense(); err != nil {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// KeysFile returns the path of the file with the secrets of authentication.
func (s *Server) KeysFile() string {
	if s.AuthKeys != "" {
		return s.AuthKeys
	}
	return filepath.Join(s.Data, keys.File)
}

// Typesense is the parsed address of a Typesense server or cluster.
type Typesense struct {
	Nodes []string
	Key   string
}

// Typesense parses the setting search. Errors never show the key.
func (s *Server) Typesense() (Typesense, error) {
	scheme, rest, _ := strings.Cut(s.Search, "://")
	schemes := map[string]string{"typesense": "http://", "typesenses": "https://"}
	at := strings.LastIndexByte(rest, '@')
	if schemes[scheme] == "" || at < 1 || at == len(rest)-1 {
		return Typesense{}, errors.New("search must be embedded or typesense://KEY@host:port[,host:port…]")
	}
	key, err := url.PathUnescape(rest[:at])
	if err != nil {
		return Typesense{}, errors.New("search: the key has invalid percent-encoding")
	}
	t := Typesense{Key: key}
	for _, host := range strings.Split(strings.TrimSuffix(rest[at+1:], "/"), ",") {
		u, err := url.Parse(schemes[scheme] + host)
		if err != nil || u.Host == "" || u.Path != "" {
			return Typesense{}, fmt.Errorf("search: %q is not host:port", host)
		}
		if u.Port() == "" {
			u.Host += ":8108"
		}
		t.Nodes = append(t.Nodes, u.String())
	}
	return t, nil
}

// SearchRedacted returns the setting search without its secrets, for logs.
func (s *Server) SearchRedacted() string {
	t, err := s.Typesense()
	if err != nil {
		return Embedded
	}
	return strings.Join(t.Nodes, ",")
}

// Neo4j is the parsed address of a Neo4j server.
type Neo4j struct{ URI, User, Password, Database string }

// Neo4j parses the setting graph. Errors never show a password.
func (s *Server) Neo4j() (Neo4j, error) {
	u, err := url.Parse(s.Graph)
	if err != nil {
		return Neo4j{}, errors.New("graph must be embedded or the URL of a Neo4j server")
	}
	scheme, _, _ := strings.Cut(u.Scheme, "+")
	if scheme != "bolt" && scheme != "neo4j" || u.Host == "" {
		return Neo4j{}, fmt.Errorf("graph must be embedded, bolt://… or neo4j://…, not %q", u.Redacted())
	}
	n := Neo4j{User: u.User.Username(), Database: strings.Trim(u.Path, "/")}
	n.Password, _ = u.User.Password()
	u.User, u.Path = nil, ""
	n.URI = u.String()
	return n, nil
}

// Neo4jBrowser returns the address of Neo4j Browser, with a slash at the end.
func (s *Server) Neo4jBrowser() (string, error) {
	if s.GraphBrowser != "" {
		u, err := url.Parse(s.GraphBrowser)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil || u.RawQuery != "" {
			return "", errors.New("graph-browser must be the URL of Neo4j Browser, such as http://graph.example:7474/browser/, without a user")
		}
		return strings.TrimSuffix(u.String(), "/") + "/", nil
	}
	u, err := url.Parse(s.Graph)
	if err != nil {
		return "", errors.New("graph must be embedded or the URL of a Neo4j server")
	}
	if strings.Contains(u.Scheme, "+") {
		return "https://" + net.JoinHostPort(u.Hostname(), "7473") + "/browser/", nil
	}
	return "http://" + net.JoinHostPort(u.Hostname(), "7474") + "/browser/", nil
}

// GraphRedacted returns the setting graph without its secrets, for logs.
func (s *Server) GraphRedacted() string {
	if u, err := url.Parse(s.Graph); err == nil {
		return u.Redacted()
	}
	return Embedded
}
