package ingest

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// rawRecord is the text of a record in a file.
type rawRecord struct {
	text json.RawMessage
	// line is the record's first line, from 1.
	line int
	// err says why the record is not JSON. text is then the faulty text.
	err error
}

// records reads the records of a file: a JSON array, JSON lines, or one object.
type records struct {
	count int
	next  func() (rawRecord, error)
}

// newRecords detects the form of the file.
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

// read returns the next record, and io.EOF after the last one.
func (r *records) read() (rawRecord, error) {
	record, err := r.next()
	if err == nil {
		r.count++
	}
	return record, err
}

// arrayReader reads the items of an array. It stops at the first item that is not JSON,
// because it cannot know where the next one begins.
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
		at := a.decoder.InputOffset() // offset before the item
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) {
			at = max(at, syntax.Offset)
		}
		return rawRecord{}, fmt.Errorf("line %d: %w; the rest of an array cannot be read", a.lines.at(at), err)
	}
	record.line = a.lines.at(a.decoder.InputOffset() - int64(len(record.text)))
	return record, nil
}

// end reads the end of the array and of the file. It returns io.EOF if nothing else
// follows.
func (a *arrayReader) end() error {
	at := a.decoder.InputOffset()
	_, err := a.decoder.Token()
	if errors.Is(err, io.EOF) {
		return fmt.Errorf("the file ends inside the array: %w", io.ErrUnexpectedEOF)
	}
	if err != nil {
		return fmt.Errorf("line %d: %w; the rest of an array cannot be read", a.lines.at(at), err)
	}
	a.decoder.More() // More skips blanks
	at = a.decoder.InputOffset()
	switch _, err = a.decoder.Token(); {
	case errors.Is(err, io.EOF):
		return io.EOF
	case a.lines.err != nil && !errors.Is(a.lines.err, io.EOF):
		return fmt.Errorf("after the array: %w", a.lines.err)
	}
	return fmt.Errorf("line %d: something follows the array", a.lines.at(at))
}

// lineCounter converts offsets to lines. The offsets must not decrease.
type lineCounter struct {
	inner io.Reader
	// first is the line of the last offset asked for; read is the number of bytes read.
	first int
	read  int64
	// ends are the offsets of the line ends after the last offset asked for.
	ends []int64
	// err is the first error of inner. The decoder reads again after an error, and gets this
	// one.
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

// lineReader reads JSON lines. A record may also take several lines, like an indented
// object. A line that is not JSON is a record with an error; the next line then begins
// another record.
type lineReader struct {
	in *bufio.Reader
	// line is the number of the next line to read.
	line int
	// ready are the records found in the lines read so far.
	ready []rawRecord
	// ahead is a line that was already read and belongs to the next record.
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

// readLines reads the lines of the next record, or one line with several records.
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
		if err != nil { // the record is cut off; the next call returns the error
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

// isRecord reports whether a line is a complete object without indentation. Such a line
// inside a record is taken for the next record, and the current one for cut off. Programs
// that write records on several lines never write such lines, except for empty objects.
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

// decode appends the records in a text, usually one, to ready.
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
			record.text, _ = json.Marshal(string(bytes.TrimSpace(rest))) // marshalling a string cannot fail
		}
		l.ready = append(l.ready, record)
		if err != nil {
			return
		}
	}
}

// nesting counts the open objects and lists of a text.
type nesting struct {
	open     int
	inString bool
	escaped  bool
}

// add reads another line of the text. A string ends with its line.
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
	if n.inString { // a string that is open at the end of a line is not JSON
		*n = nesting{}
	}
}
