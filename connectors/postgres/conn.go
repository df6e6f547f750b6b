package postgres

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// conn asks a database for texts and reads them, so that the program needs no code for the other forms of
// PostgreSQL's many types. Its statements are not prepared: poolers of connections do not keep prepared statements.
type conn struct{ *pgconn.PgConn }

// do runs a statement without an answer.
func (c conn) do(ctx context.Context, statement string) error {
	return c.Exec(ctx, statement).Close()
}

// one reads the only row of an answer.
func (c conn) one(ctx context.Context, into []any, query string) error {
	found := false
	err := c.each(ctx, into, func() { found = true }, query)
	if err == nil && !found {
		return errors.New("the database has answered without a row")
	}
	return err
}

// each reads the rows of an answer. It calls a function after each row, when into has the values of the row.
func (c conn) each(ctx context.Context, into []any, row func(), query string, arguments ...string) error {
	values := make([][]byte, len(arguments))
	for i, argument := range arguments {
		values[i] = []byte(argument)
	}
	rows := c.ExecParams(ctx, query, values, nil, nil, nil)
	var wrong error
	for wrong == nil && rows.NextRow() {
		if wrong = scanRow(rows.Values(), into); wrong == nil {
			row()
		}
	}
	_, err := rows.Close()
	return errors.Join(err, wrong)
}

// strings reads the texts in the only column of an answer.
func (c conn) strings(ctx context.Context, query string) (list []string, err error) {
	var one string
	err = c.each(ctx, []any{&one}, func() { list = append(list, one) }, query)
	return list, err
}

func scanRow(values [][]byte, into []any) error {
	if len(values) != len(into) {
		return fmt.Errorf("the database has answered with %d columns instead of %d", len(values), len(into))
	}
	for i, value := range values {
		if err := scan(value, into[i]); err != nil {
			return fmt.Errorf("column %d of the answer: %w", i+1, err)
		}
	}
	return nil
}

// scan reads a value from its text. A value of nil is NULL, which only pointers to pointers and lists can take.
func scan(text []byte, into any) (err error) {
	switch into := into.(type) {
	case **string:
		*into, err = optional(text, func(s string) (string, error) { return s, nil })
		return err
	case **int64:
		*into, err = optional(text, wholeNumber)
		return err
	case **time.Time:
		*into, err = optional(text, readTime)
		return err
	case *[]string:
		if *into = nil; text != nil {
			*into, err = readArray(string(text))
		}
		return err
	}
	if text == nil {
		return errors.New("is NULL")
	}
	switch into := into.(type) {
	case *string:
		*into = string(text)
	case *int64:
		*into, err = wholeNumber(string(text))
	case *uint32:
		var n uint64
		n, err = strconv.ParseUint(string(text), 10, 32)
		*into = uint32(n)
	case *bool:
		*into = string(text) == "t"
	default:
		err = fmt.Errorf("cannot be read as %T", into)
	}
	return err
}

func optional[T any](text []byte, read func(string) (T, error)) (*T, error) {
	if text == nil {
		return nil, nil
	}
	value, err := read(string(text))
	return &value, err
}

func wholeNumber(text string) (int64, error) { return strconv.ParseInt(text, 10, 64) }

// readTime reads a time with a time zone. The zone has minutes and seconds only if they are not zero.
func readTime(text string) (at time.Time, err error) {
	for _, zone := range []string{"-07", "-07:00", "-07:00:00"} {
		if at, err = time.Parse("2006-01-02 15:04:05.999999999"+zone, text); err == nil {
			return at, nil
		}
	}
	return at, err
}

// readArray reads an array of texts without NULL, such as {a,"b c","d\"e"}.
func readArray(text string) ([]string, error) {
	wrong := fmt.Errorf("%.40q is no list of texts", text)
	inner, found := strings.CutPrefix(text, "{")
	if !found {
		return nil, wrong
	}
	list := []string{}
	if inner == "}" {
		return list, nil
	}
	for {
		var one strings.Builder
		quoted := strings.HasPrefix(inner, `"`)
		i := 0
		if quoted {
			i = 1
		}
		for ; i < len(inner) && inner[i] != '"' && (quoted || inner[i] != ',' && inner[i] != '}' && inner[i] != '{'); i++ {
			if inner[i] == '\\' && i+1 < len(inner) {
				i++
			}
			one.WriteByte(inner[i])
		}
		if quoted && i < len(inner) {
			i++ // the closing quote
		}
		if !quoted && (i == 0 || strings.EqualFold(one.String(), "NULL")) || i == len(inner) {
			return nil, wrong
		}
		list = append(list, one.String())
		switch {
		case inner[i:] == "}":
			return list, nil
		case inner[i] != ',':
			return nil, wrong
		}
		inner = inner[i+1:]
	}
}

// named returns the name of a thing in SQL, from the schema on.
func named(parts ...string) string {
	quoted := make([]string, len(parts))
	for i, part := range parts {
		quoted[i] = `"` + strings.ReplaceAll(strings.ReplaceAll(part, "\x00", ""), `"`, `""`) + `"`
	}
	return strings.Join(quoted, ".")
}
