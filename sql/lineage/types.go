package lineage

import (
	"strings"

	"github.com/headwater-io/headwater/internal/limits"
)

// Fields returns the paths of the fields that a type names, in their order: city, geo and geo.lat of STRUCT<city
// STRING, geo STRUCT<lat FLOAT64>>. The fields of an array or a map are the fields of its values. Types are read as
// BigQuery, Spark, Hive, Trino, DuckDB, ClickHouse, Snowflake and their kin write them. A field without a name, and a
// type that is not understood, has no path, nor have fields beyond limits.MaxSQLTypeDepth and limits.MaxSQLTypeBytes.
func Fields(kind string) []string {
	r := typeReader{words: typeWords(kind)}
	r.fields("", 0)
	if r.broken {
		return nil
	}
	return r.paths
}

// typeReader reads the words of a type from the left to the right.
type typeReader struct {
	words []string
	paths []string
	// size is the size of the paths together.
	size   int
	broken bool
}

// typeWords parts a type into names, whose quotes go, and signs. A name that was quoted begins with a quote.
func typeWords(kind string) []string {
	var words []string
	for i := 0; i < len(kind); {
		switch c := kind[i]; {
		case strings.IndexByte(" \t\r\n", c) >= 0:
			i++
		case strings.IndexByte("<>(),:[]=", c) >= 0:
			words = append(words, string(c))
			i++
		case c == '"' || c == '`' || c == '\'':
			end := strings.IndexByte(kind[i+1:], c)
			if end < 0 {
				return nil
			}
			words = append(words, "\""+kind[i+1:i+1+end])
			i += end + 2
		default:
			end := strings.IndexAny(kind[i:], " \t\r\n<>(),:[]=\"`'")
			if end < 0 {
				end = len(kind) - i
			}
			words = append(words, kind[i:i+end])
			i += end
		}
	}
	return words
}

// structs are the types that have fields with names; around are the types that contain another type, with its
// place among the parameters.
var (
	structs = map[string]bool{"struct": true, "row": true, "tuple": true, "nested": true, "object": true, "record": true, "union": true}
	around  = map[string]int{"array": 0, "list": 0, "map": 1, "nullable": 0, "lowcardinality": 0, "range": 0}
)

// fields reads a type, whose fields have paths after the path before. Words after the type are left.
func (r *typeReader) fields(before string, depth int) {
	if len(r.words) == 0 {
		r.broken = true
		return
	}
	name := strings.ToLower(r.words[0])
	r.words = r.words[1:]
	place, holds := around[name]
	if len(r.words) == 0 || r.words[0] != "<" && r.words[0] != "(" || !structs[name] && !holds || depth >= limits.MaxSQLTypeDepth {
		return
	}
	closing := map[string]string{"<": ">", "(": ")"}[r.words[0]]
	for i := 0; !r.broken && r.words[0] != closing; i++ {
		r.words = r.words[1:]
		prefix, wanted := before, holds && i == place
		if structs[name] {
			if field, after, named := fieldName(r.words); named {
				prefix, wanted, r.words = joined(before, field), true, after
				r.add(prefix)
			}
		}
		count, size := len(r.paths), r.size
		r.fields(prefix, depth+1)
		if !wanted {
			r.paths, r.size = r.paths[:count], size
		}
		r.words = skipped(r.words, closing) // NOT NULL, COMMENT 'text' and other words after a type
		r.broken = r.broken || len(r.words) == 0
	}
	if !r.broken {
		r.words = r.words[1:]
	}
}

// add adds a path, if there is room for it.
func (r *typeReader) add(path string) {
	if r.size += len(path); r.size <= limits.MaxSQLTypeBytes {
		r.paths = append(r.paths, path)
	}
}

func joined(before, name string) string {
	if before == "" {
		return name
	}
	return before + "." + name
}

// fieldName returns the name before the type of a field, as in "city STRING" and "city: string". A type alone, as in
// "double precision", is no name.
func fieldName(words []string) (name string, rest []string, named bool) {
	if len(words) < 2 || len(words[0]) == 1 && strings.ContainsAny(words[0], "<>(),:[]=") {
		return "", words, false
	}
	name, quoted := strings.CutPrefix(words[0], "\"")
	usable := name != "" && !strings.Contains(name, ".") // a dot parts the names of a path
	switch next := words[1]; {
	case next == ":":
		return name, words[2:], usable
	case len(next) == 1 && strings.ContainsAny(next, "<>(),[]="):
		return "", words, false
	case !quoted && twoWords[strings.ToLower(name)+" "+strings.ToLower(next)]:
		return "", words, false
	}
	return name, words[1:], usable
}

// twoWords are the beginnings of types of more than one word.
var twoWords = map[string]bool{
	"double precision": true, "character varying": true, "timestamp with": true, "timestamp without": true, "time with": true, "time without": true,
	"interval day": true, "interval year": true, "bit varying": true, "national character": true,
}

// skipped returns the words from the comma or the closing sign on that ends an item.
func skipped(words []string, closing string) []string {
	depth := 0
	for i, word := range words {
		switch {
		case depth == 0 && (word == "," || word == closing):
			return words[i:]
		case word == "<" || word == "(" || word == "[":
			depth++
		case word == ">" || word == ")" || word == "]":
			depth--
		}
	}
	return nil
}
