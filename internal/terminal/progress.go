package terminal

import (
	"io"
	"os"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// Bar shows progress on a terminal, and nothing anywhere else. The zero Bar shows nothing.
type Bar struct{ shown *progressbar.ProgressBar }

// Steps returns a bar with a number of steps. about describes what is being done, in one
// word.
func Steps(w io.Writer, steps int, about string) Bar {
	return onTerminal(w, steps, about, progressbar.OptionShowCount(), progressbar.OptionSetPredictTime(true))
}

// Bytes returns a bar that counts bytes whose number nobody knows.
func Bytes(w io.Writer, about string) Bar {
	return onTerminal(w, -1, about, progressbar.OptionShowBytes(true))
}

func onTerminal(w io.Writer, steps int, about string, options ...progressbar.Option) Bar {
	if f, ok := w.(*os.File); !ok || !term.IsTerminal(int(f.Fd())) {
		return Bar{}
	}
	options = append(options, progressbar.OptionSetWriter(w), progressbar.OptionSetDescription(about), progressbar.OptionClearOnFinish())
	return Bar{progressbar.NewOptions(steps, options...)}
}

// Done adds a step.
func (b Bar) Done() {
	if b.shown != nil {
		_ = b.shown.Add(1) // a bar that cannot be drawn is no reason to stop
	}
}

// Write counts bytes. It never fails.
func (b Bar) Write(p []byte) (int, error) {
	if b.shown != nil {
		_ = b.shown.Add(len(p)) // as above
	}
	return len(p), nil
}

// End removes the bar.
func (b Bar) End() {
	if b.shown != nil {
		_ = b.shown.Finish() // as above
	}
}
