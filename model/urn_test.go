package model

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

func TestParseURN(t *testing.T) {
	nested := "urn:li:dataJob:(urn:li:dataFlow:(airflow,load,prod),copy)"
	for _, c := range []struct {
		name, text, want string
		parts            int
	}{
		{"one part", "urn:li:corpuser:ada", "urn:li:corpuser:ada", 1},
		{"tuple", "urn:li:chart:(looker,1)", "urn:li:chart:(looker,1)", 2},
		{"nested", nested, nested, 2},
		{"tuple of one", "urn:li:tag:(a)", "urn:li:tag:a", 1},
		{"tuple of a tuple", "urn:li:chart:((looker,1))", "urn:li:chart:(looker,1)", 2},
		{"many parentheses", "urn:li:tag:(((a(b))))", "urn:li:tag:a(b)", 1},
		{"tuple of two tuples", "urn:li:chart:((a),(b))", "urn:li:chart:((a),(b))", 2},
		{"commas outside a tuple", "urn:li:tag:a,b", "urn:li:tag:a,b", 1},
		{"parentheses inside a part", "urn:li:tag:a(b)", "urn:li:tag:a(b)", 1},
		{"another namespace", "urn:example:tag:x y", "urn:example:tag:x y", 1},
		{"encoded", "urn:li:dataset:(urn:li:dataPlatform:x,a%28b%2C,PROD)", "urn:li:dataset:(urn:li:dataPlatform:x,a%28b%2C,PROD)", 3},
	} {
		u, err := ParseURN(c.text)
		if err != nil || u.String() != c.want || len(u.Parts()) != c.parts {
			t.Errorf("%s: %q with %d parts, %v", c.name, u, len(u.Parts()), err)
		}
		checkPart(t, u)
	}
	for _, text := range []string{
		"", "urn", "urn:", "urn:li", "urn:li:", "urn:li:tag", "urn:li:tag:", "URN:li:tag:x", "urn:l i:tag:x", "urn:li:Tag:x",
		"urn:li:ta-g:x", "urn:li:tag:()", "urn:li:chart:(a,)", "urn:li:chart:(,b)", "urn:li:chart:(a,b", "urn:li:chart:a)", "urn:li:chart:(a)(b)",
		"urn:li:tag:\xff", "urn:li:tag:(())", "urn:li:tag:((a)(b))", "urn:li:tag:((a)",
	} {
		var fault *URNError
		if u, err := ParseURN(text); !errors.As(err, &fault) {
			t.Errorf("%q is taken for %q", text, u)
		}
	}
}

func TestCheckURN(t *testing.T) {
	r := Default()
	for text, ok := range map[string]bool{
		"urn:li:corpuser:ada": true, "urn:example:corpuser:ada": true, "urn:other:corpuser:ada": false,
		"urn:li:nothing:x": false, "urn:li:chart:x": false, "urn:li:corpuser:(a,b)": false,
		"urn:li:glossaryTerm:(node,term)": true, "urn:li:glossaryTerm:term": true, "urn:li:glossaryTerm:(a,b,c)": false,
		"urn:li:dataset:(urn:li:dataPlatform:x,t,ANYTHING)": true, "urn:li:dataset:(x,t,PROD)": false,
		"urn:li:tag: x": true, "urn:li:tag:x ": false, "urn:li:tag:a␟b": false,
		"urn:li:tag:" + strings.Repeat("x", 495): true, "urn:li:tag:" + strings.Repeat("x", 496): false,
		"urn:li:tag:" + strings.Repeat("é", 90): false,
		"urn:li:corpUser:ada":                   true,
	} {
		u, err := ParseURN(text)
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		if err := r.CheckURN(u); (err == nil) != ok {
			t.Errorf("%q: %v, want ok %t", text, err, ok)
		}
	}
}

