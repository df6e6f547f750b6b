package ingest

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

// TestRecords: in each form of a file, records have the line at which they begin. A line
// that is not JSON is a record with an error, and the other records are read.
func TestRecords(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"nothing":           {" \n\n", ""},
		"lines":             {"\n{\"a\":1}\n\n{\"b\":2}", `2:{"a":1} 4:{"b":2}`},
		"one object":        {"{\n  \"a\": {\n    \"b\": \"}{\\\"\"\n  }\n}\n", `1:{"a":{"b":"}{\""}}`},
		"objects on a line": {`{"a":1} {"b":2}` + "\n{\"c\":3}", `1:{"a":1} 1:{"b":2} 2:{"c":3}`},
		"array":             {"[\n{\"a\":1},\n\n {\"b\":\n2}]\n", `2:{"a":1} 4:{"b":2}`},
		"array with blanks": {"\n\n[{\"a\":1}\n,{\"b\":2}]", `3:{"a":1} 4:{"b":2}`},
		"bad line":          {"{\"a\":1}\n{\"x\":,}\n{\"b\":2}\n", `1:{"a":1} 2:it is not JSON: invalid character ',' looking for beginning of value 3:{"b":2}`},
		"no JSON at all":    {"hello\n{\"b\":2}\n", `1:it is not JSON: invalid character 'h' looking for beginning of value 2:{"b":2}`},
		"no indentation":    {"{\n\"a\": [\n{\n\"b\": 1\n},\n{}\n]\n}\n{\"c\":3}\n", `1:{"a":[{"b":1},{}]} 9:{"c":3}`},
		"cut line":          {"{\"a\":{\"x\":1\n{\"b\":2}\n", `1:it is not JSON: the record is cut off 2:{"b":2}`},
		"cut string":        {"{\"a\":\"x\n{\"b\":2}\n", `1:it is not JSON: invalid character '\n' in string literal 2:{"b":2}`},
		"cut file":          {"{\"a\":1}\n{\"b\":", `1:{"a":1} 2:it is not JSON: the record is cut off`},
		"too many brackets": {"{\"a\":1}}\n{\"b\":2}\n", `1:{"a":1} 1:it is not JSON: invalid character '}' looking for beginning of value 2:{"b":2}`},
	} {
		all, err := newRecords(strings.NewReader(c.text))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var got []string
		for {
			record, err := all.read()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Errorf("%s: %v", name, err)
				break
			}
			text := fmt.Sprint(record.err)
			if record.err == nil {
				text = compact(t, record.text)
			} else if !json.Valid(record.text) {
				t.Errorf("%s: the text of a failure is %s", name, record.text)
			}
			got = append(got, fmt.Sprintf("%d:%s", record.line, text))
		}
		if strings.Join(got, " ") != c.want || all.count != len(got) {
			t.Errorf("%s: %d records\n%s\nwant\n%s", name, all.count, strings.Join(got, " "), c.want)
		}
	}
}

// TestBrokenArray: if an array cannot be read further, the error names the line.
func TestBrokenArray(t *testing.T) {
	for text, want := range map[string]string{
		"[{\"a\":1},\n{\"b\":}]": "line 2: ", "[{\"a\":1}": "ends inside the array",
		"[{\"a\":1}}": "line 1: invalid character '}'", "[{\"a\":1}]\n\n{\"b\":2}": "line 3: something follows the array",
		"[{\"a\":1}]\n]": "line 2: something follows the array",
	} {
		all, err := newRecords(strings.NewReader(text))
		for err == nil {
			_, err = all.read()
		}
		if errors.Is(err, io.EOF) || !strings.Contains(err.Error(), want) || all.count != 1 {
			t.Errorf("%s: %v after %d records, want %q", text, err, all.count, want)
		}
	}
}

// TestUnreadableArray: if the file of an array cannot be read to its end, the error has the
// reason.
func TestUnreadableArray(t *testing.T) {
	broken := errors.New("the disk is broken")
	for _, text := range []string{"[{\"a\":1}", "[{\"a\":1},", "[{\"a\":1},{", "[{\"a\":1}]", "[{\"a\":1}]\n"} {
		all, err := newRecords(io.MultiReader(strings.NewReader(text), iotest.ErrReader(broken)))
		for err == nil {
			_, err = all.read()
		}
		if !errors.Is(err, broken) || all.count != 1 {
			t.Errorf("%s: %v after %d records", text, err, all.count)
		}
	}
}

func compact(t *testing.T, text json.RawMessage) string {
	t.Helper()
	var value any
	if err := json.Unmarshal(text, &value); err != nil {
		t.Fatal(err)
	}
	short, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(short)
}
