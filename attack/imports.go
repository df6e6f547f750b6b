package main

import (
	"bytes"
	"math/rand"
	"net/http"
	"strings"
)

// importLines is the content type of an import.
const importLines = "application/x-ndjson"

// imports sends faulty exports to a second server: letters, numbers and names of members
// are changed, and lines are cut, repeated and moved. Then it sends files that were made to do harm.
// Each must be imported or refused in time. At the end, the original export is imported with replace=true, and all its data
// must be there.
func imports(a *arena) {
	many(pick(a, 20, 100), 8, func(n int) {
		e := a.check.entry("exported" + strings.Repeat("i", n%5))
		a.check.write(a, a.client, e)
		a.check.relate(a, a.client, e)
	})
	exported := a.client.get(a, "/export")
	whole := exported.body[:max(0, bytes.LastIndexByte(exported.body, '\n'))] // an export longer than its read part ends within a line
	lines := bytes.Split(whole, []byte("\n"))
	if a.Err() != nil || !exported.ok() || len(lines) < 3 {
		a.problem("the catalog cannot be exported: %v", exported)
		return
	}
	lines = append(lines[:1:1], lines[max(1, len(lines)-200):]...) // the header, and the last lines
	s, c := a.another()
	if s == nil {
		return
	}
	defer s.kill()
	refused := 0
	for range pick(a, 100, 2000) {
		if a.Err() != nil {
			return
		}
		body := tampered(a.random, lines)
		r := c.post(a, "/import?partial=true", body, "Content-Type", importLines)
		a.sent(1, len(body))
		if a.Err() == nil && !r.civil() {
			a.problem("an export that was tampered with is neither imported nor refused: %v", r)
		}
		if r.refused() {
			refused++
			if len(r.body) > 2*maxEcho {
				a.problem("the refusal of an import has %s", size(int64(len(r.body))))
			}
		}
		a.soon("an export that was tampered with", r)
	}
	importFiles(a, c, lines[0], lines[1])
	whole = bytes.Join(lines, []byte("\n"))
	r := c.send(a, http.MethodPost, "/import?replace=true", whole, "Content-Type", importLines)
	if a.Err() == nil && !r.ok() {
		a.problem("the export cannot be imported in the end: %v", r)
	}
	after := c.get(a, "/export")
	present := map[string]bool{}
	for line := range bytes.SplitSeq(after.body, []byte("\n")) {
		present[string(line)] = true
	}
	for _, line := range lines[1:] {
		if a.Err() == nil && bytes.HasPrefix(line, []byte(`{"entity"`)) && !present[string(line)] {
			a.problem("what was imported in the end is not there: %s", short(string(line), 200))
		}
	}
	a.judgeServer(s, c)
	a.note("%d of %d exports refused", refused, pick(a, 100, 2000))
}

// tampered returns a part of an export with a few faults.
func tampered(random *rand.Rand, lines [][]byte) []byte {
	header, first := lines[0], 1+random.Intn(len(lines)-1)
	some := [][]byte{bytes.Clone(header)}
	for _, line := range lines[first:min(len(lines), first+1+random.Intn(5))] {
		some = append(some, bytes.Clone(line))
	}
	for range 1 + random.Intn(4) {
		at := random.Intn(len(some))
		line := some[at]
		if len(line) < 2 {
			continue
		}
		place := random.Intn(len(line))
		switch random.Intn(7) {
		case 0: // a changed letter
			line[place] = byte(random.Intn(256))
		case 1: // a changed digit in a number or a time
			if d := bytes.IndexAny(line[place:], "0123456789"); d >= 0 {
				line[place+d] = byte('0' + random.Intn(10))
			}
		case 2: // a number far out of range
			if d := bytes.IndexAny(line[place:], "0123456789"); d >= 0 {
				some[at] = bytes.Join([][]byte{line[:place+d], []byte("-99999999999999999999"), line[place+d:]}, nil)
			}
		case 3: // a changed name of a member
			if q := bytes.Index(line[place:], []byte(`":`)); q > 0 {
				line[place+q-1] ^= 1
			}
		case 4: // a cut line
			some[at] = line[:place]
		case 5: // a repeated line
			some = append(some, bytes.Clone(line))
		case 6: // a moved line
			other := random.Intn(len(some))
			some[at], some[other] = some[other], some[at]
		}
	}
	return bytes.Join(some, []byte("\n"))
}
