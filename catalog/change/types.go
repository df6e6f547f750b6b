package change

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// sqlType is a type with the facts by which it can become narrower.
type sqlType struct {
	// family is "int", "decimal", "float", "text", "time" and the like; another type is its own family.
	family string
	// rank orders the types of a family: a type of a smaller rank holds less. size is a length, or the digits before
	// the point, and scale the digits after the point; -1 means no bound.
	rank, size, scale int
}

// ranks orders types by how much they can hold.
var ranks = map[string]struct {
	family string
	rank   int
}{
	"bool": {"bool", 1}, "boolean": {"bool", 1}, "bit": {"bool", 1},
	"tinyint": {"int", 1}, "int1": {"int", 1}, "byteint": {"int", 1},
	"smallint": {"int", 2}, "int2": {"int", 2},
	"mediumint": {"int", 3}, "int": {"int", 4}, "integer": {"int", 4}, "int4": {"int", 4}, "serial": {"int", 4},
	"bigint": {"int", 5}, "int8": {"int", 5}, "long": {"int", 5}, "int64": {"int", 5}, "bigserial": {"int", 5},
	"int32": {"int", 4}, "sint32": {"int", 4}, "sfixed32": {"int", 4}, "sint64": {"int", 5}, "sfixed64": {"int", 5},
	"uint32": {"uint", 1}, "fixed32": {"uint", 1}, "uint64": {"uint", 2}, "fixed64": {"uint", 2},
	"hugeint": {"int", 6}, "int128": {"int", 6},
	"decimal": {"decimal", 1}, "numeric": {"decimal", 1}, "number": {"decimal", 1}, "dec": {"decimal", 1}, "bignumeric": {"decimal", 2},
	"real": {"float", 1}, "float4": {"float", 1}, "float32": {"float", 1},
	"float": {"float", 2}, "double": {"float", 2}, "float8": {"float", 2}, "float64": {"float", 2}, "double precision": {"float", 2},
	"char": {"text", 1}, "character": {"text", 1}, "nchar": {"text", 1}, "bpchar": {"text", 1},
	"varchar": {"text", 1}, "character varying": {"text", 1}, "nvarchar": {"text", 1}, "varchar2": {"text", 1},
	"text": {"text", 1}, "string": {"text", 1}, "clob": {"text", 1},
	"date": {"time", 1}, "datetime": {"time", 2}, "timestamp": {"time", 2}, "timestamp without time zone": {"time", 2}, "timestamp_ntz": {"time", 2}, "datetime2": {"time", 2},
	"timestamptz": {"time", 3}, "timestamp with time zone": {"time", 3}, "timestamp_tz": {"time", 3},
}

var typeForm = regexp.MustCompile(`^([a-z_0-9 ]+?)\s*(?:\(\s*(\d+)\s*(?:,\s*(\d+)\s*)?\))?\s*((?:with|without) time zone)?$`)

// typeOf reads the text of a type.
func typeOf(text string) sqlType {
	text = strings.Join(strings.Fields(strings.ToLower(text)), " ")
	parts := typeForm.FindStringSubmatch(text)
	if parts == nil {
		return sqlType{family: text, size: -1, scale: -1}
	}
	name := parts[1]
	if parts[4] != "" {
		name += " " + parts[4]
	}
	known, ok := ranks[name]
	if !ok {
		return sqlType{family: text, size: -1, scale: -1}
	}
	t := sqlType{family: known.family, rank: known.rank, size: -1, scale: -1}
	size, err := strconv.Atoi(parts[2])
	switch {
	case err != nil:
	case t.family == "text":
		t.size = size
	case t.family == "decimal":
		scale, _ := strconv.Atoi(parts[3]) // none is 0
		t.size, t.scale = size-scale, scale
	}
	return t
}

// sameType reports whether two texts mean the same type.
func sameType(a, b string) bool { return typeOf(a) == typeOf(b) }

// narrower reports whether some values of the old type do not fit the new one.
func narrower(old, now string) bool {
	if strings.HasPrefix(now, "union<") { // each type of the old union must be a type of the new one
		members := membersOf(now)
		return slices.ContainsFunc(membersOf(old), func(kind string) bool { return !slices.Contains(members, kind) })
	}
	a, b := typeOf(old), typeOf(now)
	less := func(x, y int) bool { return y >= 0 && (x < 0 || y < x) }
	if a.family == b.family {
		return b.rank < a.rank || less(a.size, b.size) || less(a.scale, b.scale)
	}
	switch b.family {
	case "text":
		return b.size >= 0
	case "decimal", "float":
		return a.family != "int" && a.family != "bool" && !(a.family == "decimal" && b.family == "float")
	}
	return true
}
