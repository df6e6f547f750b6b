package graphstore

import (
	"strings"
	"unicode/utf8"
)

// Like is an SQL LIKE pattern: % matches any run of characters, _ any one character. Letter
// case matters, and there is no escape. Matching never backtracks: its time is linear in the
// length of the text for every pattern.
type Like struct {
	// pieces are the parts between the % signs. The first piece must match at the beginning of the
	// text, the last piece at its end.
	pieces []likePiece
}

// likePiece is a part of a pattern without %.
type likePiece struct {
	text  string
	runes []rune
	// holds has, for each character of the piece, a bit for each index at which the piece has this
	// character or _. other has the bits for all other characters. Both are nil if the piece has
	// no _.
	holds map[rune][]uint64
	other []uint64
}

// ParseLike parses a pattern. Every text is a valid pattern.
func ParseLike(pattern string) *Like {
	l := &Like{}
	for text := range strings.SplitSeq(pattern, "%") {
		l.pieces = append(l.pieces, newLikePiece(text))
	}
	return l
}

func newLikePiece(text string) likePiece {
	p := likePiece{text: text}
	if !strings.Contains(text, "_") {
		return p
	}
	p.runes = []rune(text)
	words := (len(p.runes) + 63) / 64
	p.other, p.holds = make([]uint64, words), map[rune][]uint64{}
	for i, r := range p.runes {
		if r == '_' {
			p.other[i/64] |= 1 << (i % 64)
		}
	}
	for i, r := range p.runes {
		if r == '_' {
			continue
		}
		if p.holds[r] == nil {
			p.holds[r] = append([]uint64(nil), p.other...)
		}
		p.holds[r][i/64] |= 1 << (i % 64)
	}
	return p
}

// Match reports whether a text matches the pattern.
func (l *Like) Match(text string) bool {
	first, last := &l.pieces[0], &l.pieces[len(l.pieces)-1]
	n, ok := first.begins(text)
	if !ok {
		return false
	}
	if len(l.pieces) == 1 {
		return n == len(text)
	}
	text = text[n:]
	if n, ok = last.ends(text); !ok {
		return false
	}
	text = text[:len(text)-n]
	// Each piece is taken at its first place, which leaves the most room for the pieces after it.
	for i := 1; i < len(l.pieces)-1; i++ {
		end := l.pieces[i].find(text)
		if end < 0 {
			return false
		}
		text = text[end:]
	}
	return true
}

// begins reports whether a text begins with the piece, and how many bytes the match has.
func (p *likePiece) begins(text string) (int, bool) {
	if p.other == nil {
		return len(p.text), strings.HasPrefix(text, p.text)
	}
	n := 0
	for _, want := range p.runes {
		r, size := utf8.DecodeRuneInString(text[n:])
		if size == 0 || want != '_' && want != r {
			return 0, false
		}
		n += size
	}
	return n, true
}

// ends reports whether a text ends with the piece, and how many bytes the match has.
func (p *likePiece) ends(text string) (int, bool) {
	if p.other == nil {
		return len(p.text), strings.HasSuffix(text, p.text)
	}
	n := 0
	for i := len(p.runes) - 1; i >= 0; i-- {
		r, size := utf8.DecodeLastRuneInString(text[:len(text)-n])
		if size == 0 || p.runes[i] != '_' && p.runes[i] != r {
			return 0, false
		}
		n += size
	}
	return n, true
}

// find returns the end of the first match of the piece in a text, -1 if there is none. For a
// piece with _, find reads the text once, and keeps in bits how far each possible match has
// come.
func (p *likePiece) find(text string) int {
	if p.other == nil {
		if at := strings.Index(text, p.text); at >= 0 {
			return at + len(p.text)
		}
		return -1
	}
	come := make([]uint64, len(p.other))
	whole := len(p.runes) - 1
	for at, r := range text {
		holds := p.holds[r]
		if holds == nil {
			holds = p.other
		}
		carry := uint64(1)
		for i := range come {
			come[i], carry = (come[i]<<1|carry)&holds[i], come[i]>>63
		}
		if come[whole/64]&(1<<(whole%64)) != 0 {
			_, size := utf8.DecodeRuneInString(text[at:])
			return at + size
		}
	}
	return -1
}

// Prefix returns the text with which every match begins; it may be empty.
func (l *Like) Prefix() string {
	text, _, _ := strings.Cut(l.pieces[0].text, "_")
	return text
}

// Suffix returns the text with which every match ends; it may be empty.
func (l *Like) Suffix() string {
	text := l.pieces[len(l.pieces)-1].text
	return text[strings.LastIndexByte(text, '_')+1:]
}

// Contains returns the longest text that every match contains; it may be empty.
func (l *Like) Contains() string {
	longest := ""
	for i := range l.pieces {
		for text := range strings.SplitSeq(l.pieces[i].text, "_") {
			if len(text) > len(longest) {
				longest = text
			}
		}
	}
	return longest
}

// Plain reports whether Prefix, Suffix and Contains together are equivalent to the pattern:
// every text that has all three matches.
func (l *Like) Plain() bool {
	filled := 0
	for i := range l.pieces {
		if l.pieces[i].other != nil {
			return false
		}
		if l.pieces[i].text != "" {
			filled++
		}
	}
	return len(l.pieces) > 1 && filled <= 1
}
