package jsontree_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/headwater-io/headwater/internal/jsontree"
)

func object(t *testing.T, text string) jsontree.Object {
	t.Helper()
	tree, err := jsontree.DecodeObject([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

func text(t *testing.T, tree any) string {
	t.Helper()
	encoded, err := jsontree.Encode(tree)
	if err != nil {
		t.Fatal(err)
	}
	return string(encoded)
}

func TestDecode(t *testing.T) {
	for _, c := range []struct{ name, text, fault string }{
		{"nothing", ``, "not JSON"},
		{"half", `{"a":`, "not JSON"},
		{"two values", `{}{}`, "more text"},
		{"null", `null`, "not a JSON object"},
		{"an array", `[]`, "not a JSON object"},
	} {
		if _, err := jsontree.DecodeObject([]byte(c.text)); err == nil || !strings.Contains(err.Error(), c.fault) {
			t.Errorf("%s: %v, not %q", c.name, err, c.fault)
		}
	}
	const kept = `{"n":12345678901234567890,"s":"<&>","f":1.50}`
	var back jsontree.Object
	if tree := object(t, kept); json.Unmarshal([]byte(text(t, tree)), &back) != nil || text(t, tree["s"]) != `"<&>"` || text(t, tree["n"]) != "12345678901234567890" {
		t.Errorf("%s became %s", kept, text(t, tree))
	}
}

func TestMembersOfText(t *testing.T) {
	const text = ` { "a" : {"n": [1, 2]} ,"\u0062\"":null,"a":"twice"}`
	members, err := jsontree.Members([]byte(text))
	got := ""
	for _, m := range members {
		got += fmt.Sprintf("%s=%s=%s;", m.Name, m.Quoted, m.Value)
	}
	if want := `a="a"={"n": [1, 2]};b"="\u0062\""=null;a="a"="twice";`; err != nil || got != want {
		t.Errorf("the members are %s (%v), want %s", got, err, want)
	}
	if members, err := jsontree.Members([]byte("{}")); err != nil || len(members) > 0 {
		t.Errorf("an empty object has members %v (%v)", members, err)
	}
	for _, text := range []string{"", "[]", "null", `{"a":1`, `{"a"}`, `{"a":}`, `{}{}`, `{"a":1,}`} {
		if members, err := jsontree.Members([]byte(text)); err == nil {
			t.Errorf("%s has members %v", text, members)
		}
	}
}

func TestEqualText(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{`{"a":1,"b":[true]}`, `{ "b": [true], "a": 1.0 }`, true},
		{`{"a":1}`, `{"a":2}`, false},
		{`{"a":1}`, `{"a":1,"b":null}`, false},
		{`[1,2]`, `[2,1]`, false},
		{`{"a":"1"}`, `{"a":1}`, false},
		{`9007199254740993`, `9007199254740992`, false},
		{`1e2`, `100`, true},
		{`{"a":null}`, `{"b":null}`, false},
		{`[1,2]`, `[1]`, false},
		{`x`, `{}`, false},
		{`{}`, `x`, false},
	} {
		if got := jsontree.EqualText([]byte(c.a), []byte(c.b)); got != c.want {
			t.Errorf("%s and %s: %v", c.a, c.b, got)
		}
	}
}

func TestMembers(t *testing.T) {
	tree := object(t, `{"s":"x","o":{"k":1},"list":[{"a":"1"},2,{"a":"3"}],"texts":["p",7,"q"]}`)
	if jsontree.Text(tree, "s") != "x" || jsontree.Text(tree, "o") != "" || jsontree.Text(nil, "s") != "" {
		t.Error("texts are read otherwise")
	}
	if jsontree.Member(tree, "o") == nil || jsontree.Member(tree, "s") != nil || jsontree.Member(tree, "missing") != nil {
		t.Error("objects are read otherwise")
	}
	if got := jsontree.Texts(tree, "texts"); !slices.Equal(got, []string{"p", "q"}) {
		t.Errorf("texts: %v", got)
	}
	items := jsontree.Items(tree, "list")
	if len(items) != 2 || len(jsontree.Items(tree, "s")) != 0 {
		t.Fatalf("items: %v", items)
	}
	items[0]["a"] = "changed"
	jsontree.SetItems(tree, "list", items)
	if got := text(t, tree["list"]); got != `[{"a":"changed"},{"a":"3"}]` {
		t.Errorf("the list is %s", got)
	}
	if got := jsontree.At(tree, "o", "k"); got != json.Number("1") || jsontree.At(tree, "s", "k") != nil || jsontree.At(tree, "list", "a") != nil {
		t.Errorf("at o/k there is %v", got)
	}
	if len(jsontree.Flat(tree["list"])) != 2 || len(jsontree.Flat("x")) != 1 {
		t.Error("arrays and scalars are listed otherwise")
	}
}

func TestWalk(t *testing.T) {
	tree := object(t, `{"list":[{"k":"a"},{"k":["b","c"]},{"other":1}],"map":{"m":"d"},"one":"e"}`)
	for _, c := range []struct{ path, want string }{
		{"list/*/k/*", "[a=list/0/k/* b=list/1/k/0 c=list/1/k/1]"},
		{"list/k", "[]"},
		{"map/*", "[d=map/m]"},
		{"one/*", "[e=one/*]"},
		{"one/*/more", "[]"},
		{"missing", "[]"},
	} {
		path, got := strings.Split(c.path, "/"), []string{}
		jsontree.Walk(tree, path, func(leaf any, chosen []string) {
			got = append(got, fmt.Sprintf("%v=%s", leaf, strings.Join(jsontree.Fill(path, chosen), "/")))
			if full := len(chosen) == strings.Count(c.path, "*"); full && jsontree.Follow(tree, path, chosen) != leaf {
				t.Errorf("%s: %v does not lead back to %v", c.path, chosen, leaf)
			}
		})
		if fmt.Sprint(got) != c.want {
			t.Errorf("%s: %v, not %s", c.path, got, c.want)
		}
	}
	if jsontree.Follow(tree, []string{"list", "*"}, []string{"3"}) != nil || jsontree.Follow(tree, []string{"list", "x"}, nil) != nil {
		t.Error("an item that is not there was found")
	}
}

func TestRemove(t *testing.T) {
	is := func(value any) bool { return value == "x" }
	for _, c := range []struct{ name, tree, path, want string }{
		{"a member", `{"a":"x","b":1}`, "a", `{"b":1}`},
		{"an item", `{"l":["x","y","x"]}`, "l/*", `{"l":["y"]}`},
		{"the item that holds it", `{"l":[{"u":"x"},{"u":"y"}]}`, "l/*/u", `{"l":[{"u":"y"}]}`},
		{"the innermost item", `{"l":[{"m":["x","y"]}]}`, "l/*/m/*", `{"l":[{"m":["y"]}]}`},
		{"the member that holds it", `{"a":{"b":"x"},"c":1}`, "a/b", `{"c":1}`},
		{"not there", `{"a":"y"}`, "a", `{"a":"y"}`},
		{"no array", `{"l":"x"}`, "l/*", `{"l":"x"}`},
	} {
		tree, path := object(t, c.tree), strings.Split(c.path, "/")
		if contains := jsontree.Contains(tree, path, is); contains != (c.tree != c.want) {
			t.Errorf("%s: contains it: %v", c.name, contains)
		}
		if jsontree.Remove(tree, path, is); text(t, tree) != c.want {
			t.Errorf("%s: %s is left, not %s", c.name, text(t, tree), c.want)
		}
	}
}

func TestScalars(t *testing.T) {
	sorted := []any{json.Number("2"), int64(9), json.Number("10"), "a", "b", true, nil}
	for i := range sorted {
		for j := range sorted {
			if got := jsontree.Compare(sorted[i], sorted[j]); got > 0 != (i > j) || got < 0 != (i < j) {
				t.Errorf("%v and %v: %d", sorted[i], sorted[j], got)
			}
		}
	}
	if jsontree.Integer(json.Number("7")) != 7 || jsontree.Integer(json.Number("7.5")) != 0 || jsontree.Integer("7") != 0 {
		t.Error("whole numbers are read otherwise")
	}
	if jsontree.ScalarText("x") != "x" || jsontree.ScalarText(json.Number("1.50")) != "1.50" || jsontree.ScalarText(true) != "true" {
		t.Error("scalars are written otherwise")
	}
}

// TestDecodeAgreesWithEncodingJSON: Decode accepts the same texts as encoding/json, and
// returns the same trees. Other parts of the program use encoding/json.
func TestDecodeAgreesWithEncodingJSON(t *testing.T) {
	for _, text := range []string{
		`{}`, `[]`, `null`, `true`, `false`, `""`, `0`, `-0.5e+3`, ` { "a" : [ 1 , { } ] } `, `{"a":{"b":[[],{"c":null}]},"d":"e"}`,
		`{"a":1,"a":2}`, `{"a":{"b":1},"a":{"c":2}}`, `"\u00e9\ud83d\ude00\n\/"`, `"é😀"`, `"\ud83d"`, "\"\xff\"", `{"\u0061":1}`,
		`123456789012345678901234567890`, `1e999`, strings.Repeat("[", 500) + strings.Repeat("]", 500),
		``, ` `, `{`, `}`, `[1,]`, `[,1]`, `{"a"}`, `{"a":}`, `{"a":1,}`, `{,}`, `{a:1}`, `{'a':1}`, `01`, `1.`, `.5`, `+1`, `-`, `1e`, `nul`, `truex`,
		`"`, `"\x"`, `"\u12"`, "\"\n\"", `[1 2]`, `{"a" 1}`, `{1:2}`, `{"a":1]`, `[1}`, `/**/1`, `NaN`, "\ufeff{}", `{}x`, `{} {}`,
	} {
		decoder := json.NewDecoder(strings.NewReader(text))
		decoder.UseNumber()
		var want any
		wrong := decoder.Decode(&want)
		if wrong == nil {
			if _, err := decoder.Token(); err == nil || err.Error() != "EOF" {
				wrong = fmt.Errorf("more text")
			}
		}
		got, err := jsontree.Decode([]byte(text))
		if (err == nil) != (wrong == nil) {
			t.Errorf("%q: %v, encoding/json says %v", text, err, wrong)
		}
		if err == nil && !reflect.DeepEqual(got, want) {
			t.Errorf("%q became %#v, not %#v", text, got, want)
		}
		if wrong != nil {
			continue
		}
		var plain bytes.Buffer
		if err := json.Compact(&plain, []byte(text)); err != nil {
			t.Fatal(err)
		}
		input := []byte(text)
		compact, err := jsontree.Compact(input)
		if err != nil || string(compact) != plain.String() || string(input) != text {
			t.Errorf("%q became %q (%v), not %q", text, compact, err, plain.String())
		}
	}
}

// TestCompactCopies: the result does not share memory with the input, which may be a buffer
// for several texts.
func TestCompactCopies(t *testing.T) {
	input := []byte(`{"a":1}`)
	compact, err := jsontree.Compact(input)
	if err != nil {
		t.Fatal(err)
	}
	clear(input)
	if string(compact) != `{"a":1}` {
		t.Errorf("it became %q", compact)
	}
}

// encodingJSON is Encode by encoding/json.
func encodingJSON(tree any) (string, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(tree)
	return strings.ReplaceAll(strings.TrimSuffix(b.String(), "\n"), `\ufffd`, "\ufffd"), err // the spelling of invalid Unicode does not matter
}

// TestEncodeAsEncodingJSON: values of all kinds have the text that encoding/json gives them, or no text.
func TestEncodeAsEncodingJSON(t *testing.T) {
	type part struct {
		Text string           `json:"text,omitempty"`
		Raw  json.RawMessage  `json:"raw"`
		Map  map[string]int64 `json:"map"`
		List []string         `json:"list"`
		Any  any              `json:"any"`
		Time *time.Time       `json:"time,omitempty"`
	}
	at := time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC)
	for _, value := range []any{
		nil, true, "", "<&>\u2028\u2029\x00\x7f\"\\/\b\f\n\r\t", "a\xffb\xc0", "é😀", json.Number("1.50"), json.Number("12345678901234567890"), json.Number(""), json.Number("x"), json.Number("1e999"),
		1, int64(-9007199254740993), uint64(1 << 63), 1.0, 1e21, 1e-7, 100000000.5, math.Inf(1), math.NaN(), float32(0.1),
		jsontree.Object{},
		jsontree.Object(nil),
		[]any{},
		[]any(nil),
		jsontree.Object{"b": []any{nil, "x"}, "a": jsontree.Object{"<": json.Number("0")}, "\xff": 1, "": 2, "é": 3, "z\x00": 4},
		part{},
		&part{Text: "x", Raw: json.RawMessage(` { "a" : "<\u003c\u2028" } `), Map: map[string]int64{"b": 1, "a": 2}, List: []string{}, Any: part{}, Time: &at},
		part{Raw: json.RawMessage(`{"a":}`)},
		[]byte("bytes"),
		[]json.RawMessage{json.RawMessage("1")},
		map[string][]string{"a": nil},
		func() {},
	} {
		want, wantErr := encodingJSON(value)
		got, err := jsontree.Encode(value)
		if (err == nil) != (wantErr == nil) || err == nil && string(got) != want {
			t.Errorf("%#v became %s (%v), want %s (%v)", value, got, err, want, wantErr)
		}
	}
}

// FuzzEncode: the tree of any text has the text that encoding/json gives it, and means the same.
func FuzzEncode(f *testing.F) {
	for _, seed := range []string{`{"a":[1,"<\u2028",null,{"b":true}],"a":1e5}`, "\"\xff\"", `1.0`, `{"\ud800":"\u0000"}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		tree, err := jsontree.Decode(text)
		if err != nil {
			return
		}
		want, wantErr := encodingJSON(tree)
		got, err := jsontree.Encode(tree)
		if err != nil || wantErr != nil || string(got) != want {
			t.Fatalf("%q became %s (%v), want %s (%v)", text, got, err, want, wantErr)
		}
	})
}

// TestUnmarshalAsEncodingJSON: values are read as encoding/json reads them, also in part.
func TestUnmarshalAsEncodingJSON(t *testing.T) {
	type part struct {
		A string            `json:"a"`
		B map[string]any    `json:"b"`
		C []json.RawMessage `json:"c"`
		D *int              `json:"d"`
	}
	for _, text := range []string{
		`{"a":"x","A":"y","b":{"n":1.5,"l":[1,null,true]},"c":[ {"x" : 1} ,null],"d":3}`, `{"a":1,"b":[],"c":{},"d":"3","e":0}`,
		`{"a":"\ud800\u0041","a":"` + "\xff" + `"}`, `null`, `[]`, `{"d":1e400,"a":"x"}`, `{"a":"x"`, `{"a":"x"}}`, ``, `{"c":[1,2`,
	} {
		var got, want part
		err, wantErr := jsontree.Unmarshal([]byte(text), &got), json.Unmarshal([]byte(text), &want)
		if !reflect.DeepEqual(got, want) || (err == nil) != (wantErr == nil) {
			t.Errorf("%s was read as %+v (%v), want %+v (%v)", text, got, err, want, wantErr)
		}
	}
	var number json.Number
	if err := jsontree.Unmarshal([]byte("1"), &number); err == nil {
		t.Errorf("a json.Number was read as %q; Unmarshal may say so now", number)
	}
}
