package sql

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/headwater-io/headwater/catalog/querylog"
	"github.com/headwater-io/headwater/catalog/sqllineage"
	"github.com/headwater-io/headwater/cmd/headwater/internal/cli"
	"github.com/headwater-io/headwater/internal/screen"
	"github.com/headwater-io/headwater/internal/wording"
	"github.com/headwater-io/headwater/sql/lineage"
)

// logColumns lists the columns of a log for the help.
func logColumns() string {
	var b strings.Builder
	for _, c := range querylog.Columns() {
		fmt.Fprintf(&b, "  %-10s %s\n", c.Meaning, strings.Join(c.Names, ", "))
	}
	return b.String()
}

// readLogs reads logs of queries, and shows or sends their statements.
func (o *options) readLogs(ctx context.Context, e *cli.Environment, reader *lineage.Reader, settings *lineage.Settings, tables *catalogTables, files []string) error {
	log := querylog.New(o.dialect)
	for _, name := range files {
		if err := o.count(ctx, e, log, name); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	if e.Output == "json" {
		if err := writeLeftOut(e.Stdout, log); err != nil {
			return err
		}
	} else {
		tellLog(e.Stderr, log)
	}
	read := func(s *querylog.Statement) ([]lineage.Statement, error) {
		its := *settings
		if s.Database != "" {
			its.Database = s.Database
		}
		if s.Schema != "" {
			its.Schema = s.Schema
		}
		if tables != nil && o.schema == "" && !s.Last.IsZero() {
			its.Tables = func(ctx context.Context, parts []string) (*lineage.Table, error) {
				return tables.findAt(ctx, parts, s.Last)
			}
		}
		parts, err := reader.Read(ctx, s.Text, its)
		if err != nil {
			return nil, err
		}
		return parts, writeLogged(e, s, parts)
	}
	if o.ingest {
		return o.send(ctx, e, strings.Join(files, " "), statedByLog(log, log.NewCollector(o.given(ctx, e, tables)), read))
	}
	statements := log.Statements()
	bar := e.CountBar("statements", len(statements))
	defer bar.Finish()
	for i, s := range statements {
		if _, err := read(s); err != nil {
			return err
		}
		bar.Set(i + 1)
	}
	return nil
}

// count counts the statements of a log.
func (o *options) count(ctx context.Context, e *cli.Environment, log *querylog.Log, name string) error {
	from := e.Stdin
	if name != "-" {
		file, err := os.Open(name)
		if err != nil {
			return err
		}
		defer file.Close()
		from = file
	}
	bar := e.CountBar(name, 0)
	defer bar.Finish()
	reader := querylog.Reader{Form: o.logFormat, Ignore: o.ignored}
	for entry, err := range reader.Entries(name, from) {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		var unusable *querylog.EntryError
		switch {
		case errors.As(err, &unusable):
			log.Omit(unusable.Line, unusable.Err.Error())
		case errors.Is(err, querylog.ErrColumn):
			return fmt.Errorf("%w; --ignore-column names columns that do not count", err)
		case err != nil:
			return err
		default:
			log.Add(&entry)
		}
		bar.Set(log.Entries)
	}
	return nil
}

// tellLog says how many entries and statements a log has, and which entries were left out.
func tellLog(w io.Writer, log *querylog.Log) {
	fmt.Fprintf(w, "%s, %s\n", wording.Counted(log.Entries, "entry", "entries"), wording.Counted(len(log.Statements()), "statement", "statements"))
	for _, o := range log.LeftOut {
		fmt.Fprintln(w, screen.Line(fmt.Sprintf("%s left out, the first in line %d: %s", wording.Counted(o.Entries, "entry", "entries"), o.Line, o.Reason)))
	}
	if log.Undated > 0 {
		fmt.Fprintf(w, "%s without a time, which count in no day's usage\n", wording.Counted(log.Undated, "entry", "entries"))
	}
}

// leftOutLine says as JSON why entries of a log are not counted.
type leftOutLine struct {
	LeftOut leftOut `json:"leftOut"`
}

type leftOut struct {
	Reason string `json:"reason"`
	// Entries is how many entries have the reason, Line the line of the first one.
	Entries int `json:"entries"`
	Line    int `json:"line"`
}

// writeLeftOut writes an object for each reason why entries were left out.
func writeLeftOut(w io.Writer, log *querylog.Log) error {
	for _, o := range log.LeftOut {
		line, err := json.Marshal(leftOutLine{leftOut{o.Reason, o.Entries, o.Line}})
		if err != nil {
			return err
		}
		if _, err := w.Write(append(screen.JSON(line), '\n')); err != nil {
			return err
		}
	}
	return nil
}

// statedByLog returns the proposals that the statements of a log make.
func statedByLog(log *querylog.Log, collector *querylog.Collector, read func(*querylog.Statement) ([]lineage.Statement, error)) stated {
	return stated{unknown: collector.Unknown, proposals: func(yield func(*sqllineage.Proposal, error) bool) {
		for _, s := range log.Statements() {
			parts, err := read(s)
			if err != nil {
				yield(nil, err)
				return
			}
			for _, p := range collector.Add(s, parts) {
				if !yield(&p, nil) {
					return
				}
			}
		}
		collector.Rest()(yield)
	}}
}

// shownUsers bounds the users of a statement that are listed as text, and listedUsers the users in JSON.
const (
	shownUsers  = 3
	listedUsers = 100
)

// part is a statement in the text of an entry.
type part lineage.Statement

// loggedStatement is a statement of a log as JSON.
type loggedStatement struct {
	Query     string         `json:"query"`
	Statement string         `json:"statement"`
	Count     int64          `json:"count"`
	Users     []querylog.Ran `json:"users"`
	LastRun   int64          `json:"lastRun,omitempty"`
	Database  string         `json:"database,omitempty"`
	Schema    string         `json:"schema,omitempty"`
	part
}

func writeLogged(e *cli.Environment, s *querylog.Statement, parts []lineage.Statement) error {
	users := s.Users()
	if e.Output != "json" {
		return writeLoggedText(e.Stdout, s, users, parts)
	}
	for i := range parts {
		one := loggedStatement{
			Query: s.Run().Query, Statement: s.Text, Count: s.Count, Users: users[:min(len(users), listedUsers)],
			Database: s.Database, Schema: s.Schema, part: part(parts[i]),
		}
		if !s.Last.IsZero() {
			one.LastRun = s.Last.UnixMilli()
		}
		line, err := json.Marshal(one)
		if err != nil {
			return err
		}
		if _, err := e.Stdout.Write(append(screen.JSON(line), '\n')); err != nil {
			return err
		}
	}
	return nil
}

func writeLoggedText(w io.Writer, s *querylog.Statement, users []querylog.Ran, parts []lineage.Statement) error {
	var b strings.Builder
	b.WriteString(wording.Counted(int(s.Count), "run", "runs"))
	for i, u := range users[:min(len(users), shownUsers)] {
		before := ", "
		if i == 0 {
			before = " by "
		}
		fmt.Fprintf(&b, "%s%s (%d)", before, u.User, u.Count)
	}
	if more := len(users) - shownUsers; more > 0 {
		fmt.Fprintf(&b, " and %d more", more)
	}
	if !s.Last.IsZero() {
		fmt.Fprintf(&b, ", last %s", s.Last.UTC().Format("2006-01-02T15:04:05Z"))
	}
	fmt.Fprintf(&b, ": %s\n", strings.Join(strings.Fields(s.Text), " "))
	if _, err := io.WriteString(w, screen.Line(strings.TrimSuffix(b.String(), "\n"))+"\n"); err != nil {
		return err
	}
	return writeText(w, "", false, parts)
}
