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
	CallerRate      int           `koanf:"caller-rate"`
	CallerRequests  int           `koanf:"caller-requests"`
	// File is the settings file that was read, or "".
	File string `koanf:"-"`
	// Follow is the address of the server that this one follows; it is set by headwater
	// follow and is no setting of serve. SourceToken is the bearer token for that server.
	Follow      string `koanf:"-"`
	SourceToken string `koanf:"source-token"`
}

// Flags declares every setting with its default and help.
func Flags(f *pflag.FlagSet) {
	f.String("listen", "127.0.0.1:8080", "address to serve on")
	f.String("data", "./data", "directory of the embedded store and index")
	f.String("graph", Embedded, "graph store: embedded, or bolt://… or neo4j://user:password@host:7687[/database] (+s for TLS)")
	f.String("graph-browser", "", "address of Neo4j Browser, as analysts reach it (default: port 7474 of the host of --graph, or 7473 with TLS)")
	f.Int("graph-pool", 100, "largest number of connections to Neo4j, at least 8")
	f.Int("readers", 0, "connections of the embedded store for short reads; walks and listings have half as many each (0: one for each processor, at least 4)")
	f.Int("walks", limits.Walks, "lineage walks that may run at once")
	f.Int("event-streams", limits.EventStreams, "event streams that may be open at once")
	f.String("graph-ca", "", "file with the certificate authority of Neo4j's TLS certificate (PEM)")
	f.String("search", Embedded, "search index: embedded, or typesense://KEY@host:8108[,host:8108…] (typesenses:// for TLS)")
	f.String("search-prefix", "headwater", "prefix of the names of collections in Typesense")
	f.Duration("search-wait", limits.DefaultSearchWait, "longest time that a search waits until the index has all earlier writes")
	f.Int64("search-memory", limits.DefaultSearchMemory, "bytes of new documents that the embedded index keeps in memory before it writes them to a file, at least 1048576")
	f.StringSlice("kafka", nil, "brokers of Kafka, host:port[,host:port…], to read proposals from and send changes to; none if it is empty")
	f.String("kafka-group", "headwater-proposals", "consumer group in which servers share the proposals of Kafka")
	f.String("kafka-format", "avro", "form of the events that are sent to Kafka: avro or json; proposals are read in both forms")
	f.String("kafka-topic-prefix", "", "text before the names of all topics of Kafka")
	f.String("kafka-openlineage-topic", "", "topic of Kafka with OpenLineage events, its whole name; none is read if it is empty")
	f.Bool("kafka-tls", false, "encrypt connections to Kafka")
	f.String("kafka-ca", "", "file with the certificate authority of Kafka's TLS certificates (PEM); those of the machine if it is empty")
	f.String("kafka-cert", "", "certificate file that Kafka is shown (PEM)")
	f.String("kafka-key", "", "key file of --kafka-cert (PEM)")
	f.String("kafka-server-name", "", "name in Kafka's TLS certificates, if it is not the host of the broker")
	f.String("kafka-sasl", "", "how to log in to Kafka: PLAIN, SCRAM-SHA-256 or SCRAM-SHA-512; not at all if it is empty")
	f.String("kafka-user", "", "user of --kafka-sasl")
	f.String("kafka-password", "", "password of --kafka-user; better given as HEADWATER_KAFKA_PASSWORD or in a file")
	f.String("kafka-password-file", "", "file with the password of --kafka-user")
	f.Bool("kafka-replicas", false, "also send to Kafka the records that replicas read, so that headwater follow kafka://… fills a server from a topic alone")
	f.Bool("sample", false, "load the sample catalog if the store is empty")
	f.Bool("platforms", true, "at the start, write common data platforms, types of ownership, data types and entity types that the store does not have yet")
	f.StringSlice("model", nil, "file with custom entities and aspects (JSON); repeatable")
	f.String("unknown-fields", "auto", "fields and aspects that the model does not have: keep, refuse, or auto to keep those of clients whose release knows the model")
	f.Int64("retention", 20, "archived versions to keep of each aspect; 0 keeps all")
	f.Duration("changes-age", 0, "age from which the beginning of the change log is deleted, unless a follower still needs it; 0 keeps it")
	f.Duration("audit-age", 90*24*time.Hour, "age from which entries of the audit trail are deleted, at least an hour")
	f.Int64("changes-kept", 0, "about how many of the newest changes of the log are kept, whatever their age; older ones are deleted if --changes-age allows it; 0 is no condition")
	f.String("log-level", "info", "debug, info, warn or error")
	f.String("log-format", "text", "text or json")
	f.Int64("max-body", limits.DefaultBodyBytes, "largest request body in bytes, after decompression")
	f.Int64("request-memory", 0, "memory in bytes for the decoded bodies of all running requests; 0 is half of GOMEMLIMIT or, if that is not set, a quarter of the machine's memory but at most 2 GiB")
	f.Duration("request-timeout", time.Minute, "longest time for a request (except event streams)")
	f.Duration("idle-timeout", limits.DefaultIdleSeconds*time.Second, "longest time in which a client may send nothing of a body, or read nothing of an answer")
	f.Duration("shutdown-timeout", 20*time.Second, "longest time to finish running requests when the server stops")
	f.String("otlp-endpoint", "", "URL to send OpenTelemetry traces to (OTLP over HTTP); none are sent if it is empty")
	f.String("tls-cert", "", "certificate file to serve HTTPS with (PEM)")
	f.String("tls-key", "", "key file of --tls-cert (PEM)")
	f.StringSlice("trusted-origins", nil, "other site whose pages may send requests, such as https://catalog.example.com; repeatable")
	f.StringSlice("allowed-hosts", nil, "host name, without a port, that a server on a loopback address accepts besides localhost; repeatable")
	f.Bool("mcp-writes", false, "offer agents (/mcp) the tools that change tags, terms, owners, descriptions and structured properties")
	f.Bool("webhook-private", false, "send webhooks to private, loopback and other addresses that are not of the public internet, too")
	f.Bool("feed", true, "fill the feeds of users and groups; of several servers over one store, at least one must")
	f.Bool("read-only", false, "refuse everything that changes the catalog, with 403, and read no proposals of Kafka")
	f.String("auth", AuthOff, "whether callers must show who they are: on, or off to believe everybody")
	f.Int("caller-rate", limits.DefaultCallerRate, "requests a second that each caller may make while authentication is on; 0 is no limit")
	f.Int("caller-requests", limits.DefaultCallerRequests, "requests of a caller that are worked on at the same time while authentication is on and no other caller is active")
	f.String("auth-keys", "", "file with the secrets of --auth on, which is made if it is missing (default: "+keys.File+" in the directory of --data); all servers over one Neo4j need the same")
	f.String("first-admin-file", "", "with --auth on, file (JSON with email, fullName and password) from which the first administrator is made, in place of the link that is printed")
	f.String("oidc-file", "", "with --auth on, file with the identity providers with which people sign in (YAML or JSON); without it, the AUTH_OIDC_* variables of the environment name one")
	f.String("secrets-key-file", "", "file with the keys that encrypt secrets, each as 32 bytes in base64 on a line; the first one encrypts (default: with the embedded store, a file in the directory of --data, made with the first secret; with Neo4j none, and secrets are refused)")
	f.String("secrets-key", "", "the same keys as text, separated by commas; better given as HEADWATER_SECRETS_KEY or in a file")
	f.Int("min-password", limits.MinPasswordBytes, "with --auth on, how many bytes a new password has at least")
	f.Bool("allow-anyone", false, "with --auth off, serve on an address that other machines can reach, so that whoever reaches it may read, change and delete everything")
	f.Bool("open-metrics", false, "with --auth on, let callers who are not known read /metrics")
	f.String("config", "", "settings file (default "+DefaultFile+", if it exists)")
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
