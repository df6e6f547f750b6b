package recipe

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/headwater-io/headwater/internal/jsontree"
)

// registered is the form of the names of types that the client registers.
var registered = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]*$`)

// importable is the form of a class or a function that the client would import: package.module.Class, or
// package.module:function.
var importable = regexp.MustCompile(`^[A-Za-z_]\w*([.:][A-Za-z_]\w*)+$`)

// refuseCode refuses a recipe that names a class or a function, which the client would run.
func refuseCode(tree jsontree.Object) error {
	for name, part := range tree {
		list, isList := part.([]any)
		if !isList {
			list = []any{part}
		}
		for i, one := range list {
			object, ok := one.(jsontree.Object)
			if !ok {
				continue
			}
			where := name
			if isList {
				where = fmt.Sprintf("%s[%d]", name, i)
			}
			if err := refuseTyped(where, object); err != nil {
				return err
			}
		}
	}
	return nil
}

// refuseTyped refuses a part of a recipe whose type, or whose settings, name code.
func refuseTyped(where string, part jsontree.Object) error {
	if given, ok := part["type"]; ok {
		name, isText := given.(string)
		if !isText || !registered.MatchString(name) {
			return codeError(where+".type", given)
		}
	}
	if name := jsontree.Text(part, "extractor"); name != "" && !registered.MatchString(name) {
		return codeError(where+".extractor", name)
	}
	return refuseNested(where, part["config"])
}

// refuseNested refuses settings that name code: nested parts of the form {type, config}, such as the provider
// of a state, and the functions and classes of transformers.
func refuseNested(where string, settings any) error {
	switch settings := settings.(type) {
	case []any:
		for i, one := range settings {
			if err := refuseNested(fmt.Sprintf("%s[%d]", where, i), one); err != nil {
				return err
			}
		}
	case jsontree.Object:
		for name, value := range settings {
			text, isText := value.(string)
			names := name == "type" || strings.HasPrefix(name, "get_") || strings.HasSuffix(name, "_class")
			if isText && names && importable.MatchString(text) {
				return codeError(where+".config."+name, text)
			}
			if err := refuseNested(where+"."+name, value); err != nil {
				return err
			}
		}
	}
	return nil
}

func codeError(where string, given any) error {
	return fmt.Errorf("%s is %q, which is not the name of a registered type but code that the executor would run; an executor runs such recipes with --allow-code (executor-code in serve)", where, fmt.Sprint(given))
}
