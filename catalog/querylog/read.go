package querylog

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"path/filepath"
	"slices"
	"strings"

	"github.com/headwater-io/headwater/internal/limits"
)

// The forms of a log.
const (
	// FormCSV: rows with a header. Fields are separated by commas, tabs or semicolons, as in the header.
	FormCSV = "csv"
	// FormJSON: lines, each a JSON object.
	FormJSON = "json"
	// FormSQL: statements, each of which ends with a line that ends with a semicolon.
	FormSQL = "sql"
)

// Forms are the forms of a log.
func Forms() []string { return []string{FormCSV, FormJSON, FormSQL} }

// Reader reads logs.
type Reader struct {
	// Form is the form of the logs; "" finds it out by the name and the beginning of each log.
	Form string
	// Ignore are columns that do not count, in any spelling; "*" stands for all that are unknown.
	Ignore []string
}

// EntryError says that an entry cannot be used. The entries after it can be read.
type EntryError struct {
	Line int
	Err  error
}

func (e *EntryError) Error() string { return fmt.Sprintf("line %d: %v", e.Line, e.Err) }

func (e *EntryError) Unwrap() error { return e.Err }

var errLong = fmt.Errorf("the entry has more than %d bytes", limits.MaxLogEntryBytes)

// Entries returns the entries of a log, in their order. The log may be gzipped. name is the name of its file. An
// *EntryError stands for an entry that cannot be used; any other error ends the sequence: a column is unknown, the log
// has no column of statements, or the log cannot be read.
func (r *Reader) Entries(name string, from io.Reader) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		in, err := opened(from)
		if err != nil {
			yield(Entry{}, err)
			return
		}
		form := r.Form
		if form == "" {
			form = r.formOf(name, in)
		}
		switch form {
		case FormCSV:
			r.rows(in, yield)
		case FormJSON:
			r.objects(in, yield)
		default:
			statements(in, yield)
		}
	}
}

// peeked is how much of a log is looked at to find out its form.
const peeked = 64 << 10

// opened unpacks a log if it is gzipped, and passes a mark of the byte order.
func opened(from io.Reader) (*bufio.Reader, error) {
	in := bufio.NewReaderSize(from, peeked)
	if begin, _ := in.Peek(2); bytes.Equal(begin, []byte{0x1f, 0x8b}) { // the magic number of gzip
		unpacked, err := gzip.NewReader(in)
		if err != nil {
			return nil, err
		}
		in = bufio.NewReaderSize(unpacked, peeked)
	}
	if begin, _ := in.Peek(3); bytes.Equal(begin, []byte("\ufeff")) {
		_, _ = in.Discard(3) // they were peeked
	}
	return in, nil
}

// formOf finds out the form of a log: by its beginning if it is JSON, by the end of its name, or by a first line in
// which all names are known.
func (r *Reader) formOf(name string, in *bufio.Reader) string {
	begin, _ := in.Peek(peeked)
	begin = bytes.TrimLeft(begin, " \t\r\n")
	if bytes.HasPrefix(begin, []byte("{")) {
		return FormJSON
	}
	switch strings.ToLower(filepath.Ext(strings.TrimSuffix(strings.ToLower(name), ".gz"))) {
	case ".csv", ".tsv":
		return FormCSV
	case ".sql":
		return FormSQL
	}
	line, _, _ := bytes.Cut(begin, []byte("\n"))
	header := strings.TrimSpace(string(line))
	for _, field := range strings.Split(header, string(separatorOf(header))) {
		if _, err := r.memberOf(strings.Trim(field, `"`)); err != nil {
			return FormSQL
		}
	}
	return FormCSV
}

// separatorOf returns the character that separates the fields of a header.
func separatorOf(header string) rune {
	for _, c := range []rune{'\t', ';'} {
		if strings.ContainsRune(header, c) && !strings.ContainsRune(header, ',') {
			return c
		}
	}
	return ','
}

// lines reads lines, and passes bytes beyond the length of an entry.
type lines struct {
	in   *bufio.Reader
	line int
}

