// Package typesense is the search index on a Typesense server or cluster.
//
// Documents are in one collection behind an alias, which a rebuild moves in one step.
// Typesense compares texts without case, accents and punctuation, so exact filters use
// hashes of (field, value). A second collection has every distinct value once, and finds
// values by their pieces of three bytes and by their words. A search for parts of values
// asks this collection for candidates, which this package then checks. The words of
// documents are stored as values too, for conditions on words.
// The reasons are in docs/decisions/0014-typesense-layout.md.
package typesense

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/typesense/typesense-go/v3/typesense"
	"github.com/typesense/typesense-go/v3/typesense/api"
	"github.com/typesense/typesense-go/v3/typesense/api/pointer"

	"github.com/headwater-io/headwater/indexer"
)

// Options configure an index. Nodes and Key are required.
type Options struct {
	// Nodes are the addresses of the servers, http://host:port.
	Nodes []string
	Key   string
	// Prefix is the prefix of the names of collections and aliases; empty means
	// "headwater".
	Prefix string
	// Fingerprint identifies the model and the projection that documents are made with. An
	// index with another fingerprint serves until it is rebuilt, and has no cursor.
	Fingerprint string
	// The fields that documents may have, by their use; see [indexer.Names].
	Facets, Numbers, SortKeys, Completions []string
	// Timeout bounds one request; 0 means one minute.
	Timeout time.Duration
}

// Index is a search index on Typesense.
type Index struct {
	options Options
	client  *typesense.Client
	nodes   *nodes
	live    collections
	known   map[string]bool

	closed atomic.Bool

	// writing is held by Write.
	writing sync.Mutex
	// sent remembers values that were already sent to the collection into which Write wrote
	// last.
	sent sentValues

	vocabulary vocabulary
}

var _ indexer.Index = (*Index)(nil)

// collections names a pair of collections or of aliases.
type collections struct{ docs, values string }

// SetKey sets the API key of all requests from now on.
func (x *Index) SetKey(key string) { x.nodes.key.Store(&key) }

// Open connects to the servers and creates an empty index if there is none. A server that
// cannot be reached is not an error.
func Open(ctx context.Context, o Options) (*Index, error) {
	if o.Prefix == "" {
		o.Prefix = "headwater"
	}
	if o.Timeout == 0 {
		o.Timeout = time.Minute
	}
	var urls []*url.URL
	for _, node := range o.Nodes {
		u, err := url.Parse(node)
		if err != nil || u.Host == "" {
			return nil, fmt.Errorf("search node %q is not an address", node)
		}
		urls = append(urls, u)
	}
	if len(urls) == 0 {
		return nil, errors.New("no search node is configured")
	}
	n := newNodes(urls, o.Key, &http.Client{Timeout: o.Timeout, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }, Transport: &http.Transport{
		MaxIdleConnsPerHost: 64, IdleConnTimeout: time.Minute, Proxy: http.ProxyFromEnvironment,
	}})
	low, err := api.NewClientWithResponses(urls[0].String(), api.WithHTTPClient(n))
	if err != nil {
		return nil, err
	}
	x := &Index{
		options: o, nodes: n, client: typesense.NewClient(typesense.WithAPIClient(low)),
		live: collections{o.Prefix + "_docs", o.Prefix + "_values"}, known: map[string]bool{}, vocabulary: newVocabulary(),
	}
	for prefix, names := range map[string][]string{"f_": o.Facets, "i_": o.Numbers, "s_": o.SortKeys, "a_": o.Completions} {
		for _, name := range names {
			x.known[prefix+name] = true
		}
	}
	err = failure(x.ensure(ctx))
	if errors.Is(err, indexer.ErrUnavailable) {
		err = nil // the first Write or Cursor creates the collections
	}
	return x, err
}

// ensure creates empty collections if there are none.
func (x *Index) ensure(ctx context.Context) error {
	_, err := x.client.Alias(x.live.docs).Retrieve(ctx)
	if !isStatus(err, http.StatusNotFound) {
		return err
	}
	fresh, err := x.create(ctx)
	if err != nil {
		return err
	}
	return x.point(ctx, fresh)
}

