package form

import (
	"fmt"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/changeevents"
	"github.com/headwater-io/headwater/catalog/streams"
	"github.com/headwater-io/headwater/kafka/wire"
)

// Text returns an event in Avro's JSON, in which the value of a union is in an object with the
// name of its type. Values of aspects and payloads have only ASCII characters, because Avro's
// JSON spells bytes as Latin-1 and clients read them as UTF-8.
func Text(event *streams.Event) (string, error) {
	switch data := event.Data.(type) {
	case streams.ChangeEvent:
		sent := LogOf(&catalog.Change{
			Time: data.Time, Actor: data.Actor, Kind: data.ChangeType, URN: data.EntityURN, EntityType: data.EntityType, Aspect: data.AspectName,
			Value: data.Aspect, System: data.SystemMetadata, Previous: data.PreviousAspect, PreviousSystem: data.PreviousSystemMetadata,
		})
		for _, content := range []*wire.Content{sent.Aspect, sent.PreviousAspectValue} {
			if content != nil {
				content.Value = ascii(content.Value)
			}
		}
		return wire.AvroJSON(sent)
	case changeevents.Event:
		payload, err := data.AppendJSON(nil)
		if err != nil {
			return "", err
		}
		return wire.AvroJSON(wire.EntityChange(event.Time, ascii(payload)))
	}
	return "", fmt.Errorf("%T is not an event of a topic", event.Data)
}

// ascii escapes the characters of JSON that are not ASCII. Such characters are only in strings.
func ascii(text []byte) []byte {
	var escaped []byte
	for at := 0; at < len(text); {
		r, size := utf8.DecodeRune(text[at:])
		switch {
		case r < utf8.RuneSelf:
			if escaped != nil {
				escaped = append(escaped, text[at])
			}
		default:
			if escaped == nil {
				escaped = append(make([]byte, 0, len(text)*2), text[:at]...)
			}
			escaped = appendEscaped(escaped, r)
		}
		at += size
	}
	if escaped == nil {
		return text
	}
	return escaped
}

func appendEscaped(to []byte, r rune) []byte {
	if high, low := utf16.EncodeRune(r); high != utf8.RuneError {
		return fmt.Appendf(to, `\u%04x\u%04x`, high, low)
	}
	return fmt.Appendf(to, `\u%04x`, r)
}
