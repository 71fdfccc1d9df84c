package cli

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"
)

// stalling is a writer whose writes wait until it is read.
type stalling struct {
	read chan struct{} // closed when somebody begins to read

	mu   sync.Mutex
	text strings.Builder
}

func (s *stalling) Write(text []byte) (int, error) {
	<-s.read
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(text)
}

func TestRecordsOfALogThatNobodyReadsAreKeptInOrderAndCountedWhenTheyAreLost(t *testing.T) {
	t.Parallel()
	const over = 5
	to := &stalling{read: make(chan struct{})}
	told := make(chan int64, 1)
	log := newRecords(to, func(lost int64) { told <- lost })
	log.last = time.Hour
	// The first record waits in the writer, and so many wait behind it.
	for i := range 1 + mostRecords + over {
		_, _ = fmt.Fprintf(log, "record %d\n", i)
	}
	if got := log.Lost(); got != over {
		t.Errorf("%d records were lost, want %d", got, over)
	}
	close(to.read)
	if got := <-told; got != over {
		t.Errorf("when the log is read again, %d records are said to be lost, want %d", got, over)
	}
	_, _ = fmt.Fprintln(log, "the end")
	log.Close()
	var want strings.Builder
	for i := range 1 + mostRecords {
		fmt.Fprintf(&want, "record %d\n", i)
	}
	want.WriteString("the end\n")
	if got := to.text.String(); got != want.String() {
		t.Errorf("the log begins %.60q and ends %q, want every record up to %d in order, and then %q", got, got[max(0, len(got)-40):], mostRecords, "the end")
	}
}

func TestARecordIsWrittenWhenWriteReturns(t *testing.T) {
	t.Parallel()
	to := &stalling{read: make(chan struct{})}
	close(to.read)
	log := newRecords(to, func(int64) {})
	log.each, log.last = time.Hour, time.Hour
	defer log.Close()
	for i := range 100 {
		_, _ = fmt.Fprintf(log, "%d ", i)
		to.mu.Lock()
		text := to.text.String()
		to.mu.Unlock()
		if want := fmt.Sprintf("%d ", i); !strings.HasSuffix(text, want) {
			t.Fatalf("after a record was logged, the log ends with %q, want %q", text[max(0, len(text)-10):], want)
		}
	}
}
