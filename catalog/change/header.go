package change

import "strings"

// Header returns the names in the first line of a text of comma-separated values, such as a seed of dbt, nil if there are
// none. A name may be in double quotes, which are doubled inside it.
func Header(text []byte) []string {
	rest := strings.TrimPrefix(string(text), "\ufeff")
	var names []string
	var name strings.Builder
	quoted := false
	for i := 0; i < len(rest); i++ {
		switch letter := rest[i]; {
		case quoted && letter == '"' && i+1 < len(rest) && rest[i+1] == '"':
			name.WriteByte('"')
			i++
		case letter == '"':
			quoted = !quoted
		case !quoted && letter == ',':
			names = append(names, strings.TrimSpace(name.String()))
			name.Reset()
		case !quoted && letter == '\n':
			rest = rest[:i]
		default:
			name.WriteByte(letter)
		}
	}
	if last := strings.TrimSpace(name.String()); last != "" || len(names) > 0 {
		names = append(names, last)
	}
	return names
}
