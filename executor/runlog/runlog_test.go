package runlog_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/url"
	"runtime"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/executor/runlog"
)

const (
	password = `p@ss/w0rd "quoted" ü+1`
	key      = "-----BEGIN KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQ\nq0m9ZcJ3xkWv1Tn7yR5uLs2PdE\n-----END KEY-----\n"
)

func secrets() map[string]string {
	return map[string]string{"PASSWORD": password, "KEY": key, "SHORT": "abc", "EMPTY": "", "FOUR": "zq9x"}
}

// TestMask: a secret is masked in each spelling in which programs show it.
func TestMask(t *testing.T) {
	quoted, err := json.Marshal(map[string]string{"password": password, "key": key})
	if err != nil {
		t.Fatal(err)
	}
	inPair := func(before string) string {
		return base64.StdEncoding.EncodeToString([]byte(before + ":" + password + "@host"))
	}
	m := runlog.NewMask(secrets())
	for name, c := range map[string]struct {
		text string
		// hidden are the texts that must not be left.
		hidden []string
	}{
		"plain":        {"the password is " + password + "!", []string{"p@ss", "quoted"}},
		"JSON":         {string(quoted), []string{"p@ss", "MIIE"}},
		"query":        {"postgres://u:" + url.QueryEscape(password) + "@h", []string{"p%40ss"}},
		"path":         {"http://u/" + url.PathEscape(password), []string{"w0rd"}},
		"small escape": {"?p=p%40ss%2fw0rd+%22quoted%22+%c3%bc%2b1", []string{"%2fw0rd+%22"}},
		"base64":       {base64.StdEncoding.EncodeToString([]byte(password)), []string{base64.RawStdEncoding.EncodeToString([]byte(password))[:20]}},
		"base64 of 1":  {inPair("u"), []string{base64.StdEncoding.EncodeToString([]byte("u:" + password))[4:20]}},
		"base64 of 2":  {inPair("us"), []string{base64.StdEncoding.EncodeToString([]byte("us:" + password))[4:20]}},
		"base64 of 3":  {inPair("use"), []string{base64.StdEncoding.EncodeToString([]byte("use:" + password))[8:20]}},
		"one line":     {"> q0m9ZcJ3xkWv1Tn7yR5uLs2PdE <", []string{"q0m9"}},
		"four":         {"it is zq9x.", []string{"zq9x"}},
	} {
		t.Run(name, func(t *testing.T) {
			masked := m.Text(c.text)
			for _, hidden := range c.hidden {
				if !strings.Contains(c.text, hidden) {
					t.Fatalf("the case is wrong: %q is not in %q", hidden, c.text)
				}
				if strings.Contains(masked, hidden) {
					t.Errorf("%q shows %q", masked, hidden)
				}
			}
			if !strings.Contains(masked, "***") {
				t.Errorf("nothing is masked in %q", masked)
			}
		})
	}
	if got := m.Text("abc and nothing else"); got != "abc and nothing else" {
		t.Errorf("a short secret is masked: %q", got)
	}
}

// TestMaskAcrossWrites: a secret is masked wherever writes cut it.
func TestMaskAcrossWrites(t *testing.T) {
	text := "before " + password + " between " + key + " after"
	want := runlog.NewMask(secrets()).Text(text)
	for size := 1; size <= len(text); size++ {
		l := runlog.New(1<<20, runlog.NewMask(secrets()))
		for rest := text; rest != ""; rest = rest[min(size, len(rest)):] {
			if _, err := l.Write([]byte(rest[:min(size, len(rest))])); err != nil {
				t.Fatal(err)
			}
			if tail, _ := l.Tail(1 << 20); !strings.HasPrefix(want, tail) {
				t.Fatalf("in writes of %d the end of the log is %q", size, tail)
			}
		}
		if got := l.Text(); got != want {
			t.Fatalf("in writes of %d: %q, want %q", size, got, want)
		}
	}
}

// TestBounded: the beginning and the end of a long log are kept, with the size of the part between them.
func TestBounded(t *testing.T) {
	const size = 1000
	for _, writes := range []int{1, 7, 30, 99, 100, 101, 500} {
		l := runlog.New(size, nil)
		var all strings.Builder
		for i := range writes {
			line := fmt.Sprintf("line %4d\n", i)
			all.WriteString(line)
			if _, err := l.Write([]byte(line)); err != nil {
				t.Fatal(err)
			}
		}
		got, whole := l.Text(), all.String()
		if len(whole) <= size {
			if got != whole {
				t.Errorf("%d lines: %q", writes, got)
			}
			continue
		}
		left := fmt.Sprintf("\n[%d bytes are left out here]\n", len(whole)-size)
		if want := whole[:size/2] + left + whole[len(whole)-size/2:]; got != want {
			t.Errorf("%d lines: %q, want %q", writes, got, want)
		}
		if tail, written := l.Tail(95); tail != whole[len(whole)-90:] || written != int64(len(whole)) {
			t.Errorf("%d lines: the end is %q of %d", writes, tail, written)
		}
	}
}

// TestPrint: lines of the executor stand on lines of their own, and text that is not UTF-8 is made so.
func TestPrint(t *testing.T) {
	l := runlog.New(1000, runlog.NewMask(secrets()))
	l.Print("begun as %s", "zq9x")
	if _, err := l.Write([]byte("half a line \xff\x00 zq9")); err != nil {
		t.Fatal(err)
	}
	l.Print("ended")
	if got, want := l.Text(), "begun as ***FOUR***\nhalf a line \ufffd\ufffd zq9\nended\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestFlood: a flood takes no more memory than its kept part.
func TestFlood(t *testing.T) {
	l := runlog.New(1<<20, runlog.NewMask(secrets()))
	line := []byte(strings.Repeat("a flood of words that tell nothing ", 100) + "\n")
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	written := 0
	for written < 64<<20 {
		n, err := l.Write(line)
		if err != nil {
			t.Fatal(err)
		}
		written += n
	}
	runtime.ReadMemStats(&after)
	if text := l.Text(); len(text) > 1<<20+100 || !strings.Contains(text, "are left out here") {
		t.Errorf("%d bytes are kept", len(text))
	}
	if used := after.TotalAlloc - before.TotalAlloc; used > 16<<20 {
		t.Errorf("%d bytes were allocated for %d", used, written)
	}
}