// create makes a new pair of collections, named after the fingerprint and the
// time.
func (x *Index) create(ctx context.Context) (collections, error) {
	end := fmt.Sprintf("_%s_%d", hash("fingerprint", x.options.Fingerprint)[:8], time.Now().UnixNano())
	c := collections{x.live.docs + end, x.live.values + end}
	if _, err := x.client.Collections().Create(ctx, x.docsSchema(c.docs)); err != nil {
		return c, err
	}
	_, err := x.client.Collections().Create(ctx, valuesSchema(c.values))
	return c, err
}

// point moves the aliases to a pair of collections. The alias of values is moved first,
// because additional values do no harm.
func (x *Index) point(ctx context.Context, to collections) error {
	for _, pair := range [][2]string{{x.live.values, to.values}, {x.live.docs, to.docs}} {
		if _, err := x.client.Aliases().Upsert(ctx, pair[0], &api.CollectionAliasSchema{CollectionName: pair[1]}); err != nil {
			return err
		}
	}
	return nil
}

// target returns the pair of collections that the aliases name.
func (x *Index) target(ctx context.Context) (collections, error) {
	alias, err := x.client.Alias(x.live.docs).Retrieve(ctx)
	if isStatus(err, http.StatusNotFound) {
		if err = x.ensure(ctx); err == nil {
			alias, err = x.client.Alias(x.live.docs).Retrieve(ctx)
		}
	}
	if err != nil {
		return collections{}, err
	}
	end := strings.TrimPrefix(alias.CollectionName, x.live.docs)
	return collections{x.live.docs + end, x.live.values + end}, nil
}

func field(name, kind string, change ...func(*api.Field)) api.Field {
	f := api.Field{Name: name, Type: kind}
	for _, c := range change {
		c(&f)
	}
	return f
}

func facet(f *api.Field)    { f.Facet = pointer.True() }
func optional(f *api.Field) { f.Optional = pointer.True() }
func sorted(f *api.Field)   { f.Sort = pointer.True() }

func (x *Index) docsSchema(name string) *api.CollectionSchema {
	fields := []api.Field{
		field("kv", "string[]"), field("seq", "int64"), field("w", "int64"),
		field("b_.*", "string[]", facet, optional),
	}
	for _, name := range classFields {
		fields = append(fields, field(name, "string"))
	}
	for _, name := range nameFields {
		fields = append(fields, field(name, "string[]", optional))
	}
	for _, f := range x.options.Facets {
		fields = append(fields, field("f_"+f, "string[]", facet, optional))
	}
	for _, f := range x.options.Numbers {
		fields = append(fields, field("i_"+f, "int64", optional))
	}
	for _, f := range x.options.SortKeys {
		fields = append(fields, field("s_"+f, "string", optional, sorted))
	}
	for _, f := range x.options.Completions {
		fields = append(fields, field("a_"+f, "string", optional))
	}
	return &api.CollectionSchema{Name: name, Fields: fields, DefaultSortingField: pointer.String("seq")}
}

func valuesSchema(name string) *api.CollectionSchema {
	return &api.CollectionSchema{Name: name, Fields: []api.Field{field("f", "string"), field("g", "string[]"), field("w", "string[]"), field("t", "int64")}}
}

// Ping reports whether a node answers and knows the index.
func (x *Index) Ping(ctx context.Context) error {
	if err := x.open(); err != nil {
		return err
	}
	_, err := x.client.Alias(x.live.docs).Retrieve(ctx)
	return failure(err)
}

func (x *Index) open() error {
	if x.closed.Load() {
		return indexer.ErrClosed
	}
	return nil
}

// Close releases the connections.
func (x *Index) Close() error {
	x.closed.Store(true)
	x.nodes.client.CloseIdleConnections()
	return nil
}

// isStatus reports whether the server answered with an HTTP status.
func isStatus(err error, status int) bool {
	var answer *typesense.HTTPError
	return errors.As(err, &answer) && answer.Status == status
}

