package sqlite

import (
	"regexp"
	"strings"

	"github.com/headwater-io/headwater/connectors/internal/relational"
)

// known is how the client calls a type. lengths: its lengths are shown.
type known struct {
	native, kind string
	class        relational.Class
	lengths      bool
}

// Types that others mean, too.
var (
	whole   = known{"INTEGER", "Number", relational.Whole, false}
	numeric = known{"NUMERIC", "Number", relational.Decimal, true}
	words   = known{"TEXT", "String", relational.Other, true}
	single  = known{"REAL", "Number", relational.Decimal, false}
	unknown = known{"null", "Null", relational.Opaque, false}
)

// types are the types by their names. SQLite takes any name, so that there are others.
var types = map[string]known{
	"BIGINT": {"BIGINT", "Number", relational.Whole, false}, "SMALLINT": {"SMALLINT", "Number", relational.Whole, false}, "INT": whole, "INTEGER": whole,
	"BOOL": {"BOOLEAN", "Boolean", relational.Other, false}, "BOOLEAN": {"BOOLEAN", "Boolean", relational.Other, false},
	"DECIMAL": {"DECIMAL", "Number", relational.Decimal, true}, "NUMERIC": numeric, "REAL": single,
	"DOUBLE": {"DOUBLE", "Number", relational.Decimal, false}, "FLOAT": {"FLOAT", "Number", relational.Decimal, false},
	"CHAR": {"CHAR", "String", relational.Other, true}, "VARCHAR": {"VARCHAR", "String", relational.Other, true}, "NCHAR": {"NCHAR", "String", relational.Other, true},
	"NVARCHAR": {"NVARCHAR", "String", relational.Other, true}, "TEXT": words,
	"DATE": {"DATE", "Date", relational.Moment, false}, "DATE_CHAR": {"DATE", "Date", relational.Moment, false},
	"DATETIME": {"DATETIME", "Time", relational.Moment, false}, "DATETIME_CHAR": {"DATETIME", "Time", relational.Moment, false},
	"TIME": {"TIME", "Time", relational.Moment, false}, "TIME_CHAR": {"TIME", "Time", relational.Moment, false}, "TIMESTAMP": {"TIMESTAMP", "Time", relational.Moment, false},
	"BLOB": {"BLOB", "Bytes", relational.Other, false}, "JSON": {"JSON", "Record", relational.Other, false},
}

var (
	declaration = regexp.MustCompile(`^([\w ]+)(\([^)]*\))?`)
	number      = regexp.MustCompile(`\d+`)
)

// typeOf returns a declared type, in upper case, in the client's words. An unknown name has the type that
// SQLite derives from the words in the name.
func typeOf(declared string) (native, kind string, class relational.Class) {
	found := declaration.FindStringSubmatch(declared)
	if found == nil {
		return unknown.native, unknown.kind, unknown.class
	}
	t, has := types[found[1]]
	if !has {
		t = byAffinity(found[1])
	}
	if lengths := number.FindAllString(found[2], 2); t.lengths && len(lengths) > 0 {
		if t.kind == "String" {
			lengths = lengths[:1]
		}
		t.native += "(" + strings.Join(lengths, ", ") + ")"
	}
	return t.native, t.kind, t.class
}

func byAffinity(name string) known {
	has := func(words ...string) bool {
		for _, word := range words {
			if strings.Contains(name, word) {
				return true
			}
		}
		return false
	}
	switch {
	case has("INT"):
		return whole
	case has("CHAR", "CLOB", "TEXT"):
		return words
	case has("BLOB"):
		return unknown
	case has("REAL", "FLOA", "DOUB"): //nolint:misspell // SQLite looks for these letters
		return single
	}
	return numeric
}
