package postgres

import (
	"regexp"
	"strings"

	"github.com/headwater-io/headwater/connectors/internal/relational"
)

// known is how the client calls a type.
type known struct {
	native, kind string
	class        relational.Class
}

// types are the types by the names that the database writes, without lengths.
var types = map[string]known{
	"smallint": {"SMALLINT", "Number", relational.Whole}, "integer": {"INTEGER", "Number", relational.Whole}, "bigint": {"BIGINT", "Number", relational.Whole},
	"real": {"REAL", "Number", relational.Decimal}, "double precision": {"DOUBLE PRECISION", "Number", relational.Decimal}, "numeric": {"NUMERIC", "Number", relational.Decimal},
	"money": {"MONEY", "Number", relational.Other}, "boolean": {"BOOLEAN", "Boolean", relational.Other},
	"character": {"CHAR", "String", relational.Other}, "character varying": {"VARCHAR", "String", relational.Other}, "text": {"TEXT", "String", relational.Other},
	`"char"`: {"VARCHAR", "String", relational.Other}, "name": {"VARCHAR", "String", relational.Other}, "citext": {"CITEXT", "String", relational.Other},
	"uuid": {"UUID", "String", relational.Other}, "inet": {"INET", "String", relational.Other}, "cidr": {"CIDR", "String", relational.Other},
	"macaddr": {"MACADDR", "String", relational.Other}, "macaddr8": {"MACADDR8", "Null", relational.Other},
	"bytea": {"BYTEA", "Bytes", relational.Other}, "bit": {"BIT", "Bytes", relational.Other}, "bit varying": {"BIT VARYING", "Bytes", relational.Other},
	"date": {"DATE", "Date", relational.Moment},
	"json": {"JSON", "Record", relational.Opaque}, "jsonb": {"JSONB", "Record", relational.Other}, "hstore": {"HSTORE", "Map", relational.Other},
	"xml": {"XML", "String", relational.Opaque}, "ltree": {"LTREE", "String", relational.Other},
	"tsvector": {"TSVECTOR", "Bytes", relational.Other}, "tsquery": {"TSQUERY", "Null", relational.Other}, "regconfig": {"REGCONFIG", "Null", relational.Other},
	"oid": {"OID", "String", relational.Other}, "regclass": {"REGCLASS", "Bytes", relational.Other},
	"vector": {"VECTOR", "Array", relational.Other}, "halfvec": {"HALFVEC", "Array", relational.Other}, "sparsevec": {"SPARSEVEC", "Array", relational.Other},
}

func init() {
	for _, shape := range []string{"point", "line", "lseg", "box", "path", "polygon", "circle"} {
		types[shape] = known{strings.ToUpper(shape), "Bytes", relational.Opaque}
	}
	for _, of := range []string{"int4", "int8", "num", "date", "ts", "tstz"} {
		for _, form := range []string{"range", "multirange"} {
			types[of+form] = known{strings.ToUpper(of + form), "String", relational.Other}
		}
	}
}

var (
	// arguments are the lengths in the name of a type, such as (10,2).
	arguments = regexp.MustCompile(`\(([^()]*)\)`)
	zoned     = regexp.MustCompile(`^(timestamp|time) (with|without) time zone$`)
)

// typeOf returns a type in the client's words. format is the database's name of it, and kind the kind of the type,
// or of an array's elements: a base type, an enumeration, a domain, a composite type.
func typeOf(format, kind string) (native, record string, class relational.Class) {
	element, isArray := strings.CutSuffix(format, "[]")
	for strings.HasSuffix(element, "[]") {
		element = strings.TrimSuffix(element, "[]")
	}
	t := elementType(element, kind)
	if !isArray || t.native == "null" {
		return t.native, t.kind, t.class
	}
	return t.native + "[]", "Array", relational.Other
}

func elementType(format, kind string) known {
	length := ""
	if found := arguments.FindStringSubmatch(format); found != nil {
		length = found[1]
	}
	name := strings.TrimSpace(arguments.ReplaceAllString(format, ""))
	if found := zoned.FindStringSubmatch(name); found != nil {
		native := strings.ToUpper(found[1])
		if length != "" {
			native += "(" + length + ")"
		}
		return known{native + " " + strings.ToUpper(found[2]) + " TIME ZONE", "Time", relational.Moment}
	}
	if name == "interval" || strings.HasPrefix(name, "interval ") && kind == "b" {
		native := "INTERVAL" + strings.TrimPrefix(name, "interval")
		if length != "" {
			native += " (" + length + ")"
		}
		return known{native, "Time", relational.Other}
	}
	t, found := types[strings.ToLower(name)]
	switch {
	case found && length != "":
		t.native += "(" + strings.ReplaceAll(length, ",", ", ") + ")"
		return t
	case found:
		return t
	case kind == "e":
		return known{format, "Enum", relational.Other}
	case kind == "d":
		return known{format, "Null", relational.Other}
	}
	return known{"null", "Null", relational.Opaque}
}
