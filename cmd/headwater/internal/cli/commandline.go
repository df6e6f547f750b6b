package cli

import (
	"net/url"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/headwater-io/headwater/cmd/headwater/internal/show"
)

// typed is a part of a command line: a flag with its value, or an argument.
type typed struct {
	// flag is the name of the flag as it was typed, with its dashes, "" for an argument.
	flag string
	// text is the argument, or the value of the flag. bare: the flag has no value.
	text string
	bare bool
	// joined: the value is joined to the flag with an equals sign.
	joined bool
}

func (t *typed) String() string {
	switch {
	case t.flag == "":
		return show.ShellWord(t.text)
	case t.bare:
		return show.ShellWord(t.flag)
	case t.joined:
		return show.ShellWord(t.flag) + "=" + show.ShellWord(t.text)
	}
	return show.ShellWord(t.flag) + " " + show.ShellWord(t.text)
}

// typedParts splits a command line into flags and arguments.
func typedParts(args []string, flags *pflag.FlagSet) []typed {
	var parts []typed
	for i := 0; i < len(args); i++ {
		arg := args[i]
		switch {
		case arg == "--":
			for _, rest := range args[i+1:] {
				parts = append(parts, typed{text: rest})
			}
			return parts
		case len(arg) < 2 || arg[0] != '-':
			parts = append(parts, typed{text: arg})
			continue
		}
		if flag, value, ok := strings.Cut(arg, "="); ok {
			parts = append(parts, typed{flag: flag, text: value, joined: true})
			continue
		}
		if takesNext(arg, flags) && i+1 < len(args) {
			i++
			parts = append(parts, typed{flag: arg, text: args[i]})
			continue
		}
		parts = append(parts, typed{flag: arg, bare: true})
	}
	return parts
}

// takesNext reports whether the next word is the value of this flag.
func takesNext(arg string, flags *pflag.FlagSet) bool {
	if name, ok := strings.CutPrefix(arg, "--"); ok {
		f := flags.Lookup(name)
		return f != nil && f.NoOptDefVal == ""
	}
	for i := 1; i < len(arg); i++ { // a word may have several one-letter flags, and then a value
		if f := flags.ShorthandLookup(arg[i : i+1]); f != nil && f.NoOptDefVal == "" {
			return i == len(arg)-1
		}
	}
	return false
}

// isSecret reports whether a flag has a secret value, which must not be shown.
func isSecret(flag string) bool {
	return slices.ContainsFunc([]string{"token", "password", "secret"}, func(word string) bool { return strings.Contains(strings.ToLower(flag), word) })
}

// WithoutUser returns an address of a server without user and password, or "" if it cannot
// be parsed.
func WithoutUser(server string) string {
	if !strings.Contains(server, "@") {
		return server
	}
	if !strings.Contains(server, "://") {
		server = "http://" + server
	}
	u, err := url.Parse(server)
	if err != nil {
		return ""
	}
	u.User = nil
	return u.String()
}

// CommandWith returns the present command line with another name in it and without secrets,
// for people to copy.
func (e *Environment) CommandWith(name, other string) string {
	path := strings.Fields(e.Verb.CommandPath())
	all := typedParts(e.Args, e.Verb.Flags())
	verbs := len(path) - 1
	parts := all[:0:0]
	for i := range all {
		part := all[i]
		switch {
		case part.flag == "" && verbs > 0: // part of the command path
			verbs--
			continue
		case isSecret(part.flag):
			continue
		case part.flag == "--server":
			if part.text = WithoutUser(part.text); part.text == "" {
				continue
			}
		}
		parts = append(parts, part)
	}
	replaceName(parts, name, other)
	words, last := path, []string{}
	for i := range parts {
		part := &parts[i]
		if part.flag == "" && strings.HasPrefix(part.text, "-") && len(part.text) > 1 || len(last) > 0 && part.flag == "" {
			last = append(last, part.String())
			continue
		}
		words = append(words, part.String())
	}
	if len(last) > 0 {
		words = append(append(words, "--"), last...)
	}
	return strings.Join(words, " ")
}

// replaceName replaces a name: the first argument that equals it or, if there is none, the
// first value of a flag with it, such as --owner ada or --filter owners=ada.
func replaceName(parts []typed, name, other string) {
	if i := slices.IndexFunc(parts, func(p typed) bool { return p.flag == "" && p.text == name }); i >= 0 {
		parts[i].text = other
		return
	}
	for i := range parts {
		part := &parts[i]
		if part.flag == "" || part.bare {
			continue
		}
		if part.text == name {
			part.text = other
			return
		}
		if before, ok := strings.CutSuffix(part.text, "="+name); ok && part.flag == "--filter" {
			part.text = before + "=" + other
			return
		}
	}
}
