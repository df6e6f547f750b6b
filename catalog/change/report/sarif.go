package report

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/url"
	"strings"

	"github.com/headwater-io/headwater/catalog/change"
)

// sarifRules are the rules of the gate, as code scanning lists them.
var sarifRules = []struct{ id, name, text, level string }{
	{"certain-impact", "CertainImpact", "Something fails for certain because of the change.", "error"},
	{"possible-impact", "PossibleImpact", "Something may be affected by the change.", "warning"},
	{"contract", "Contract", "The change hurts a contract.", "error"},
	{"assertion", "Assertion", "The change hurts an assertion.", "error"},
	{"personal-data", "PersonalData", "Values of personal data would newly reach a column.", "error"},
	{"form", "Form", "A form loses what it is about.", "warning"},
	{"structured-property", "StructuredProperty", "A structured property loses what it is about.", "warning"},
	{"unused", "Unused", "Nobody reads something any more.", "note"},
	{"not-understood", "NotUnderstood", "A part of the project is not understood.", "note"},
}

type object = map[string]any

// SARIF returns the findings as a log of SARIF 2.1.0, each at its file and line. A finding outside the project is at the
// change that causes it.
func (r *Report) SARIF() any {
	var rules []object
	for _, rule := range sarifRules {
		rules = append(rules, object{"id": rule.id, "name": rule.name, "shortDescription": object{"text": rule.text}, "defaultConfiguration": object{"level": rule.level}})
	}
	results := []object{}
	impacts := func(rule int, list []change.Impact) {
		for i := range list {
			at := &list[i]
			file, line, related := at.File, at.Line, []object(nil)
			if c := r.changeOf(at); c != nil && c.File != "" {
				if file == "" || at.Outside {
					file, line = c.File, c.Line
				} else {
					related = []object{{"id": 1, "message": object{"text": Sentence(c)}, "physicalLocation": r.physical(c.File, c.Line)}}
				}
			}
			text := at.Name + ": " + at.Why
			if owners := OwnerNames(at.Owners); owners != "" {
				text += "; owned by " + owners
			}
			results = append(results, r.sarifResult(rule, "", text, at.URN+at.Name+at.Column, file, line, related))
		}
	}
	impacts(0, r.Certain)
	impacts(1, r.Possible)
	for k, list := range [][]change.Hurt{r.Contracts, r.Assertions} {
		for i := range list {
			level := ""
			if list[i].Effect == change.Possible {
				level = "warning"
			}
			results = append(results, r.sarifResult(2+k, level, list[i].Name+": "+list[i].Why, list[i].URN+list[i].Name, list[i].File, list[i].Line, nil))
		}
	}
	for i := range r.NewPersonalData {
		p := &r.NewPersonalData[i]
		results = append(results, r.sarifResult(4, "", fmt.Sprintf("values of %s, which has the label %s, would reach %s.%s", p.From, p.Label, p.Table, p.Column), p.From+p.Table+p.Column, p.File, p.Line, nil))
	}
	for k, list := range [][]change.Hurt{r.Forms, r.Properties} {
		for i := range list {
			h := &list[i]
			results = append(results, r.sarifResult(5+k, "", h.Name+": "+h.Why, h.URN+h.Table+h.Column, h.File, h.Line, nil))
		}
	}
	for i := range r.Unused {
		u := &r.Unused[i]
		name := strings.TrimSuffix(u.Table+"."+u.Column, ".")
		results = append(results, r.sarifResult(7, "", fmt.Sprintf("%s: %s; %s read it", name, u.Why, u.Was), u.URN+name, u.File, u.Line, nil))
	}
	for _, n := range r.NotUnderstood {
		results = append(results, r.sarifResult(8, "", strings.TrimSpace(n.Name+": "+n.Text+" ("+n.Why+")"), n.Name+n.Text+n.Why, n.File, n.Line, nil))
	}
	return object{
		"$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0",
		"runs": []object{{
			"tool":       object{"driver": object{"name": "headwater", "version": r.Version, "semanticVersion": semantic(r.Version), "informationUri": "https://github.com/headwater-io/headwater", "rules": rules}},
			"columnKind": "utf16CodeUnits", "results": results,
		}},
	}
}

// semantic returns a version of three numbers; a build without one is 0.0.0.
func semantic(version string) string {
	version = strings.TrimPrefix(version, "v")
	if strings.Count(version, ".") < 2 || version[0] < '0' || version[0] > '9' {
		return "0.0.0"
	}
	return version
}

// sarifResult returns a result. The level "" stands for the level of the rule.
func (r *Report) sarifResult(rule int, level, text, key, file string, line int, related []object) object {
	if level == "" {
		level = sarifRules[rule].level
	}
	sum := sha256.Sum256([]byte(sarifRules[rule].id + "\x00" + key))
	one := object{
		"ruleId": sarifRules[rule].id, "ruleIndex": rule, "level": level, "message": object{"text": text},
		"partialFingerprints": object{"headwater/v1": hex.EncodeToString(sum[:16])},
	}
	if file != "" {
		one["locations"] = []object{{"physicalLocation": r.physical(file, line)}}
	}
	if related != nil {
		one["relatedLocations"] = related
	}
	return one
}

func (r *Report) physical(file string, line int) object {
	uri := url.URL{Path: r.place(file)}
	return object{"artifactLocation": object{"uri": strings.TrimPrefix(uri.EscapedPath(), "./"), "uriBaseId": "%SRCROOT%"}, "region": object{"startLine": max(1, line)}}
}
