package tokens

import (
	"time"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/internal/jsontree"
)

func text(info catalog.Tree, member string) string { return jsontree.Text(info, member) }

// moment reads a member with milliseconds since 1970; without it the zero time.
func moment(info catalog.Tree, member string) time.Time {
	if _, has := info[member]; !has {
		return time.Time{}
	}
	return time.UnixMilli(jsontree.Integer(info[member]))
}
