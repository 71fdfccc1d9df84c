package terminal

import (
	"io"
	"os"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// Bar shows progress on a terminal, and nothing anywhere else.
type Bar struct{ *progressbar.ProgressBar }

// Steps returns a bar with a number of steps. about describes what is being done, in one
// word.
func Steps(w io.Writer, steps int, about string) Bar {
	return newBar(w, steps, about, progressbar.OptionShowCount(), progressbar.OptionSetPredictTime(true))
}

// Bytes returns a bar that counts bytes whose number nobody knows.
func Bytes(w io.Writer, about string) Bar {
	return newBar(w, -1, about, progressbar.OptionShowBytes(true))
}

func newBar(w io.Writer, steps int, about string, options ...progressbar.Option) Bar {
	f, file := w.(*os.File)
	return Bar{progressbar.NewOptions(steps, append(options,
		progressbar.OptionSetWriter(w), progressbar.OptionSetVisibility(file && term.IsTerminal(int(f.Fd()))),
		progressbar.OptionSetDescription(about), progressbar.OptionClearOnFinish(),
	)...)}
}

// Done adds a step.
func (b Bar) Done() { _ = b.Add(1) } // a bar that cannot be drawn is no reason to stop

// Write counts bytes. It never fails.
func (b Bar) Write(p []byte) (int, error) {
	_ = b.Add(len(p)) // as above
	return len(p), nil
}

// End removes the bar.
func (b Bar) End() { _ = b.Finish() } // as above
