package dbt

import (
	"regexp"
	"strings"
)

// typeNames are the types of columns that the client knows, by the kind of the field. Types of several platforms are in
// one list; a platform that means something else by a name has a list of its own in ownTypes.
var typeNames = map[string]string{
	"Array": `"char"[], ARRAY, aclitem[], anyarray, array, bigint[], bit varying[], bit[], boolean[], box[], bytea[],
		character varying[], character[], cid[], cidr[], circle[], cstring[], date[], daterange[], double precision[],
		gtsvector[], halfvec, inet[], int2vector[], int4range[], int8range[], integer[], interval[], json[], jsonb[],
		jsonpath[], line[], list, lseg[], macaddr8[], macaddr[], money[], name[], numeric[], numrange[], oid[],
		oidvector[], path[], pg_lsn[], pg_snapshot[], point[], polygon[], real[], record[], refcursor[], regclass[],
		regcollation[], regconfig[], regdictionary[], regnamespace[], regoper[], regoperator[], regproc[],
		regprocedure[], regrole[], regtype[], smallint[], sparsevec, text[], tid[], time with time zone[],
		time without time zone[], timestamp with time zone[], timestamp without time zone[], tsquery[], tsrange[],
		tstzrange[], tsvector[], txid_snapshot[], uuid[], vector, xid8[], xid[], xml[]`,
	"Boolean": `BIT, BOOL, BOOLEAN, bit, boolean`,
	"Bytes": `BINARY, BYTE, BYTES, IMAGE, TIMESTAMP, VARBINARY, binary, bit varying, box, bytea, circle,
		image, jsonb, line, long varbinary, lseg, path, polygon, raster, raw, timestamp, varbinary`,
	"Date": `DATE, date`,
	"Enum": `anyenum`,
	"Map":  `map`,
	"Null": `NULL, super, void`,
	"Number": `BIGINT, BIGNUMERIC, BYTEINT, DECIMAL, DOUBLE, DOUBLE PRECISION, FLOAT, FLOAT4, FLOAT64, FLOAT8, INT, INT16,
		INT32, INT64, INTEGER, MONEY, NUMBER, NUMERIC, REAL, SMALLINT, SMALLMONEY, TINYINT, bigint, byte, dec, decimal,
		double, double precision, float, float8, int, int2vector, int8, integer, long, money, number, numeric, real,
		short, smallint, smallmoney, tinyint`,
	"Record": `JSON, OBJECT, RECORD, SQL_VARIANT, VARIANT, XML, json, record, row, sql_variant, struct, xml`,
	"String": `"char", CHAR, CHARACTER, CHARACTER VARYING, NCHAR, NTEXT, NVARCHAR, STRING, TEXT, UNIQUEIDENTIFIER, VARCHAR,
		char, character, character varying, cidr, citext, datemultirange, daterange, int4multirange, int4range,
		int8multirange, int8range, long varchar, ltree, nchar, node, ntext, nummultirange, numrange, nvarchar, point,
		relationship, string, text, tsmultirange, tsrange, tstzmultirange, tstzrange, uniqueidentifier, uuid, varchar`,
	"Time": `DATETIME, DATETIME2, DATETIMEOFFSET, SMALLDATETIME, TIME, TIMESTAMP_LTZ, TIMESTAMP_NTZ, TIMESTAMP_TZ, datetime,
		datetime2, datetimeoffset, duration, interval, interval hour to second, local_date_time, local_time,
		smalldatetime, time, time with time zone, time with timezone, time without time zone, timestamp with time zone,
		timestamp with timezone, timestamp without time zone, timestamptz, zoned_date_time, zoned_time`,
	"Union": `"any"`,
}

// ownTypes are the types with a length or a precision, as decimal(38,2), by the adapter that knows them.
var ownTypes = map[string]struct {
	// base finds the name of the type before the length.
	base *regexp.Regexp
	// spell spells a name as the client does before it looks the name up.
	spell func(string) string
	// kinds are the names that mean something else than in typeNames.
	kinds map[string]string
}{
	"trino":     {letters, strings.ToLower, map[string]string{"timestamp": "Time"}},
	"athena":    {regexp.MustCompile(`^([a-zA-Z]+)(?:\(.+\)|<.+>)`), same, map[string]string{"timestamp": "Time"}},
	"vertica":   {regexp.MustCompile(`^([a-zA-Z ]+)\(.+\)`), same, map[string]string{"timestamp": "Time"}},
	"snowflake": {regexp.MustCompile(`^([a-z A-Z_]+)\([0-9]+(?:,\s*[0-9]+)?\)`), strings.ToUpper, map[string]string{"TIMESTAMP": "Time", "DATETIME": "Date"}},
	"postgres":  postgresTypes,
	"redshift":  postgresTypes,
}

var (
	letters       = regexp.MustCompile(`^([a-zA-Z]+)\(.+\)`)
	postgresTypes = struct {
		base  *regexp.Regexp
		spell func(string) string
		kinds map[string]string
	}{
		regexp.MustCompile(`^(character varying|bit varying|time with time zone|time without time zone|timestamp with time zone|timestamp without time zone|numeric|character|bit)\([0-9,]+\)`),
		same,
		map[string]string{"bit": "Bytes"},
	}
)

func same(text string) string { return text }

// kinds are the kinds of fields by the names of types.
var kinds = func() map[string]string {
	all := map[string]string{}
	for kind, names := range typeNames {
		for name := range strings.SplitSeq(names, ",") {
			all[strings.TrimSpace(name)] = kind
		}
	}
	return all
}()

// columnType returns the kind of a field: Number, String, and so on; Null for an unknown type. A name may have a
// length only on those platforms for which the client reads it.
func columnType(name, adapter string) string {
	if kind := kinds[name]; kind != "" {
		return kind
	}
	own, ok := ownTypes[adapter]
	if !ok {
		return "Null"
	}
	if strings.HasSuffix(name, "[]") && (adapter == "postgres" || adapter == "redshift") {
		return "Array"
	}
	spelled := own.spell(name)
	if found := own.base.FindStringSubmatch(spelled); found != nil {
		spelled = found[1]
	}
	if kind := own.kinds[spelled]; kind != "" {
		return kind
	}
	if kind := kinds[spelled]; kind != "" {
		return kind
	}
	return "Null"
}

// isSnowflake reports whether a platform is Snowflake, whose columns get lower-case names.
func isSnowflake(platform string) bool { return strings.EqualFold(platform, "snowflake") }
