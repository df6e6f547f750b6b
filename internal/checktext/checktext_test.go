package checktext_test

import (
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	"github.com/headwater-io/headwater/internal/checktext"
)

func TestText(t *testing.T) {
	for text, want := range map[string]error{
		``:                         nil,
		`{"a":"ä€😀"}`:              nil,
		`"\u00e4\ud83d\ude00"`:     nil,
		`"\uD83D\uDE00x\\ud83d"`:   nil, // an escaped backslash, then letters
		`"\ufffd"`:                 nil,
		"\"\ufffd\"":               nil,
		`"\\\\ud800"`:              nil,
		`"\ud800"`:                 checktext.ErrSurrogate,
		`"\ud800x"`:                checktext.ErrSurrogate,
		`"\ud800\n"`:               checktext.ErrSurrogate,
		`"\ud800\u0041"`:           checktext.ErrSurrogate,
		`"\ud800\ud800"`:           checktext.ErrSurrogate,
		`"\ude00\ud83d"`:           checktext.ErrSurrogate,
		`"\ud83d\ude00\ude00"`:     checktext.ErrSurrogate,
		`"\\\ud83d"`:               checktext.ErrSurrogate,
		"\"\\ud83dä\"":             checktext.ErrSurrogate,
		`"\ud83d`:                  checktext.ErrSurrogate,
		`"\ud83d\`:                 checktext.ErrSurrogate,
		"\"\xff\"":                 checktext.ErrEncoding,
		"\"\xc3":                   checktext.ErrEncoding,
		"\"\xc3\"":                 checktext.ErrEncoding,
		"\"\xed\xa0\x80\"":         checktext.ErrEncoding, // half of a surrogate pair, encoded in UTF-8
		"\"\xc0\xaf\"":             checktext.ErrEncoding,
		"\"\xf0\x9f\x98\x80\xf0\"": checktext.ErrEncoding,
	} {
		if err := checktext.JSON([]byte(text)); !errors.Is(err, want) {
			t.Errorf("%q: %v", text, err)
		}
		for name, from := range map[string]io.Reader{
			"whole": strings.NewReader(text), "by bytes": iotest.OneByteReader(strings.NewReader(text)), "by halves": iotest.HalfReader(strings.NewReader(text)),
			"with the end": iotest.DataErrReader(strings.NewReader(text)),
		} {
			if _, err := io.ReadAll(checktext.NewReader(from)); !errors.Is(err, want) {
				t.Errorf("%q %s: %v", text, name, err)
			}
		}
	}
}

// FuzzText: a text is valid exactly if the decoder leaves it unchanged. One read and many
// reads have the same result.
func FuzzText(f *testing.F) {
	for _, seed := range []string{`"\ud83d\ude00"`, `"\ud83d"`, "\"\xff\"", `["a\\\u0041"]`, "\"ä\xc3\""} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		err := checktext.JSON(text)
		_, byBytes := io.ReadAll(checktext.NewReader(iotest.OneByteReader(strings.NewReader(string(text)))))
		if (err == nil) != (byBytes == nil) {
			t.Fatalf("%q: %v, by bytes %v", text, err, byBytes)
		}
		var s string
		if json.Unmarshal(text, &s) != nil {
			return
		}
		replaced := strings.Count(s, "\ufffd") > strings.Count(string(text), "\ufffd")+strings.Count(strings.ToLower(string(text)), `\ufffd`)
		if !utf8.Valid(text) {
			replaced = true
		}
		if (err != nil) != replaced {
			t.Fatalf("%q: %v, decoded as %q", text, err, s)
		}
	})
}
