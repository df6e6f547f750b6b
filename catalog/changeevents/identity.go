package changeevents

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/headwater-io/headwater/catalog"
)

// IdentityOf identifies a change of the log. It does not depend on the cursor from which the log was read.
func IdentityOf(c *catalog.Change) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%s\x00%s\x00%s\x00%d %d %d", c.URN, c.Aspect, c.SeriesKey, c.Kind, c.Time, c.Seq, c.PreviousSeq))
	return hex.EncodeToString(sum[:10])
}
