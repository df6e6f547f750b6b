package resolver

import (
	"github.com/headwater-io/headwater/catalog/edits"
	"github.com/headwater-io/headwater/gql/object"
	"github.com/headwater-io/headwater/internal/optional"
)

// linkOf reads a link from the input of a mutation.
func linkOf(url, label string, settings *object.LinkSettingsInput) edits.LinkText {
	link := edits.LinkText{URL: url, Label: label}
	if settings != nil {
		preview := optional.Or(settings.ShowInAssetPreview, false)
		link.InPreview = &preview
	}
	return link
}