// TestNormalURN: Normal gives entity types the model's letter case.
func TestNormalURN(t *testing.T) {
	r := Default()
	for text, want := range map[string]string{
		"urn:li:corpUser:Ada":                                                        "urn:li:corpuser:Ada",
		"urn:li:corpuser:Ada":                                                        "urn:li:corpuser:Ada",
		"urn:example:datajob:(urn:li:dataFlow:(a,b,c),task)":                         "urn:example:dataJob:(urn:li:dataFlow:(a,b,c),task)",
		"urn:li:dataJob:(urn:li:dataflow:(a,b,c),dataFlow)":                          "urn:li:dataJob:(urn:li:dataFlow:(a,b,c),dataFlow)",
		"urn:li:schemaField:(urn:li:dataSet:(urn:li:dataplatform:hive,DB.T,PROD),A)": "urn:li:schemaField:(urn:li:dataset:(urn:li:dataPlatform:hive,DB.T,PROD),A)",
		"urn:li:schemafield:(urn:li:dataset:(urn:li:dataPlatform:hive,t,PROD),a)":    "urn:li:schemaField:(urn:li:dataset:(urn:li:dataPlatform:hive,t,PROD),a)",
		"urn:li:dataset:(urn:li:dataPlatform:(hive),t,PROD)":                         "urn:li:dataset:(urn:li:dataPlatform:hive,t,PROD)",
		"urn:li:dataset:(urn:li:dataPlatform:hive,urn:li:corpUser:x,PROD)":           "urn:li:dataset:(urn:li:dataPlatform:hive,urn:li:corpUser:x,PROD)",
		"urn:li:schemaField:(urn:li:nothing:X,a)":                                    "urn:li:schemaField:(urn:li:nothing:X,a)",
		"urn:li:nothing:x": "urn:li:nothing:x",
	} {
		u, err := ParseURN(text)
		if err != nil {
			t.Fatal(err)
		}
		reparsed, err := ParseURN(want)
		if err != nil {
			t.Fatal(err)
		}
		if got := r.Normal(u); got.String() != want || got.Key() != reparsed.Key() || !slices.Equal(got.Parts(), reparsed.Parts()) || !strings.HasPrefix(want, "urn:"+got.Namespace()+":"+got.EntityType()+":") {
			t.Errorf("%s is %s (a %s), want %s", text, got, got.EntityType(), want)
		}
	}
	if u, err := r.ReadURN("urn:li:corpUser:ada"); err != nil || u.String() != "urn:li:corpuser:ada" {
		t.Errorf("read: %s %v", u, err)
	}
	if _, err := r.ReadURN("urn:li:nothing:x"); err == nil {
		t.Error("an unknown type is read")
	}
	value, err := r.Parse(r.Dialects()[0], "ownership", []byte(`{"owners":[{"owner":"urn:li:corpUser:ada","type":"DATAOWNER"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	owner, _ := ParseURN("urn:li:tag:x")
	if edges := r.Edges(owner, value); len(edges) != 1 || edges[0].Destination != "urn:li:corpuser:ada" || edges[0].DestinationType != "corpuser" {
		t.Errorf("edges: %+v", edges)
	}
}

// TestURNIsAValue: two spellings of a URN are equal values, also as keys of a map.
func TestURNIsAValue(t *testing.T) {
	r := Default()
	for _, spellings := range [][]string{
		{"urn:li:corpuser:ada", "urn:li:corpUser:ada", "urn:li:corpUser:(ada)", "urn:li:corpuser:((ada))"},
		{"urn:li:dataJob:(urn:li:dataFlow:(a,b,c),d)", "urn:li:datajob:(urn:li:dataflow:(a,b,c),d)"},
		{"urn:li:schemaField:(urn:li:dataset:(urn:li:dataPlatform:hive,t,PROD),a)", "urn:li:schemafield:(urn:li:dataSet:(urn:li:dataPlatform:(hive),t,PROD),a)"},
	} {
		seen := map[URN]bool{}
		for _, text := range spellings {
			u, err := r.ReadURN(text)
			if err != nil {
				t.Fatal(err)
			}
			seen[u] = true
			if stored := StoredURN(u.String()); stored != u {
				t.Errorf("%s comes out of the store as another value", u)
			}
		}
		if len(seen) != 1 {
			t.Errorf("%q are %d values", spellings, len(seen))
		}
	}
	for _, text := range []string{"", "urn", "urn:li", "urn:li:tag", "tag"} {
		if u := StoredURN(text); !u.IsZero() || u.EntityType() != "" || u.Namespace() != "" || u.Key() != "" {
			t.Errorf("%q is taken for %q", text, u)
		}
	}
}

// TestKeys converts keys to URNs and back for every entity type.
func TestKeys(t *testing.T) {
	r := Default()
	if n := len(r.Entities()); n != 73 {
		t.Errorf("%d entity types, want 73", n)
	}
	for _, e := range r.Entities() {
		parts := make([]string, len(e.KeyFields))
		for i, f := range e.KeyFields {
			parts[i] = "part" + f.Name
			if f.typ.kind == kindURN {
				parts[i] = "urn:li:dataPlatform:x"
				if f.Name == "flow" {
					parts[i] = "urn:li:dataFlow:(a,b,c)"
				}
			}
		}
		u, err := BuildURN("li", e.Name, parts...)
		if err != nil {
			t.Errorf("%s: %v", e.Name, err)
			continue
		}
		if err := r.CheckURN(u); err != nil {
			t.Error(err)
		}
		key, err := r.KeyValue(u)
		if err != nil {
			t.Error(err)
			continue
		}
		back, err := r.URNFromKey(LI(), e.Name, key)
		if err != nil || back.String() != u.String() {
			t.Errorf("%s: key %s makes %q: %v", u, key, back, err)
		}
	}
}

func TestEncodeURN(t *testing.T) {
	for _, text := range []string{"urn:li:dataset:(urn:li:dataPlatform:s3,a/b c+d%28é,PROD)", "", "%"} {
		encoded := EncodeURN(text)
		if len(encoded) != encodedLen(text) || strings.ContainsAny(encoded, "/(),:+ ") {
			t.Errorf("%q is encoded as %q", text, encoded)
		}
		if back, err := DecodeURN(encoded); err != nil || back != text {
			t.Errorf("%q comes back as %q: %v", text, back, err)
		}
	}
	if once, err := DecodeURN("a%2528b"); err != nil || once != "a%28b" {
		t.Errorf("decoded more than once: %q %v", once, err)
	}
	if _, err := DecodeURN("%zz"); err == nil {
		t.Error("bad encoding is accepted")
	}
}

// checkPart compares the parts of a key that are asked for one by one with all of them.
func checkPart(t *testing.T, u URN) {
	t.Helper()
	for n, want := range u.Parts() {
		if got, ok := u.Part(n); !ok || got != want {
			t.Errorf("part %d of %q is %q, %v, want %q", n, u, got, ok, want)
		}
	}
	if got, ok := u.Part(len(u.Parts())); ok {
		t.Errorf("%q has a part %q after its last", u, got)
	}
}

func FuzzParseURN(f *testing.F) {
	for _, seed := range []string{"urn:li:tag:x", "urn:li:chart:(a,b)", "urn:li:dataJob:(urn:li:dataFlow:(a,b,c),d)", "urn:li:tag:((a))", "urn:li:tag:(a)", "urn:li:tag:((a)(b))", "urn:li:tag:((a,b))"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		u, err := ParseURN(text)
		if err != nil {
			return
		}
		reparsed, err := ParseURN(u.String())
		if err != nil {
			t.Fatalf("%q became %q: %v", text, u, err)
		}
		if reparsed != u || StoredURN(u.String()) != u || !slices.Equal(reparsed.Parts(), u.Parts()) {
			t.Fatalf("%q is another value than %q", reparsed, text)
		}
		if back, err := DecodeURN(EncodeURN(text)); err != nil || back != text {
			t.Fatalf("%q comes back as %q: %v", text, back, err)
		}
		checkPart(t, u)
		_ = Default().CheckURN(u)
	})
}
