package mysql

import (
	"fmt"
	"testing"
)

// TestConnection: the connection has the settings of the recipe.
func TestConnection(t *testing.T) {
	for name, c := range map[string]struct {
		config                    map[string]any
		address, user, secret, at string
	}{
		"nothing": {map[string]any{}, "localhost:3306", "", "", "d"},
		"a host":  {map[string]any{"host_port": "db", "username": "u", "password": "it's @:/"}, "db:3306", "u", "it's @:/", "d"},
		"a port":  {map[string]any{"host_port": "db:1", "username": "u"}, "db:1", "u", "", "d"},
		"IPv6":    {map[string]any{"host_port": "[::1]:1"}, "[::1]:1", "", "", "d"},
		"a URI":   {map[string]any{"sqlalchemy_uri": "mysql+pymysql://u:s%40c@h:8/shop"}, "h:8", "u", "s@c", "d"},
		"no port": {map[string]any{"sqlalchemy_uri": "mysql+pymysql://u@h/shop"}, "h:3306", "u", "", "d"},
	} {
		read, r := read("mysql", c.config)
		if err := r.Err(); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		made, err := read.connection("d")
		if err != nil || made.Addr != c.address || made.User != c.user || made.Passwd != c.secret || made.DBName != c.at || made.Params["time_zone"] != "'+00:00'" {
			t.Errorf("%s: %v, %+v", name, err, made)
		}
	}
}

// TestTypes: types are called as the client calls them.
func TestTypes(t *testing.T) {
	for declared, want := range map[string]string{
		"int(11)": "INTEGER(11) Number", "decimal(10,2) unsigned": "DECIMAL(10, 2) UNSIGNED Number", "int unsigned zerofill": "INTEGER UNSIGNED ZEROFILL Number",
		"varchar(20)": "VARCHAR(20) String", "enum('a','b)c')": "ENUM('a','b)c') Enum", "longblob": "LONGBLOB Bytes", "hologram": "null Null", "": "null Null",
	} {
		native, kind, _ := typeOf(declared)
		if got := fmt.Sprint(native, " ", kind); got != want {
			t.Errorf("%s is %s, want %s", declared, got, want)
		}
	}
}

// TestUndigested: a digest is SQL again, unless its end is cut off.
func TestUndigested(t *testing.T) {
	for text, want := range map[string]string{
		"SELECT `a` FROM `t` WHERE `b` IN (...) ":              "SELECT `a` FROM `t` WHERE `b` IN (?) true",
		"INSERT INTO `t` VALUES (...) /* , ... */ ":            "INSERT INTO `t` VALUES (?)  true",
		"SELECT ?, ... FROM `t`":                               "SELECT ? FROM `t` true",
		"SELECT `a` , `b` , `c` FROM `a_long_table` WHERE ...": " false",
		"SELECT ? ": "SELECT ? true",
	} {
		statement, whole := undigested(text)
		if got := fmt.Sprint(statement, " ", whole); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}
