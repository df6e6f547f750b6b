package mysql

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

// types are the types by the names that the server writes.
var types = map[string]known{
	"tinyint": {"TINYINT", "Number", relational.Whole}, "smallint": {"SMALLINT", "Number", relational.Whole}, "mediumint": {"MEDIUMINT", "Number", relational.Whole},
	"int": {"INTEGER", "Number", relational.Whole}, "bigint": {"BIGINT", "Number", relational.Whole},
	"decimal": {"DECIMAL", "Number", relational.Decimal}, "float": {"FLOAT", "Number", relational.Decimal}, "double": {"DOUBLE", "Number", relational.Decimal},
	"bit": {"BIT", "Bytes", relational.Other}, "year": {"YEAR", "Null", relational.Other},
	"date": {"DATE", "Date", relational.Moment}, "time": {"TIME", "Time", relational.Moment}, "datetime": {"DATETIME", "Time", relational.Moment}, "timestamp": {"TIMESTAMP", "Time", relational.Moment},
	"char": {"CHAR", "String", relational.Other}, "varchar": {"VARCHAR", "String", relational.Other},
	"tinytext": {"TINYTEXT", "String", relational.Other}, "text": {"TEXT", "String", relational.Other}, "mediumtext": {"MEDIUMTEXT", "String", relational.Other}, "longtext": {"LONGTEXT", "String", relational.Other},
	"binary": {"BINARY", "Bytes", relational.Other}, "varbinary": {"VARBINARY", "Bytes", relational.Other},
	"tinyblob": {"TINYBLOB", "Bytes", relational.Other}, "blob": {"BLOB", "Bytes", relational.Other}, "mediumblob": {"MEDIUMBLOB", "Bytes", relational.Other}, "longblob": {"LONGBLOB", "Bytes", relational.Other},
	"enum": {"ENUM", "Enum", relational.Other}, "set": {"SET", "String", relational.Other}, "json": {"JSON", "Record", relational.Other}, "uuid": {"UUID", "String", relational.Other},
	"geometry": {"BLOB", "Null", relational.Other}, "point": {"BLOB", "Null", relational.Other}, "linestring": {"BLOB", "Null", relational.Other}, "polygon": {"BLOB", "Null", relational.Other},
}

// declaration matches a name, the text in parentheses, and words such as unsigned.
var declaration = regexp.MustCompile(`(?s)^(\w+)(?:\((.*)\))?([^()]*)$`)

// typeOf returns a type, as the server writes it, in the client's words.
func typeOf(declared string) (native, kind string, class relational.Class) {
	found := declaration.FindStringSubmatch(declared)
	if found == nil {
		return "null", "Null", relational.Opaque
	}
	t, has := types[strings.ToLower(found[1])]
	if !has {
		return "null", "Null", relational.Opaque
	}
	if found[2] != "" {
		length := found[2]
		if t.kind == "Number" {
			length = strings.ReplaceAll(length, ",", ", ")
		}
		t.native += "(" + length + ")"
	}
	for _, word := range []string{"unsigned", "zerofill"} {
		if strings.Contains(found[3], word) {
			t.native += " " + strings.ToUpper(word)
		}
	}
	return t.native, t.kind, t.class
}
