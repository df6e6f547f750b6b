package produce

import "time"

// Within returns options with less time for a record than the usual patience.
func (o Options) Within(patience time.Duration) Options {
	o.patience = patience
	return o
}

// SetAtOnce sets the number of records that are sent at a time.
func (p *Producer) SetAtOnce(n int) { p.atOnce = n }
