package relational

import (
	"context"
	"strings"
	"time"

	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

// profiler makes the profiles of a reading within its budget.
type profiler struct {
	*Reading
	until   time.Time
	omitted int
}

func newProfiler(r *Reading) *profiler {
	return &profiler{Reading: r, until: time.Now().Add(limits.ProfileSeconds * time.Second)}
}

func (p *profiler) database(ctx context.Context, db Database) error {
	schemas, err := p.schemas(ctx, db)
	if err != nil {
		return err
	}
	for _, schema := range schemas {
		for t, err := range db.Tables(ctx, schema, What{Tables: true, Sizes: true}) {
			if err != nil {
				if ctx.Err() != nil {
					return ctx.Err()
				}
				p.Report.Warn("the tables of %s.%s, for profiles: %v", db.Container(), schema, err)
				break
			}
			name := db.Dataset(schema, t.Name)
			if t.Fault != nil || !p.Tables.Allows(name) || !p.Profiles.Allows(name) {
				continue
			}
			if time.Now().After(p.until) {
				p.omitted++
				continue
			}
			if err := p.table(ctx, db, t, name); err != nil {
				return err
			}
		}
	}
	return nil
}

// finish reports the tables for which there was no time.
func (p *profiler) finish() {
	if p.omitted > 0 {
		p.Report.Warn("%d tables have no new profile: all profiles together may take %d seconds", p.omitted, limits.ProfileSeconds)
	}
}

func (p *profiler) table(ctx context.Context, db Database, t *Table, name string) error {
	value := values{
		"timestampMillis": p.Now.UnixMilli(), "columnCount": len(t.Columns),
		"partitionSpec": values{"type": "FULL_TABLE", "partition": "FULL_TABLE_SNAPSHOT"},
	}
	if t.Bytes != nil {
		value["sizeInBytes"] = *t.Bytes
	}
	large := p.large(t)
	if large {
		p.Report.Warn("%s is large: its profile has the estimate of its rows, and its columns are not profiled", name)
	}
	if large && t.Rows != nil {
		value["rowCount"] = max(0, *t.Rows)
	}
	if !large {
		limited, cancel := context.WithDeadline(ctx, p.until)
		made, err := db.Profile(limited, t, p.columns(t, name), &p.Profiling)
		cancel()
		if err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			p.Report.Warn("the profile of %s: %v", name, err)
			return nil
		}
		p.take(value, t, made)
	}
	p.Report.Scan("profile")
	return p.propose(p.datasetURN(name), model.AspectDatasetProfile, value)
}

// large reports whether a table is too large for its columns to be profiled.
func (p *profiler) large(t *Table) bool {
	return t.Rows != nil && *t.Rows > p.Profiling.MaxRows || p.Profiling.MaxBytes > 0 && t.Bytes != nil && *t.Bytes > p.Profiling.MaxBytes
}

// columns are the columns whose statistics are wanted.
func (p *profiler) columns(t *Table, name string) []*Column {
	s := &p.Profiling
	if !(s.Nulls || s.Distinct || s.Min || s.Max || s.Mean || s.Median || s.Deviation || s.Samples) {
		return nil
	}
	var columns []*Column
	for i := range t.Columns {
		c := &t.Columns[i]
		if c.Class == Opaque || !p.Profiles.Allows(name+"."+c.Name) || isNested(c) {
			continue
		}
		if s.MaxColumns > 0 && len(columns) == s.MaxColumns {
			break
		}
		columns = append(columns, c)
	}
	return columns
}

// isNested reports whether a column counts as a nested field, which the client does not profile.
func isNested(c *Column) bool { return strings.Contains(c.Name, ".") }

// take writes the statistics into the value of the aspect.
func (p *profiler) take(value values, t *Table, made *Profile) {
	value["rowCount"] = made.Rows
	if made.Rows == 0 && !p.Profiling.Estimate {
		return
	}
	byName := map[string]*ColumnProfile{}
	for i := range made.Columns {
		byName[made.Columns[i].Name] = &made.Columns[i]
	}
	fields := []values{}
	if len(made.Columns) > 0 {
		fields = make([]values, len(t.Columns))
	}
	for i := range fields {
		fields[i] = values{"fieldPath": t.Columns[i].Name}
		if c := byName[t.Columns[i].Name]; c != nil {
			p.column(fields[i], c, made.Rows)
		}
	}
	value["fieldProfiles"] = fields
}

func (p *profiler) column(field values, c *ColumnProfile, rows int64) {
	nulls := max(0, rows-c.NotNull)
	if p.Profiling.Nulls {
		field["nullCount"] = nulls
		if rows > 0 {
			field["nullProportion"] = min(1, float64(nulls)/float64(rows))
		}
	}
	if c.Distinct != nil {
		field["uniqueCount"] = *c.Distinct
		if c.NotNull > 0 {
			field["uniqueProportion"] = min(1, float64(*c.Distinct)/float64(c.NotNull))
		}
	}
	for member, text := range map[string]*string{"min": c.Min, "max": c.Max, "mean": c.Mean, "median": c.Median, "stdev": c.Stdev} {
		if text != nil {
			field[member] = *text
		}
	}
	if c.Sampled && (len(c.Samples) > 0 || c.NotNull == 0 && rows > 0) {
		field["sampleValues"] = append([]string{}, c.Samples...)
	}
}
