package evaluation

import (
	"context"

	"heddle/internal/chatlog"
	"heddle/internal/progress"
	"heddle/internal/retention"
)

// measureRetention implements "heddle eval -retention".
func (f *evalFlags) measureRetention(ctx context.Context, logs []*chatlog.Log, streams chatlog.Streams) error {
	bar := progress.New(streams.Err, len(logs), "replay")
	report, err := retention.Measure(ctx, logs, retention.DefaultSimulation(), bar.Done)
	bar.End()
	if err != nil {
		return err
	}
	return f.write(report, streams.Out)
}
