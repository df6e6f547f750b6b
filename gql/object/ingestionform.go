package object

import (
	"encoding/json"

	"github.com/headwater-io/headwater/catalog/ingestion/forms"
)

// IngestionForm has the settings of one type of sources.
type IngestionForm struct{ *forms.Form }

// IngestionFormOf returns the form of a type of sources, nil if the type has no form.
func IngestionFormOf(sourceType string) *IngestionForm {
	form := forms.Of(sourceType)
	if form == nil {
		return nil
	}
	return &IngestionForm{form}
}

// AllIngestionForms returns the forms of all types that have one.
func AllIngestionForms() *IngestionForms {
	all := &IngestionForms{Client: forms.Client(), Forms: []*IngestionForm{}}
	for _, form := range forms.All() {
		all.Forms = append(all.Forms, &IngestionForm{form})
	}
	return all
}

// Native tells whether the server reads sources of the type itself.
func (f *IngestionForm) Native() bool { return forms.IsNative(f.Type) }

// Settings are the settings, the basic ones first.
func (f *IngestionForm) Settings() []*IngestionSetting {
	settings := make([]*IngestionSetting, len(f.Form.Settings))
	for i := range f.Form.Settings {
		settings[i] = &IngestionSetting{&f.Form.Settings[i]}
	}
	return settings
}

// IngestionSetting is a setting of a source.
type IngestionSetting struct{ *forms.Setting }

// Kind is the kind of the setting's values.
func (s *IngestionSetting) Kind() string { return string(s.Setting.Kind) }

// Default is the value that counts if the setting is left out, nil if none is known.
func (s *IngestionSetting) Default() (*string, error) {
	if s.Setting.Default == nil {
		return nil, nil
	}
	if text, ok := s.Setting.Default.(string); ok {
		return &text, nil
	}
	encoded, err := json.Marshal(s.Setting.Default)
	text := string(encoded)
	return &text, err
}

// Choices are the values of a choice.
func (s *IngestionSetting) Choices() []string { return append([]string{}, s.Setting.Choices...) }
