package produce

// SetAtOnce sets how many records are sent at a time.
func (p *Producer) SetAtOnce(n int) { p.atOnce = n }
