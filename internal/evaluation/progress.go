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

// watchedSize is the size in bytes from which on the progress of a reading is shown.
const watchedSize = 64 << 20

// reading returns a reader of f that shows on w how far it is, until end is called.
func reading(w io.Writer, f *os.File) (r io.Reader, end func()) {
	info, err := f.Stat()
	if err != nil || info.Size() < watchedSize {
		return f, func() {}
	}
	b := progress(w, int(info.Size()), "read")
	if b.shown == nil {
		return f, func() {}
	}
	return io.TeeReader(f, b.shown), b.end
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
