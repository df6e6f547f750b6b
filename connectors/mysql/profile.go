package mysql

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/go-sql-driver/mysql"

	"github.com/headwater-io/headwater/connectors/internal/relational"
)

// profiledTogether is how many columns one statement profiles.
const profiledTogether = 100

// Codes of statements that ran too long, of MySQL and MariaDB.
const (
	mysqlTimeout   = 3024
	mariadbTimeout = 1969
)

// Profile implements relational.Database.
func (d *database) Profile(ctx context.Context, t *relational.Table, columns []*relational.Column, p *relational.Profiling) (*relational.Profile, error) {
	if _, err := d.db.ExecContext(ctx, fmt.Sprintf("SET SESSION max_execution_time = %d", p.StatementSeconds*1000)); err != nil {
		if _, err := d.db.ExecContext(ctx, fmt.Sprintf("SET SESSION max_statement_time = %d", p.StatementSeconds)); err != nil { // the name in MariaDB
			return nil, err
		}
	}
	from := quoted(t.Schema) + "." + quoted(t.Name)
	made := &relational.Profile{}
	if p.Estimate && t.Rows != nil {
		made.Rows = *t.Rows
	} else if err := d.db.QueryRowContext(ctx, "SELECT count(*) FROM "+from).Scan(&made.Rows); err != nil {
		return nil, tooLong(err)
	}
	if made.Rows == 0 && !p.Estimate {
		return made, nil
	}
	for group := range slices.Chunk(columns, profiledTogether) {
		some, err := d.profileColumns(ctx, from, group, p)
		if err != nil {
			return nil, tooLong(err)
		}
		made.Columns = append(made.Columns, some...)
	}
	for i := range made.Columns {
		if err := d.values(ctx, from, columns[i], &made.Columns[i], p); err != nil {
			return nil, tooLong(err)
		}
	}
	return made, nil
}

func tooLong(err error) error {
	var answered *mysql.MySQLError
	if errors.As(err, &answered) && (answered.Number == mysqlTimeout || answered.Number == mariadbTimeout) {
		return errors.New("a statement ran longer than profiling.query_timeout_seconds allows")
	}
	return err
}

// profileColumns reads the counts and the statistics of columns in one statement.
func (d *database) profileColumns(ctx context.Context, from string, columns []*relational.Column, p *relational.Profiling) ([]relational.ColumnProfile, error) {
	made := make([]relational.ColumnProfile, len(columns))
	var list []string
	var into []any
	ask := func(wanted bool, expression string, to any) {
		if wanted {
			list, into = append(list, expression), append(into, to)
		}
	}
	for i, c := range columns {
		made[i].Name = c.Name
		name := quoted(c.Name)
		number := c.Class == relational.Whole || c.Class == relational.Decimal
		ask(true, "count("+name+")", &made[i].NotNull)
		ask(p.Distinct, "count(DISTINCT "+name+")", &made[i].Distinct)
		ask(p.Min && (number || c.Class == relational.Moment), "min("+name+")", &made[i].Min)
		ask(p.Max && (number || c.Class == relational.Moment), "max("+name+")", &made[i].Max)
		ask(p.Mean && number, "avg("+name+" * 1.0)", &made[i].Mean)
		ask(p.Deviation && number, "stddev_samp("+name+")", &made[i].Stdev)
	}
	if len(list) == 0 {
		return nil, nil
	}
	if err := d.db.QueryRowContext(ctx, "SELECT "+strings.Join(list, ", ")+" FROM "+from).Scan(into...); err != nil {
		return nil, err
	}
	for i, c := range columns {
		spell(&made[i], c)
	}
	return made, nil
}

// spell writes the statistics of a column as the client does.
func spell(made *relational.ColumnProfile, c *relational.Column) {
	for _, text := range []*string{made.Mean, made.Stdev} {
		if text != nil {
			*text = relational.Float(*text)
		}
	}
	for _, text := range []*string{made.Min, made.Max} {
		switch {
		case text == nil:
		case c.Class == relational.Decimal:
			*text = relational.Float(*text)
		case c.Class == relational.Moment:
			*text = strings.Replace(timeOf(*text, c), " ", "T", 1)
		}
	}
}

// values reads the median of a column and some of its values.
func (d *database) values(ctx context.Context, from string, c *relational.Column, made *relational.ColumnProfile, p *relational.Profiling) error {
	name := quoted(c.Name)
	if p.Median && made.NotNull > 0 && (c.Class == relational.Whole || c.Class == relational.Decimal) {
		texts, err := d.texts(ctx, fmt.Sprintf("SELECT %s FROM %s WHERE %s IS NOT NULL ORDER BY %s LIMIT 2 OFFSET %d", name, from, name, name, max(made.NotNull/2-1, 0)))
		if err != nil {
			return err
		}
		middle := make([]any, len(texts))
		for i, text := range texts {
			middle[i] = text
		}
		made.Median = relational.Middle(middle, made.NotNull)
	}
	if !p.Samples {
		return nil
	}
	texts, err := d.texts(ctx, fmt.Sprintf("SELECT %s FROM %s WHERE %s IS NOT NULL LIMIT %d", name, from, name, p.MaxSamples))
	if err != nil {
		return err
	}
	made.Sampled = true
	for _, text := range texts {
		made.Samples = append(made.Samples, sample(text, c))
	}
	return nil
}

// sample writes a value as Python does.
func sample(text string, c *relational.Column) string {
	switch {
	case c.Kind == "Bytes" || c.Native == "BLOB":
		return relational.Spelled([]byte(text))
	case strings.HasPrefix(c.Native, "FLOAT") || strings.HasPrefix(c.Native, "DOUBLE"):
		if f, err := strconv.ParseFloat(text, 64); err == nil {
			return relational.Shortest(f)
		}
	case c.Class == relational.Moment:
		return timeOf(text, c)
	}
	return relational.Spelled(text)
}

// timeOf writes a time with six digits of the fraction of a second, if there is one. The client reads a time of day as
// a duration, and writes its hours without a leading zero.
func timeOf(text string, c *relational.Column) string {
	if whole, fraction, found := strings.Cut(text, "."); found {
		if text = whole; strings.Trim(fraction, "0") != "" {
			text += "." + (fraction + "000000")[:6]
		}
	}
	if strings.HasPrefix(c.Native, "TIME") && !strings.HasPrefix(c.Native, "TIMESTAMP") && strings.HasPrefix(text, "0") {
		text = text[1:]
	}
	return text
}