// next returns a line without its end. An errLong stands for a line that is too long; io.EOF is the end.
func (l *lines) next() ([]byte, error) {
	var text []byte
	long := false
	for {
		part, err := l.in.ReadSlice('\n')
		if long = long || len(text)+len(part) > limits.MaxLogEntryBytes+1; !long {
			text = append(text, part...)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if err != nil && (!errors.Is(err, io.EOF) || len(text) == 0 && !long) {
			return nil, err
		}
		l.line++
		if long {
			return nil, errLong
		}
		return bytes.TrimRight(text, "\r\n"), nil
	}
}

// objects reads lines that are JSON objects.
func (r *Reader) objects(in *bufio.Reader, yield func(Entry, error) bool) {
	l := &lines{in: in}
	for {
		text, err := l.next()
		if errors.Is(err, io.EOF) {
			return
		}
		e := Entry{Line: l.line, Count: 1}
		if err == nil && len(bytes.TrimSpace(text)) == 0 {
			continue
		}
		if err == nil {
			err = r.object(&e, text)
		}
		if more := report(e, err, yield); !more {
			return
		}
	}
}

// report yields an entry or its error, and says whether to read on.
func report(e Entry, err error, yield func(Entry, error) bool) bool {
	var unusable *EntryError
	switch {
	case err == nil:
		return yield(e, nil)
	case errors.Is(err, errLong):
		return yield(Entry{}, &EntryError{e.Line, err})
	case errors.As(err, &unusable):
		return yield(Entry{}, err)
	}
	yield(Entry{}, err)
	return false
}

// object reads a JSON object. An error that is no *EntryError is an unknown name.
func (r *Reader) object(e *Entry, text []byte) error {
	var object map[string]any
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&object); err != nil {
		return &EntryError{e.Line, fmt.Errorf("it is no JSON object: %w", err)}
	}
	given := map[member]string{}
	var failure error
	for _, name := range slices.Sorted(keys(object)) {
		m, err := r.memberOf(name)
		if err != nil {
			return fmt.Errorf("line %d: %w", e.Line, err)
		}
		if m == ignored {
			continue
		}
		if other, known := given[m]; known {
			return fmt.Errorf("line %d: %w", e.Line, twice(m, other, name))
		}
		given[m] = name
		var text string
		switch value := object[name].(type) {
		case nil:
			continue
		case string:
			text = value
		case json.Number:
			text = value.String()
		default:
			failure = fmt.Errorf("%q must be a text or a number", name)
			continue
		}
		failure = errors.Join(failure, e.set(m, text))
	}
	if failure != nil {
		return &EntryError{e.Line, failure}
	}
	return nil
}

func keys(object map[string]any) iter.Seq[string] {
	return func(yield func(string) bool) {
		for key := range object {
			if !yield(key) {
				return
			}
		}
	}
}

// statements reads statements, each of which ends with a line that ends with a semicolon.
func statements(in *bufio.Reader, yield func(Entry, error) bool) {
	l := &lines{in: in}
	var text []byte
	var failure error
	begin := 0
	flush := func() bool {
		e := Entry{Line: begin, Count: 1, Statement: string(text)}
		err := failure
		text, failure, begin = text[:0], nil, 0
		if err == nil && strings.TrimSpace(e.Statement) == "" {
			return true
		}
		return report(e, err, yield)
	}
	for {
		line, err := l.next()
		if errors.Is(err, io.EOF) {
			flush()
			return
		}
		if err != nil && !errors.Is(err, errLong) {
			yield(Entry{}, err)
			return
		}
		if begin == 0 {
			begin = l.line
		}
		if failure == nil && (err != nil || len(text)+len(line) > limits.MaxLogEntryBytes) {
			failure, text = errLong, text[:0]
		}
		if failure == nil {
			text = append(append(text, line...), '\n')
		}
		if err != nil || bytes.HasSuffix(bytes.TrimRight(line, " \t"), []byte(";")) {
			if !flush() {
				return
			}
		}
	}
}
