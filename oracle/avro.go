package main

import "strings"

// wrappers are the names that Avro's JSON puts around optional values, beside the names of records.
var wrappers = map[string]bool{
	"string": true, "boolean": true, "int": true, "long": true, "float": true, "double": true, "array": true, "map": true,
}

// plain removes the objects that Avro's JSON puts around optional values of an aspect:
// {"string": "x"} where the model has no union.
func (f *facts) plain(aspect string, value any) any {
	return f.unwrap(f.aspectRecords[aspect], value)
}

// unwrap is plain for a value of a type in the notation of the model's tables.
func (f *facts) unwrap(kind string, value any) any {
	if members, ok := strings.CutPrefix(kind, "union{"); ok {
		return f.unwrapMember(strings.TrimSuffix(members, "}"), value)
	}
	if o, ok := value.(object); ok && len(o) == 1 {
		for name, inner := range o {
			_, isText := inner.(string)
			if strings.HasPrefix(name, "com.linkedin.") || wrappers[name] && !(isText && strings.HasPrefix(kind, "map<")) && !f.hasField(kind, name) {
				value = inner
			}
		}
	}
	switch value := value.(type) {
	case []any:
		item := strings.TrimSuffix(strings.TrimPrefix(kind, "array<"), ">")
		for i := range value {
			value[i] = f.unwrap(item, value[i])
		}
	case object:
		if item, ok := strings.CutPrefix(kind, "map<string,"); ok {
			for key := range value {
				value[key] = f.unwrap(strings.TrimSuffix(item, ">"), value[key])
			}
			return value
		}
		for _, field := range f.fields[kind] {
			if member, ok := value[field.Name]; ok {
				value[field.Name] = f.unwrap(field.Type, member)
			}
		}
	}
	return value
}

func (f *facts) hasField(kind, name string) bool {
	for _, field := range f.fields[kind] {
		if field.Name == name {
			return true
		}
	}
	return false
}

// unwrapMember keeps the name of a union's member. A text without a name is the union's
// text member.
func (f *facts) unwrapMember(members string, value any) any {
	if _, isText := value.(string); isText && strings.Contains(","+members, ",string:") {
		return object{"string": value}
	}
	o, ok := value.(object)
	if !ok {
		return value
	}
	delete(o, "fieldDiscriminator") // Avro's name of the union's member
	for name, inner := range o {
		for member := range strings.SplitSeq(members, ",") {
			if key, kind, _ := strings.Cut(member, ":"); strings.Replace(key, "<prefix>", "com.linkedin", 1) == name {
				o[name] = f.unwrap(kind, inner)
			}
		}
	}
	return o
}
