package sqlite

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/headwater-io/headwater/connectors/internal/relational"
)

// Profile implements relational.Database.
func (d *database) Profile(ctx context.Context, t *relational.Table, columns []*relational.Column, p *relational.Profiling) (*relational.Profile, error) {
	made := &relational.Profile{}
	if err := d.within(ctx, p, func(ctx context.Context) error {
		return d.db.QueryRowContext(ctx, "SELECT count(*) FROM "+quoted(t.Name)).Scan(&made.Rows)
	}); err != nil {
		return nil, err
	}
	if made.Rows == 0 {
		return made, nil
	}
	for _, c := range columns {
		one := relational.ColumnProfile{Name: c.Name}
		for _, step := range []func(context.Context, *relational.Table, *relational.Column, *relational.Profiling, *relational.ColumnProfile) error{d.counts, d.median, d.samples} {
			if err := d.within(ctx, p, func(ctx context.Context) error { return step(ctx, t, c, p, &one) }); err != nil {
				return nil, err
			}
		}
		made.Columns = append(made.Columns, one)
	}
	return made, nil
}

// within runs a statement as long as the recipe allows.
func (d *database) within(ctx context.Context, p *relational.Profiling, run func(context.Context) error) error {
	limited, cancel := context.WithTimeout(ctx, time.Duration(p.StatementSeconds)*time.Second)
	defer cancel()
	err := run(limited)
	if err != nil && limited.Err() != nil && ctx.Err() == nil {
		return errors.New("a statement ran longer than profiling.query_timeout_seconds allows")
	}
	return err
}

func quoted(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

// counts reads the numbers that one statement tells of a column.
func (d *database) counts(ctx context.Context, t *relational.Table, c *relational.Column, p *relational.Profiling, made *relational.ColumnProfile) error {
	name := quoted(c.Name)
	list, into := []string{"count(" + name + ")"}, []any{&made.NotNull}
	var low, high, mean any
	ask := func(wanted bool, expression string, to any) {
		if wanted {
			list, into = append(list, expression), append(into, to)
		}
	}
	number := c.Class == relational.Whole || c.Class == relational.Decimal
	ask(p.Distinct, "count(DISTINCT "+name+")", &made.Distinct)
	ask(p.Min && (number || c.Class == relational.Moment), "min("+name+")", &low)
	ask(p.Max && (number || c.Class == relational.Moment), "max("+name+")", &high)
	ask(p.Mean && number, "avg("+name+" * 1.0)", &mean)
	if err := d.db.QueryRowContext(ctx, "SELECT "+strings.Join(list, ", ")+" FROM "+quoted(t.Name)).Scan(into...); err != nil {
		return err
	}
	made.Min, made.Max = bound(low, c), bound(high, c)
	if mean != nil {
		made.Mean = float(mean)
	}
	return nil
}

// median reads the value in the middle, or the two around the middle.
func (d *database) median(ctx context.Context, t *relational.Table, c *relational.Column, p *relational.Profiling, made *relational.ColumnProfile) error {
	if !p.Median || made.NotNull == 0 || c.Class != relational.Whole && c.Class != relational.Decimal {
		return nil
	}
	name := quoted(c.Name)
	values, err := d.list1(ctx, fmt.Sprintf("SELECT +%s FROM %s WHERE %s IS NOT NULL ORDER BY %s LIMIT 2 OFFSET %d", name, quoted(t.Name), name, name, max(made.NotNull/2-1, 0)))
	if err != nil {
		return err
	}
	made.Median = relational.Middle(values, made.NotNull)
	return nil
}

// samples reads some values of a column.
func (d *database) samples(ctx context.Context, t *relational.Table, c *relational.Column, p *relational.Profiling, made *relational.ColumnProfile) error {
	if !p.Samples {
		return nil
	}
	name := quoted(c.Name)
	values, err := d.list1(ctx, fmt.Sprintf("SELECT +%s FROM %s WHERE %s IS NOT NULL LIMIT %d", name, quoted(t.Name), name, p.MaxSamples))
	if err != nil {
		return err
	}
	made.Sampled = true
	for _, v := range values {
		made.Samples = append(made.Samples, relational.Spelled(v))
	}
	return nil
}

// list1 returns the values of a statement with one column. The column is an expression, "+" and its name, because the
// library makes other values of a column that is declared as a date.
func (d *database) list1(ctx context.Context, statement string) ([]any, error) {
	rows, err := d.db.QueryContext(ctx, statement)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var values []any
	for rows.Next() {
		var v any
		if err := rows.Scan(&v); err != nil {
			return nil, err
		}
		values = append(values, v)
	}
	return values, rows.Err()
}

// bound writes a smallest or largest value, nil if it is not one of the column's type.
func bound(v any, c *relational.Column) *string {
	var text string
	switch v := v.(type) {
	case nil:
		return nil
	case int64:
		if text = strconv.FormatInt(v, 10); c.Class == relational.Decimal {
			text += ".0"
		}
	case float64:
		if c.Class == relational.Whole {
			v = float64(int64(v))
			text = strconv.FormatInt(int64(v), 10)
			break
		}
		return float(v)
	default:
		if c.Class != relational.Moment {
			return nil
		}
		text = moment(relational.Spelled(v))
	}
	return &text
}

func float(v any) *string {
	text := relational.Float(fmt.Sprint(v))
	return &text
}

// moment writes a time as the client does, which reads texts of the form of ISO 8601 only.
func moment(text string) string {
	for _, layout := range []string{"2006-01-02", "2006-01-02 15:04", "2006-01-02 15:04:05", "2006-01-02T15:04:05", "2006-01-02 15:04:05.999999", "2006-01-02T15:04:05.999999"} {
		at, err := time.Parse(layout, text)
		if err != nil {
			continue
		}
		if at.Nanosecond() != 0 {
			return at.Format("2006-01-02T15:04:05.000000")
		}
		return at.Format("2006-01-02T15:04:05")
	}
	return text
}
