package postgres

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/headwater-io/headwater/connectors/internal/relational"
)

// profiledTogether is how many columns one statement profiles: the database limits how many columns one statement returns.
const profiledTogether = 100

// canceled is the code of PostgreSQL for a statement that ran too long.
const canceled = "57014"

// Profile implements relational.Database.
func (d *database) Profile(ctx context.Context, t *relational.Table, columns []*relational.Column, p *relational.Profiling) (*relational.Profile, error) {
	if _, err := d.conn.Exec(ctx, fmt.Sprintf("SET statement_timeout = %d", p.StatementSeconds*1000), pgx.QueryExecModeSimpleProtocol); err != nil {
		return nil, err
	}
	defer func() { _, _ = d.conn.Exec(ctx, "RESET statement_timeout", pgx.QueryExecModeSimpleProtocol) }() // the connection is closed after the profiles
	from := pgx.Identifier{t.Schema, t.Name}.Sanitize()
	made := &relational.Profile{}
	if p.Estimate {
		if t.Rows != nil {
			made.Rows = *t.Rows
		} else {
			made.Rows = -1 // as the database says of a table that was never analyzed
		}
	} else if err := d.conn.QueryRow(ctx, "SELECT count(*) FROM "+from).Scan(&made.Rows); err != nil {
		return nil, tooLong(err)
	}
	if made.Rows == 0 && !p.Estimate {
		return made, nil
	}
	for group := range slices.Chunk(columns, profiledTogether) {
		some, err := d.profileColumns(ctx, from, group, p)
		if err != nil && ctx.Err() == nil && len(group) > 1 && !isCanceled(err) {
			some, err = d.profileEach(ctx, from, group, p)
		}
		if err != nil {
			return nil, tooLong(err)
		}
		made.Columns = append(made.Columns, some...)
	}
	return made, nil
}

// profileEach profiles columns one by one, because some column has values that cannot be compared.
func (d *database) profileEach(ctx context.Context, from string, columns []*relational.Column, p *relational.Profiling) ([]relational.ColumnProfile, error) {
	var made []relational.ColumnProfile
	for _, c := range columns {
		one, err := d.profileColumns(ctx, from, []*relational.Column{c}, p)
		if err != nil && (ctx.Err() != nil || isCanceled(err)) {
			return nil, err
		}
		if err != nil { // once more without the numbers that need an order or an equality, which the type may lack
			counted := *c
			counted.Class = relational.Other
			plain := *p
			plain.Distinct = false
			if one, err = d.profileColumns(ctx, from, []*relational.Column{&counted}, &plain); err != nil && (ctx.Err() != nil || isCanceled(err)) {
				return nil, err
			}
		}
		made = append(made, one...) // one is empty if the statement failed again
	}
	return made, nil
}

func isCanceled(err error) bool {
	var answered *pgconn.PgError
	return errors.As(err, &answered) && answered.Code == canceled
}

func tooLong(err error) error {
	if isCanceled(err) {
		return errors.New("a statement ran longer than profiling.query_timeout_seconds allows")
	}
	return err
}

// profileColumns reads the statistics of columns in one statement.
func (d *database) profileColumns(ctx context.Context, from string, columns []*relational.Column, p *relational.Profiling) ([]relational.ColumnProfile, error) {
	made := make([]relational.ColumnProfile, len(columns))
	var list []string
	var into []any
	ask := func(expression string, to any) {
		list, into = append(list, expression), append(into, to)
	}
	for i, c := range columns {
		made[i].Name = c.Name
		name := pgx.Identifier{c.Name}.Sanitize()
		ask("count("+name+")", &made[i].NotNull)
		if p.Distinct {
			ask("count(DISTINCT "+name+")", &made[i].Distinct)
		}
		number := c.Class == relational.Whole || c.Class == relational.Decimal
		if number || c.Class == relational.Moment {
			if p.Min {
				ask("min("+name+")::text", &made[i].Min)
			}
			if p.Max {
				ask("max("+name+")::text", &made[i].Max)
			}
		}
		if !number {
			continue
		}
		if p.Mean {
			ask("avg("+name+" * 1.0)::text", &made[i].Mean)
		}
		if p.Deviation {
			ask("stddev_samp("+name+")::text", &made[i].Stdev)
		}
		if p.Median {
			ask("(percentile_cont(0.5) WITHIN GROUP (ORDER BY "+name+"))::text", &made[i].Median)
		}
	}
	if len(list) == 0 {
		return nil, nil
	}
	if err := d.conn.QueryRow(ctx, "SELECT "+strings.Join(list, ", ")+" FROM "+from).Scan(into...); err != nil {
		return nil, err
	}
	for i, c := range columns {
		spell(&made[i], c)
	}
	if !p.Samples {
		return made, nil
	}
	return made, d.samples(ctx, from, columns, made, p.MaxSamples)
}

// samples reads some values of each column.
func (d *database) samples(ctx context.Context, from string, columns []*relational.Column, made []relational.ColumnProfile, most int) error {
	list, into := make([]string, len(columns)), make([]any, len(columns))
	for i, c := range columns {
		name := pgx.Identifier{c.Name}.Sanitize()
		made[i].Sampled = true
		limit := most
		if c.Native == "BYTEA" {
			limit = 0
		}
		list[i] = fmt.Sprintf("ARRAY(SELECT left(concat(%s), %d) FROM %s WHERE %s IS NOT NULL LIMIT %d)", name, sampleCharacters, from, name, limit)
		into[i] = &made[i].Samples
	}
	if err := d.conn.QueryRow(ctx, "SELECT "+strings.Join(list, ", ")).Scan(into...); err != nil {
		return err
	}
	for i, c := range columns {
		for k, text := range made[i].Samples {
			made[i].Samples[k] = sample(text, c)
		}
	}
	return nil
}

// sampleCharacters is how much of a value a profile shows.
const sampleCharacters = 10_000

// spell writes the statistics of a column as the client does.
func spell(made *relational.ColumnProfile, c *relational.Column) {
	for _, text := range []*string{made.Mean, made.Median, made.Stdev} {
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
			*text = strings.Replace(moment(*text), " ", "T", 1)
		}
	}
}

// sample writes a value as Python does.
func sample(text string, c *relational.Column) string {
	switch {
	case c.Native == "BOOLEAN":
		return map[string]string{"t": "True", "f": "False"}[text]
	case c.Native == "REAL" || c.Native == "DOUBLE PRECISION":
		if f, err := strconv.ParseFloat(text, 64); err == nil {
			return relational.Shortest(f)
		}
	case c.Class == relational.Moment:
		return moment(text)
	}
	return text
}

// moment writes a time with six digits of the fraction of a second, if there is one, and with the minutes of the time
// zone.
func moment(text string) string {
	zone := ""
	if at := strings.LastIndexAny(text, "+-"); at > strings.Index(text, ":") && strings.Contains(text, ":") {
		text, zone = text[:at], text[at:]
		if len(zone) == 3 {
			zone += ":00"
		}
	}
	if whole, fraction, found := strings.Cut(text, "."); found {
		text = whole + "." + (fraction + "000000")[:6]
	}
	return text + zone
}
