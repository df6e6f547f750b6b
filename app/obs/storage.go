package obs

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Bytes exports the size in bytes of one part of the data directory.
func Bytes(r prometheus.Registerer, part string, size func() (int64, error)) {
	r.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "headwater_data_bytes", Help: "Size of the files of a part of the data directory; -1 if unknown.",
		ConstLabels: prometheus.Labels{"part": part},
	}, func() float64 {
		n, err := size()
		if err != nil {
			return -1
		}
		return float64(n)
	}))
}

// Disk exports the size of a directory's file system and the space that is free for this
// process. It exports nothing on systems that do not report it.
func Disk(r prometheus.Registerer, dir string) {
	if _, _, err := diskOf(dir); err != nil {
		return
	}
	gauge := func(name, help string, of func(size, free uint64) uint64) {
		r.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, func() float64 {
			size, free, err := diskOf(dir)
			if err != nil {
				return -1
			}
			return float64(of(size, free))
		}))
	}
	gauge("headwater_disk_size_bytes", "Size of the file system of the data directory.", func(size, _ uint64) uint64 { return size })
	gauge("headwater_disk_free_bytes", "Bytes that are free in the file system of the data directory.", func(_, free uint64) uint64 { return free })
}

// Backup exports the time of the newest backup, 0 if none is known.
func Backup(r prometheus.Registerer, newest func() time.Time) {
	r.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "headwater_backup_timestamp_seconds", Help: "When the newest backup of the embedded store was made with headwater backup; 0 when there was none.",
	}, func() float64 {
		if at := newest(); !at.IsZero() {
			return float64(at.Unix())
		}
		return 0
	}))
}
