// Package progress shows the progress of long commands.
package progress

import (
	"io"
	"os"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// Bar shows progress on a terminal, and nothing anywhere else. The zero Bar shows nothing.
type Bar struct{ shown *progressbar.ProgressBar }

// New returns a bar with a number of steps. about describes what is being done, in one
// word.
func New(w io.Writer, steps int, about string) Bar {
	return onTerminal(w, steps, about, progressbar.OptionShowCount(), progressbar.OptionSetPredictTime(true))
}

// Bytes returns a bar that counts bytes up to size, or without an end if size is -1.
func Bytes(w io.Writer, size int64, about string) Bar {
	return onTerminal(w, int(size), about, progressbar.OptionShowBytes(true))
}

func onTerminal(w io.Writer, steps int, about string, options ...progressbar.Option) Bar {
	if f, ok := w.(*os.File); !ok || !term.IsTerminal(int(f.Fd())) {
		return Bar{}
	}
	options = append(options, progressbar.OptionSetWriter(w), progressbar.OptionSetDescription(about), progressbar.OptionClearOnFinish())
	return Bar{progressbar.NewOptions(steps, options...)}
}

// WatchedSize is the size in bytes from which on Reading shows progress.
const WatchedSize = 64 << 20

// Reading returns a reader of f that shows its progress on w until end is called. about
// describes what is being done.
func Reading(w io.Writer, f *os.File, about string) (r io.ReadSeeker, end func()) {
	info, err := f.Stat()
	if err != nil || info.Size() < WatchedSize {
		return f, func() {}
	}
	bar := Bytes(w, info.Size(), about)
	return &reader{f, bar, 0}, bar.End
}

// reader shows its place in a file.
type reader struct {
	*os.File

	bar Bar
	at  int64
}

func (r *reader) Read(p []byte) (int, error) {
	n, err := r.File.Read(p)
	r.reach(r.at + int64(n))
	return n, err
}

func (r *reader) Seek(offset int64, whence int) (int64, error) {
	at, err := r.File.Seek(offset, whence)
	r.reach(at)
	return at, err
}

func (r *reader) reach(at int64) {
	r.at = at
	if r.bar.shown != nil {
		_ = r.bar.shown.Set64(at) // a bar that cannot be drawn is no reason to stop
	}
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
