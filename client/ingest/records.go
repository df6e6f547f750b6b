package ingest

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// rawRecord is a record as it stands in a file.
type rawRecord struct {
	text json.RawMessage
	// line is where it begins, from 1.
	line int
	// err says why it is not JSON. The text is then what stands in its place.
	err error
}

// records reads the records of a JSON array, JSON lines or one object.
type records struct {
	count int
	next  func() (rawRecord, error)
}

// newRecords finds out which of these a file is.
func newRecords(r io.Reader) (*records, error) {
	buffered := bufio.NewReaderSize(r, 1<<16)
	lines := 1
	for {
		c, err := buffered.ReadByte()
		if errors.Is(err, io.EOF) {
			return &records{next: func() (rawRecord, error) { return rawRecord{}, io.EOF }}, nil
		}
		if err != nil {
			return nil, err
		}
		if c == '\n' {
			lines++
		}
		if bytes.IndexByte([]byte(" \t\r\n"), c) >= 0 {
			continue
		}
		if err := buffered.UnreadByte(); err != nil {
			return nil, err
		}
		if c == '[' {
			a := &arrayReader{lines: lineCounter{inner: buffered, first: lines}}
			a.decoder = json.NewDecoder(&a.lines)
			if _, err := a.decoder.Token(); err != nil {
				return nil, err
			}
			return &records{next: a.next}, nil
		}
		l := &lineReader{in: buffered, line: lines}
		return &records{next: l.next}, nil
	}
}

// read returns the next record, io.EOF after the last.
func (r *records) read() (rawRecord, error) {
	record, err := r.next()
	if err == nil {
		r.count++
	}
	return record, err
}

// arrayReader reads the items of an array. What is not JSON ends it: there is no telling
// where the next item begins.
type arrayReader struct {
	decoder *json.Decoder
	lines   lineCounter
}

func (a *arrayReader) next() (rawRecord, error) {
	if !a.decoder.More() {
		return rawRecord{}, a.end()
	}
	var record rawRecord
	if err := a.decoder.Decode(&record.text); err != nil {
		at := a.decoder.InputOffset() // before the item
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) {
			at = max(at, syntax.Offset)
		}
		return rawRecord{}, fmt.Errorf("line %d: %w; the rest of an array cannot be read", a.lines.at(at), err)
	}
	record.line = a.lines.at(a.decoder.InputOffset() - int64(len(record.text)))
	return record, nil
}

// end reads the end of the array and of the file. It returns io.EOF if nothing else is
// there.
func (a *arrayReader) end() error {
	at := a.decoder.InputOffset()
	_, err := a.decoder.Token()
	if errors.Is(err, io.EOF) {
		return fmt.Errorf("the file ends inside the array: %w", io.ErrUnexpectedEOF)
	}
	if err != nil {
		return fmt.Errorf("line %d: %w; the rest of an array cannot be read", a.lines.at(at), err)
	}
	a.decoder.More() // skips blanks
	at = a.decoder.InputOffset()
	switch _, err = a.decoder.Token(); {
	case errors.Is(err, io.EOF):
		return io.EOF
	case a.lines.err != nil && !errors.Is(a.lines.err, io.EOF):
		return fmt.Errorf("after the array: %w", a.lines.err)
	}
	return fmt.Errorf("line %d: something follows the array", a.lines.at(at))
}

// lineCounter counts lines by offsets, which may only grow.
type lineCounter struct {
	inner io.Reader
	// first is the line at offset 0; read is how many bytes were read.
	first int
	read  int64
	// ends are the offsets of line ends that at has not passed yet.
	ends []int64
	// err is why nothing more can be read: the decoder asks again after an error.
	err error
}

func (l *lineCounter) Read(p []byte) (int, error) {
	if l.err != nil {
		return 0, l.err
	}
	n, err := l.inner.Read(p)
	l.err = err
	for i, c := range p[:n] {
		if c == '\n' {
			l.ends = append(l.ends, l.read+int64(i))
		}
	}
	l.read += int64(n)
	return n, err
}

