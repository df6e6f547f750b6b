package produce

import "time"

// Within gives a record less time than the patience of the package.
func (o Options) Within(patience time.Duration) Options {
	o.patience = patience
	return o
}

// SetAtOnce sets how many records are sent at a time.
func (p *Producer) SetAtOnce(n int) { p.atOnce = n }
