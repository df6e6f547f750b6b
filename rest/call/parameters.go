package call

import (
	"net/url"
	"strconv"
	"strings"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/internal/wording"
	"github.com/headwater-io/headwater/model"
)

// tail returns the path after a prefix. It decodes the path exactly once.
func (c *Call) tail(prefix string) (string, error) {
	raw := strings.TrimPrefix(strings.TrimPrefix(c.Request.URL.EscapedPath(), prefix), "/")
	decoded, err := model.DecodeURN(raw)
	if err != nil {
		return "", &catalog.Error{Code: catalog.Invalid, Message: err.Error()}
	}
	return decoded, nil
}

// Text returns a query parameter, decoded once; "" if it is missing.
func (c *Call) Text(name string) (string, error) {
	values, err := c.RawValues(name)
	if err != nil || len(values) == 0 {
		return "", err
	}
	decoded, err := url.QueryUnescape(values[0])
	if err != nil {
		return "", catalog.Errorf(catalog.Invalid, "parameter %s has invalid percent-encoding", name)
	}
	return decoded, nil
}

// Required returns a query parameter, or an error if it is missing.
func (c *Call) Required(name string) (string, error) {
	value, err := c.Text(name)
	if err == nil && value == "" {
		err = catalog.Errorf(catalog.Invalid, "parameter %s is required", name)
	}
	return value, err
}

// Integer returns an integer query parameter, or otherwise if it is missing.
func (c *Call) Integer(name string, otherwise int64) (int64, error) {
	text, err := c.Text(name)
	if err != nil || text == "" {
		return otherwise, err
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return 0, catalog.Errorf(catalog.Invalid, "parameter %s: %q is not an integer", name, text)
	}
	return n, nil
}

// Page returns the query parameters start and count.
func (c *Call) Page(defaultCount int64) (start, count int, err error) {
	from, err := c.Integer("start", 0)
	if err != nil {
		return 0, 0, err
	}
	size, err := c.Integer("count", defaultCount)
	if err != nil {
		return 0, 0, err
	}
	const most = 1 << 31
	if from > most || size > most {
		return 0, 0, catalog.Errorf(catalog.Invalid, "start and count must be below %d", most)
	}
	return int(from), int(size), nil
}

// List returns a list parameter in any of the spellings of parseList.
func (c *Call) List(name string) ([]string, error) {
	if _, err := c.RawValues(name); err != nil {
		return nil, err
	}
	return parseList(c.Request.URL.RawQuery, name)
}

// Boolean returns a parameter that must be true or false; false if it is missing.
func (c *Call) Boolean(name string) (bool, error) { return c.BooleanOr(name, false) }

// BooleanOr returns a parameter that must be true or false. If the parameter is missing, it
// returns the argument otherwise.
func (c *Call) BooleanOr(name string, otherwise bool) (bool, error) {
	text, err := c.Text(name)
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

// Moment returns a parameter that is a moment, in epoch milliseconds; 0 if it is missing.
// The caller may send epoch milliseconds, a day, or a time with its zone.
func (c *Call) Moment(name string) (int64, error) {
	text, err := c.Text(name)
	if err != nil || text == "" {
		return 0, err
	}
	at, ok := wording.ParseMoment(text)
	if !ok {
		return 0, catalog.Errorf(catalog.Invalid, "parameter %s: %q is not a moment; it must be %s", name, text, wording.MomentForms)
	}
	return at, nil
}

// Reader reads several parameters and keeps the first error. After an error it reads
// nothing.
type Reader struct {
	*Call
	Err error
}

// Argument reads the parameter name with get, unless an earlier parameter was wrong.
func Argument[T any](r *Reader, get func(string) (T, error), name string) T {
	var none T
	if r.Err != nil {
		return none
	}
	value, err := get(name)
	if err != nil {
		r.Err = err
		return none
	}
	return value
}

// Number reads an integer parameter. If the parameter is missing, Number returns the
// argument otherwise.
func (r *Reader) Number(name string, otherwise int) int {
	const most = 1 << 31
	n := Argument(r, func(name string) (int64, error) { return r.Integer(name, int64(otherwise)) }, name)
	if n > most || n < -most {
		r.Err = catalog.Errorf(catalog.Invalid, "parameter %s must be below %d", name, most)
	}
	return int(n)
}