// unwell lists the statuses below 500 with which the server refuses every request, or every
// request of this client. 422 means that the server is running out of disk or memory.
var unwell = map[int]bool{
	http.StatusUnauthorized: true, http.StatusForbidden: true, http.StatusNotFound: true,
	http.StatusRequestTimeout: true, http.StatusUnprocessableEntity: true, http.StatusTooManyRequests: true,
}

func isRefused(err error) bool {
	var refused *indexer.RefusedError
	return errors.As(err, &refused)
}

// failure converts an error of the Typesense library to an error of package indexer.
func failure(err error) error {
	var answer *typesense.HTTPError
	switch {
	case err == nil, errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded),
		errors.Is(err, indexer.ErrClosed), errors.Is(err, indexer.ErrDamaged), isRefused(err), errors.Is(err, indexer.ErrBadToken), errors.Is(err, indexer.ErrTooComplex):
		return err
	case errors.As(err, &answer) && answer.Status < http.StatusInternalServerError &&
		!unwell[answer.Status]:
		return err
	}
	return fmt.Errorf("%w: %w", indexer.ErrUnavailable, err)
}

// build is a pair of collections that no alias names yet.
type build struct {
	index *Index
	into  collections
	mu    sync.Mutex
	sent  sentValues
	done  bool
}

// leftoverAge is the age from which a collection without an alias counts as the rest of a
// crashed rebuild.
const leftoverAge = 12 * time.Hour

var created = regexp.MustCompile(`_[0-9a-v]{8}_(\d+)$`)

// Rebuild starts a new pair of collections.
func (x *Index) Rebuild(ctx context.Context) (indexer.Build, error) {
	if err := x.open(); err != nil {
		return nil, err
	}
	if err := x.sweep(ctx); err != nil {
		return nil, failure(err)
	}
	into, err := x.create(ctx)
	if err != nil {
		return nil, failure(err)
	}
	return &build{index: x, into: into}, nil
}

// sweep drops the collections of crashed rebuilds.
func (x *Index) sweep(ctx context.Context) error {
	used, err := x.target(ctx)
	if err != nil {
		return err
	}
	all, err := x.client.Collections().Retrieve(ctx)
	if err != nil {
		return err
	}
	for _, c := range all {
		made := created.FindStringSubmatch(c.Name)
		ours := strings.HasPrefix(c.Name, x.live.docs+"_") || strings.HasPrefix(c.Name, x.live.values+"_")
		if made == nil || !ours || c.Name == used.docs || c.Name == used.values {
			continue
		}
		nanos, err := strconv.ParseInt(made[1], 10, 64)
		if err != nil || time.Since(time.Unix(0, nanos)) < leftoverAge {
			continue
		}
		if _, err := x.client.Collection(c.Name).Delete(ctx); err != nil && !isStatus(err, http.StatusNotFound) {
			return err
		}
	}
	return nil
}

func (b *build) Write(ctx context.Context, batch indexer.Batch) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return failure(b.index.write(ctx, b.into, &b.sent, batch))
}

func (b *build) Cursor(ctx context.Context) (string, error) {
	cursor, err := b.index.cursorOf(ctx, b.into)
	return cursor, failure(err)
}

// Swap moves the aliases and drops the former collections.
func (b *build) Swap(ctx context.Context) error {
	former, err := b.index.target(ctx)
	if err == nil {
		err = b.index.point(ctx, b.into)
	}
	if err != nil {
		return failure(err)
	}
	b.done = true
	return failure(b.index.drop(ctx, former))
}

// Abandon drops the new collections.
func (b *build) Abandon() error {
	if b.done {
		return nil
	}
	b.done = true
	ctx, cancel := context.WithTimeout(context.Background(), b.index.options.Timeout)
	defer cancel()
	return failure(b.index.drop(ctx, b.into))
}

func (x *Index) drop(ctx context.Context, c collections) error {
	for _, name := range []string{c.docs, c.values} {
		if _, err := x.client.Collection(name).Delete(ctx); err != nil && !isStatus(err, http.StatusNotFound) {
			return err
		}
	}
	return nil
}
