package rest

import (
	"net/url"
	"strconv"
	"strings"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/model"
)

// tail returns the path after a prefix, decoded exactly once.
func (c *call) tail(prefix string) (string, error) {
	raw := strings.TrimPrefix(strings.TrimPrefix(c.Request.URL.EscapedPath(), prefix), "/")
	decoded, err := model.DecodeURN(raw)
	if err != nil {
		return "", &catalog.Error{Code: catalog.Invalid, Message: err.Error()}
	}
	return decoded, nil
}

// param returns a query parameter, decoded once.
func (c *call) param(name string) (string, error) {
	values, err := c.rawValues(name)
	if err != nil || len(values) == 0 {
		return "", err
	}
	decoded, err := url.QueryUnescape(values[0])
	if err != nil {
		return "", catalog.Errorf(catalog.Invalid, "parameter %s has invalid percent-encoding", name)
	}
	return decoded, nil
}

func (c *call) required(name string) (string, error) {
	value, err := c.param(name)
	if err == nil && value == "" {
		err = catalog.Errorf(catalog.Invalid, "parameter %s is required", name)
	}
	return value, err
}

// integer returns an integer parameter or its default.
func (c *call) integer(name string, otherwise int64) (int64, error) {
	text, err := c.param(name)
	if err != nil || text == "" {
		return otherwise, err
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return 0, catalog.Errorf(catalog.Invalid, "parameter %s: %q is not an integer", name, text)
	}
	return n, nil
}

// page returns the start and count parameters.
func (c *call) page(defaultCount int64) (start, count int, err error) {
	from, err := c.integer("start", 0)
	if err != nil {
		return 0, 0, err
	}
	size, err := c.integer("count", defaultCount)
	if err != nil {
		return 0, 0, err
	}
	const most = 1 << 31
	if from > most || size > most {
		return 0, 0, catalog.Errorf(catalog.Invalid, "start and count must be below %d", most)
	}
	return int(from), int(size), nil
}

func (c *call) list(name string) ([]string, error) {
	if _, err := c.rawValues(name); err != nil {
		return nil, err
	}
	return parseList(c.Request.URL.RawQuery, name)
}

// boolean returns a parameter that is true or false, false if it is missing.
func (c *call) boolean(name string) (bool, error) { return c.booleanOr(name, false) }

// booleanOr returns a parameter that is true or false, or what it is otherwise if it is
// missing.
func (c *call) booleanOr(name string, otherwise bool) (bool, error) {
	text, err := c.param(name)
	if err != nil {
		return false, err
	}
	if text == "" {
		return otherwise, nil
	}
	value, err := strconv.ParseBool(strings.ToLower(text))
	if err != nil {
		return false, catalog.Errorf(catalog.Invalid, "parameter %s must be true or false, not %q", name, text)
	}
	return value, nil
}

// moment returns a parameter that is a moment: epoch milliseconds, a day, or a
// time with its zone.
func (c *call) moment(name string) (int64, error) {
	text, err := c.param(name)
	if err != nil || text == "" {
		return 0, err
	}
	at, ok := catalog.ParseMoment(text)
	if !ok {
		return 0, catalog.Errorf(catalog.Invalid, "parameter %s: %q is not a moment; it must be %s", name, text, catalog.MomentForms)
	}
	return at, nil
}

// entityRequest reads the entity in the path and the aspects asked for.
func (c *call) entityRequest(prefix string) (urn model.URN, aspects []string, err error) {
	if urn, err = c.urnTail(prefix); err != nil {
		return model.URN{}, nil, err
	}
	aspects, err = c.list("aspects")
	return urn, aspects, err
}

func (c *call) idsRequest() (urns []model.URN, aspects []string, err error) {
	ids, err := c.list("ids")
	if err != nil {
		return nil, nil, err
	}
	if err = catalog.CheckIDs(ids); err != nil {
		return nil, nil, err
	}
	if urns, err = c.urnList(ids); err != nil {
		return nil, nil, err
	}
	aspects, err = c.list("aspects")
	return urns, aspects, err
}

// reader reads parameters until one is wrong.
type reader struct {
	*call
	err error
}

// argument reads the parameter with a name, unless an earlier one was wrong.
func argument[T any](r *reader, get func(string) (T, error), name string) T {
	var none T
	if r.err != nil {
		return none
	}
	value, err := get(name)
	if err != nil {
		r.err = err
		return none
	}
	return value
}

func (r *reader) number(name string, otherwise int) int {
	const most = 1 << 31
	n := argument(r, func(name string) (int64, error) { return r.integer(name, int64(otherwise)) }, name)
	if n > most || n < -most {
		r.err = catalog.Errorf(catalog.Invalid, "parameter %s must be below %d", name, most)
	}
	return int(n)
}
