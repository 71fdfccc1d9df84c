package evaluation

import (
	"io"
	"os"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// bar shows progress on a terminal, and nothing anywhere else.
type bar struct{ shown *progressbar.ProgressBar }

func progress(w io.Writer, steps int, about string) bar {
	if f, ok := w.(*os.File); !ok || !term.IsTerminal(int(f.Fd())) {
		return bar{}
	}
	return bar{progressbar.NewOptions(steps, progressbar.OptionSetWriter(w), progressbar.OptionSetDescription(about),
		progressbar.OptionShowCount(), progressbar.OptionSetPredictTime(true), progressbar.OptionClearOnFinish())}
}

func (b bar) done() {
	if b.shown != nil {
		_ = b.shown.Add(1) // a bar that cannot be drawn is no reason to stop
	}
}

func (b bar) end() {
	if b.shown != nil {
		_ = b.shown.Finish() // as above
	}
}
