package sql

import (
	"regexp"
	"strings"
)

var (
	templateRef    = regexp.MustCompile(`^\s*ref\s*\(\s*(?:['"][^'"]*['"]\s*,\s*)?['"]([^'"]*)['"][^)]*\)\s*$`)
	templateSource = regexp.MustCompile(`^\s*source\s*\(\s*['"]([^'"]*)['"]\s*,\s*['"]([^'"]*)['"]\s*\)\s*$`)
	templateConfig = regexp.MustCompile(`^\s*config\s*\(`)
	templateThis   = regexp.MustCompile(`^\s*this\s*$`)
	templateTag    = regexp.MustCompile(`^-?\s*(if|elif|else|endif|for|endfor|set|endset|snapshot|endsnapshot|raw|endraw|test|endtest)\b`)
)

// expandTemplate replaces the parts of a dbt template in SQL: references to models and sources
// by names, settings by nothing. It reports whether the text has other parts, which only dbt
// can replace.
func expandTemplate(text string) (expanded string, opaque bool) {
	if !strings.Contains(text, "{{") && !strings.Contains(text, "{%") && !strings.Contains(text, "{#") {
		return text, false
	}
	var b strings.Builder
	for {
		begin := strings.IndexByte(text, '{')
		if begin < 0 || begin+1 >= len(text) {
			b.WriteString(text)
			return b.String(), opaque
		}
		var end string
		switch text[begin+1] {
		case '{':
			end = "}}"
		case '%':
			end = "%}"
		case '#':
			end = "#}"
		default:
			b.WriteString(text[:begin+1])
			text = text[begin+1:]
			continue
		}
		b.WriteString(text[:begin])
		inside, after, ended := strings.Cut(text[begin+2:], end)
		if !ended {
			return b.String(), true
		}
		sql, known := expandPart(end, inside)
		b.WriteString(" " + sql + " ")
		opaque = opaque || !known
		text = after
	}
}

// expandPart returns the SQL that replaces a part of a template.
func expandPart(end, inside string) (sql string, known bool) {
	switch end {
	case "#}":
		return "", true
	case "%}":
		return "", templateTag.MatchString(inside)
	}
	inside = strings.Trim(inside, "-")
	if m := templateRef.FindStringSubmatch(inside); m != nil {
		return quoteName(m[1]), true
	}
	if m := templateSource.FindStringSubmatch(inside); m != nil {
		return quoteName(m[1]) + "." + quoteName(m[2]), true
	}
	if templateConfig.MatchString(inside) {
		return "", true
	}
	if templateThis.MatchString(inside) {
		return "this", true
	}
	return "0", false
}

func quoteName(name string) string { return "`" + strings.ReplaceAll(name, "`", "``") + "`" }
