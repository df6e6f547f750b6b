package main

import (
	"bytes"
	"strings"
)

// importFile is a file that somebody made to do harm, and sends as an export.
type importFile struct {
	name string
	body []byte
	gzip bool
	// taken tells that the import may take the file, as long as it answers in time.
	taken bool
}

// hostileFiles returns files that pretend to be exports. header is the first line of an export, and line one of its entities.
func hostileFiles(header, line []byte, most int) []importFile {
	packed := zipped(string(header)+"\n", string(line), "\n", "", len(line))
	entity := func(urn string) []byte {
		return bytes.Join([][]byte{header, []byte(`{"entity":{"urn":"` + urn + `","versions":[]}}`)}, []byte("\n"))
	}
	after := func(text string) []byte { return bytes.Join([][]byte{header, []byte(text)}, []byte("\n")) }
	return []importFile{
		{name: "a packed export that is cut", body: packed[:len(packed)/2], gzip: true},
		{name: "a packed export without its checksum", body: packed[:len(packed)-8], gzip: true},
		{name: "a packed export with another checksum", body: append(bytes.Clone(packed[:len(packed)-8]), 1, 2, 3, 4, 5, 6, 7, 8), gzip: true},
		{name: "a packed export with garbage behind it", body: append(bytes.Clone(packed), "garbage"...), gzip: true},
		{name: "an export that is not packed and says so", body: after(string(line)), gzip: true},
		{name: "a bomb of lines", body: zipped(string(header)+"\n", `{"entity":{}}`, "\n", "", most), gzip: true},
		{name: "a bomb of blanks", body: zipped(string(header)+"\n", " ", "", "", most), gzip: true, taken: true},
		{name: "a bomb of one line", body: zipped(string(header)+"\n"+`{"entity":{"urn":"`, "x", "", `"}}`, most), gzip: true},
		{name: "a bomb of edges", body: zipped(string(header)+"\n"+`{"entity":{"urn":"urn:li:tag:x","edges":[`, "{}", ",", "]}}", most), gzip: true},
		{name: "one long line", body: after(`{"entity":{"urn":"` + strings.Repeat("x", 48<<20) + `"}}`)},
		{name: "a database", body: append([]byte("SQLite format 3\x00"), make([]byte, 4096)...)},
		{name: "a zip", body: []byte("PK\x03\x04\x14\x00\x00\x00\x08\x00export.ndjson")},
		{name: "a tar", body: append([]byte("../../etc/cron.d/x"), make([]byte, 1<<10)...)},
		{name: "nothing", taken: true},
		{name: "only ends of lines", body: bytes.Repeat([]byte("\n"), 1<<20), taken: true},
		{name: "a list", body: []byte("[]")},
		{name: "a list of lists", body: []byte(strings.Repeat("[", 1<<20))},
		{name: "UTF-16", body: []byte("\xff\xfe{\x00\"\x00h\x00\"\x00:\x001\x00}\x00")},
		{name: "a format of the future", body: []byte(`{"header":{"format":99}}`)},
		{name: "two headers", body: bytes.Join([][]byte{header, header, line}, []byte("\n")), taken: true},
		{name: "no header", body: line, taken: true},
		{name: "a path as a URN", body: entity("../../../../etc/passwd"), taken: true},
		{name: "a path in a URN", body: entity("urn:li:dataset:(urn:li:dataPlatform:hive,../../../../etc/passwd,PROD)"), taken: true},
		{name: "a zero byte in a URN", body: entity(`urn:li:tag:a\u0000b`), taken: true},
		{name: "half of a pair in a URN", body: entity(`urn:li:tag:\ud800`), taken: true},
		{name: "members twice", body: after(`{"entity":{"urn":"urn:li:tag:a","urn":"urn:li:tag:b","versions":[],"versions":null}}`), taken: true},
		{name: "members thousandfold", body: after(`{"entity":{` + strings.Repeat(`"urn":"urn:li:tag:a",`, 100_000) + `"urn":"urn:li:tag:b"}}`), taken: true},
		{name: "an entity and values in one line", body: after(`{"entity":{"urn":"urn:li:tag:a"},"timeSeries":{"urn":"urn:li:tag:a","aspect":"x"}}`), taken: true},
	}
}

// importFiles sends hostile files to a server. Each must be refused, or taken, in time; a refusal must be short. A part of the
// lines may be imported, so lines that the answer of an import refuses count as refused.
func importFiles(a *arena, c *client, header, line []byte) {
	files := hostileFiles(header, line, pick(a, 64<<20, 1<<30))
	for _, f := range files {
		if a.Err() != nil {
			return
		}
		headers := []string{"Content-Type", importLines}
		if f.gzip {
			headers = append(headers, "Content-Encoding", "gzip")
		}
		r := c.post(a, "/import?partial=true", f.body, headers...)
		a.sent(1, len(f.body))
		failures, _ := r.at("value", "failures").([]any)
		switch {
		case a.Err() != nil:
			return
		case !r.civil():
			a.problem("%s is neither imported nor refused: %v", f.name, r)
		case !f.taken && r.ok() && len(failures) == 0:
			a.problem("%s is imported: %v", f.name, r)
		case r.refused() && len(r.body) > 2*maxEcho:
			a.problem("the refusal of %s has %s", f.name, size(int64(len(r.body))))
		}
	}
	a.note("%d hostile files", len(files))
}
