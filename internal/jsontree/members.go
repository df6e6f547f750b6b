package jsontree

import (
	"encoding/json"
	"errors"
)

// EachMember reads an object and calls each for its members, in their order. The function each reads the value
// of its member with d.
func EachMember(d *json.Decoder, each func(name string) error) error {
	open, err := d.Token()
	if err != nil {
		return err
	}
	if open != json.Delim('{') {
		return errors.New("an object is expected")
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return err
		}
		if err := each(name.(string)); err != nil { // the name of a member is always a string
			return err
		}
	}
	_, err = d.Token()
	return err
}
