package rest

import (
	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/streams"
)

// event is a change in the form of the interface.
type event = streams.ChangeEvent

func eventOf(c *catalog.Change) event { return streams.ChangeEventOf(c) }