func (l *lineCounter) at(offset int64) int {
	passed := 0
	for passed < len(l.ends) && l.ends[passed] < offset {
		passed++
	}
	l.first += passed
	l.ends = l.ends[passed:]
	return l.first
}

// lineReader reads JSON lines. A record may also be several lines, as of one object that
// is indented. A line that is not JSON is a record with an error, and the next line begins
// another record.
type lineReader struct {
	in *bufio.Reader
	// line is that of the text to be read next.
	line int
	// ready are records that were found on the lines read so far.
	ready []rawRecord
	// ahead is a line that was read and belongs to the next record.
	ahead []byte
	ended error
}

func (l *lineReader) next() (rawRecord, error) {
	for len(l.ready) == 0 {
		if err := l.readLines(); err != nil {
			return rawRecord{}, err
		}
	}
	record := l.ready[0]
	l.ready = l.ready[1:]
	return record, nil
}

// readLines reads the lines of the next record, or of several on one line.
func (l *lineReader) readLines() error {
	var (
		text  []byte
		depth nesting
		began = l.line
	)
	for {
		line, err := l.readLine()
		if err != nil && len(bytes.TrimSpace(text)) == 0 {
			return err
		}
		if err != nil { // the record is cut off; the next call meets the error again
			l.decode(text, began)
			return nil //nolint:nilerr // decode reports the record
		}
		if depth.open > 0 && isRecord(line) {
			l.ahead = line
			break
		}
		l.line++
		text = append(text, line...)
		if depth.add(line); depth.open <= 0 {
			break
		}
	}
	l.decode(text, began)
	return nil
}

// isRecord reports whether a line is a whole object that is not indented. Inside of a
// record, that is taken for the next one, and this one for cut off. It does not occur in
// what programs write on several lines, except for empty objects.
func isRecord(line []byte) bool {
	text := bytes.TrimSpace(line)
	return line[0] == '{' && len(text) > len("{}") && json.Valid(text)
}

func (l *lineReader) readLine() ([]byte, error) {
	if l.ahead != nil {
		line := l.ahead
		l.ahead = nil
		return line, nil
	}
	if l.ended != nil {
		return nil, l.ended
	}
	line, err := l.in.ReadBytes('\n')
	if l.ended = err; len(line) > 0 && (err == nil || errors.Is(err, io.EOF)) {
		return line, nil
	}
	return nil, err
}

// decode finds the records in a text, usually one.
func (l *lineReader) decode(text []byte, line int) {
	for decoder := json.NewDecoder(bytes.NewReader(text)); ; {
		before := decoder.InputOffset()
		record := rawRecord{}
		err := decoder.Decode(&record.text)
		if errors.Is(err, io.EOF) {
			return
		}
		rest := text[before:]
		record.line = line + bytes.Count(text[:before], []byte("\n")) + bytes.Count(rest[:len(rest)-len(bytes.TrimLeft(rest, " \t\r\n"))], []byte("\n"))
		if err != nil {
			if errors.Is(err, io.ErrUnexpectedEOF) {
				err = errors.New("the record is cut off")
			}
			record.err = fmt.Errorf("it is not JSON: %w", err)
			record.text, _ = json.Marshal(string(bytes.TrimSpace(rest))) // a string can be marshalled
		}
		l.ready = append(l.ready, record)
		if err != nil {
			return
		}
	}
}

// nesting follows how many objects and lists are open in a text.
type nesting struct {
	open     int
	inString bool
	escaped  bool
}

// add follows a line. A string does not go on in the next line.
func (n *nesting) add(line []byte) {
	for _, c := range line {
		switch {
		case n.escaped:
			n.escaped = false
		case n.inString:
			n.escaped = c == '\\'
			n.inString = c != '"'
		case c == '"':
			n.inString = true
		case c == '{' || c == '[':
			n.open++
		case c == '}' || c == ']':
			n.open--
		}
	}
	if n.inString { // this is not JSON
		*n = nesting{}
	}
}
