package querylog

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"

	"github.com/headwater-io/headwater/internal/limits"
)

// bounded ends the reading of a row that is too long: a quote that is never closed would make a row of the whole log.
type bounded struct {
	in   io.Reader
	left int
}

func (b *bounded) Read(into []byte) (int, error) {
	if b.left <= 0 {
		return 0, errLong
	}
	n, err := b.in.Read(into[:min(len(into), b.left)])
	b.left -= n
	return n, err
}

// rows reads CSV.
func (r *Reader) rows(in *bufio.Reader, yield func(Entry, error) bool) {
	begin, _ := in.Peek(peeked)
	header := string(begin)
	for i, c := range begin {
		if c == '\n' {
			header = string(begin[:i])
			break
		}
	}
	// Package csv reads ahead of the row, so there is room for these bytes.
	from := &bounded{in: in, left: limits.MaxLogEntryBytes + peeked}
	reader := csv.NewReader(from)
	reader.Comma, reader.ReuseRecord, reader.FieldsPerRecord = separatorOf(header), true, -1
	columns, err := reader.Read()
	if errors.Is(err, io.EOF) {
		return
	}
	var of []member
	if err == nil {
		of, err = r.columns(columns)
	}
	if err != nil {
		yield(Entry{}, fmt.Errorf("line 1: %w", err))
		return
	}
	e := Entry{Line: 1}
	for {
		from.left = limits.MaxLogEntryBytes + peeked
		row, err := reader.Read()
		var syntax *csv.ParseError
		switch {
		case errors.Is(err, io.EOF):
			return
		case errors.Is(err, errLong): // where the next row begins is not known
			yield(Entry{}, fmt.Errorf("the row after line %d has more than %d bytes; perhaps a quote is not closed", e.Line, limits.MaxLogEntryBytes))
			return
		case errors.As(err, &syntax):
			e, err = Entry{}, &EntryError{syntax.StartLine, syntax.Err}
		case err == nil:
			e = Entry{Count: 1}
			e.Line, _ = reader.FieldPos(0)
			err = e.fill(of, row)
		}
		if !report(e, err, yield) {
			return
		}
	}
}

// columns returns the members that the columns of a header stand for.
func (r *Reader) columns(header []string) ([]member, error) {
	of := make([]member, len(header))
	given := map[member]string{}
	for i, name := range header {
		m, err := r.memberOf(name)
		if err != nil {
			return nil, err
		}
		if other, known := given[m]; known && m != ignored {
			return nil, twice(m, other, name)
		}
		of[i], given[m] = m, name
	}
	if _, known := given[ofQuery]; !known {
		return nil, fmt.Errorf("the log has no column of statements, such as %q", names[ofQuery][0])
	}
	return of, nil
}

// fill sets the members of an entry.
func (e *Entry) fill(of []member, row []string) error {
	if len(row) != len(of) {
		return &EntryError{e.Line, fmt.Errorf("the row has %d fields, and the header %d", len(row), len(of))}
	}
	var failure error
	for i, text := range row {
		if of[i] != ignored {
			failure = errors.Join(failure, e.set(of[i], text))
		}
	}
	if failure != nil {
		return &EntryError{e.Line, failure}
	}
	return nil
}
