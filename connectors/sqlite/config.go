package sqlite

import (
	"net/url"
	"strings"

	"github.com/headwater-io/headwater/connectors/internal/relational"
	"github.com/headwater-io/headwater/connectors/internal/settings"
	"github.com/headwater-io/headwater/internal/limits"
)

// config are the settings of a recipe.
type config struct {
	*relational.Config
	path string
}

func read(values map[string]any) (*config, *settings.Reader) {
	r := settings.New(values)
	platform := r.Text("platform", "")
	if platform == "" {
		r.Fail("platform", "is missing: the platform in URNs, such as sqlite")
	}
	if strings.ContainsAny(platform, "(),: ") {
		r.Fail("platform", "must not contain spaces, colons, commas or parentheses: it is a part of URNs")
	}
	c := &config{Config: relational.Common(r, platform, settings.Pattern{})}
	c.ReadProfiling(r, limits.MaxProfileRows)
	r.Section("options").WithoutEffect("echo", "pool_pre_ping")
	c.uri(r, r.Text("connect_uri", ""))
	return c, r
}

// uri reads a URI such as sqlite:////data/shop.db, where three slashes begin a path in the working directory. Other
// databases that SQLAlchemy reads are for the Python client.
func (c *config) uri(r *settings.Reader, text string) {
	scheme, rest, found := strings.Cut(text, "://")
	if dialect, _, _ := strings.Cut(scheme, "+"); text != "" && (!found || dialect != "sqlite") {
		r.Foreign("connect_uri")
		return
	}
	path, _, _ := strings.Cut(rest, "?")
	path = strings.TrimPrefix(path, "/")
	if decoded, err := url.PathUnescape(path); err == nil {
		path = decoded
	}
	if path == "" || path == ":memory:" {
		r.Fail("connect_uri", "must name a file, as sqlite:////data/shop.db does")
		return
	}
	c.path = path
}
