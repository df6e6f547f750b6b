package app

import (
	"context"
	"fmt"

	"github.com/headwater-io/headwater/app/config"
	"github.com/headwater-io/headwater/graphstore/embedded"
)

// Backup describes a backup file of the embedded store.
type Backup = embedded.Backup

// WriteBackup writes the embedded store of the settings into a file, in its state at one
// moment. The server may run meanwhile. If file is a directory, the backup is a new file in
// it, named after the time.
func WriteBackup(ctx context.Context, settings *config.Server, file string) (Backup, error) {
	if err := onlyEmbedded(settings); err != nil {
		return Backup{}, err
	}
	return embedded.WriteBackup(ctx, settings.Data, file)
}

// RestoreBackup makes a backup the store of the settings' data directory. The directory
// must have no store.
func RestoreBackup(ctx context.Context, settings *config.Server, file string) (Backup, error) {
	if err := onlyEmbedded(settings); err != nil {
		return Backup{}, err
	}
	return embedded.RestoreBackup(ctx, file, settings.Data)
}

// CheckBackup reads a backup completely, and returns an error if it is damaged.
func CheckBackup(ctx context.Context, file string) (Backup, error) {
	return embedded.CheckBackup(ctx, file)
}

func onlyEmbedded(settings *config.Server) error {
	if settings.Graph == config.Embedded {
		return nil
	}
	return fmt.Errorf("the setting graph names %s, and these backups are of the embedded store; back up Neo4j with its own tools, or use headwater export (docs/backup.md)", settings.GraphRedacted())
}
