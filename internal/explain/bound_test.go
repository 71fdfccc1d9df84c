package explain_test

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"heddle/graph"
	"heddle/internal/explain"
)

// longExport writes an export of n messages, one a minute. Each of the last ones
// replies to a much older message, which replies to an even older one.
func longExport(tb testing.TB, n int) string {
	tb.Helper()
	file, err := os.Create(filepath.Join(tb.TempDir(), "long.json"))
	if err != nil {
		tb.Fatal(err)
	}
	buffered := bufio.NewWriter(file)
	var w io.Writer = buffered
	fmt.Fprint(w, `{"guild":{"id":"1"},"channel":{"id":"300","type":"GuildTextChat","name":"long"},"messages":[`)
	begin := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)
	id := func(i int) graph.MessageID { return graph.FirstMessageID(begin.Add(time.Duration(i) * time.Minute)) }
	for i := range n {
		reply := ""
		if target := i - n/4; target >= 0 && (i >= n-3 || i == n-1-n/4 || i == n-1-n/4*2) {
			reply = fmt.Sprintf(`,"reference":{"messageId":"%s","channelId":"300"}`, id(target))
		}
		kind := "Default"
		if reply != "" {
			kind = "Reply"
		}
		if i > 0 {
			fmt.Fprint(w, ",")
		}
		fmt.Fprintf(w, `{"id":"%s","type":%q,"timestamp":%q,"content":"message %d, with as many words as people use on a common day","author":{"id":"%d","name":"u%d","discriminator":"0000","roles":[{"id":"5","name":"member"}]},"reactions":[{"emoji":{"name":"x"},"count":1,"users":[{"id":"9","name":"z"}]}]%s}`,
			id(i), kind, begin.Add(time.Duration(i)*time.Minute).Format(time.RFC3339), i, 200+i%5, i%5, reply)
	}
	fmt.Fprintf(w, `],"messageCount":%d}`, n)
	if err := buffered.Flush(); err != nil {
		tb.Fatal(err)
	}
	if err := file.Close(); err != nil {
		tb.Fatal(err)
	}
	return file.Name()
}

// peak returns by how much the memory in use grew while f ran, at most. It reads the
// live heap after each garbage collection. Collections are frequent, so that garbage
// hardly counts.
func peak(f func()) uint64 {
	defer debug.SetGCPercent(debug.SetGCPercent(50))
	held := func() uint64 {
		live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
		metrics.Read(live)
		return live[0].Value.Uint64()
	}
	runtime.GC()
	before, most, done := held(), new(atomic.Uint64), new(atomic.Bool)
	var look func(int)
	look = func(int) { // called after each garbage collection
		most.Store(max(most.Load(), held()))
		if !done.Load() {
			runtime.AddCleanup(new([64]byte), look, 0)
		}
	}
	look(0)
	f()
	done.Store(true)
	return max(most.Load(), before) - before
}

// TestMemoryDoesNotGrowWithTheFile explains the last message of two exports, one of
// which is ten times as long as the other.
func TestMemoryDoesNotGrowWithTheFile(t *testing.T) {
	of := func(n int) (memory uint64, size int64) {
		file := longExport(t, n)
		info, err := os.Stat(file)
		if err != nil {
			t.Fatal(err)
		}
		return peak(func() {
			if err := explain.Explain(t.Context(), explain.Options{Files: []string{file}, At: "last", Format: graph.FormatText, Expand: plain()}, io.Discard); err != nil {
				t.Error(err)
			}
		}), info.Size()
	}
	short, _ := of(2_000)
	long, size := of(20_000)
	t.Logf("%d KB of memory, then %d KB for a file of %d KB", short>>10, long>>10, size>>10)
	if long > short+2<<20 {
		t.Errorf("a file ten times as long takes %d KB of memory instead of %d KB", long>>10, short>>10)
	}
}

func TestRepliesFarAboveAreFollowed(t *testing.T) {
	const n = 4000
	text := explained(t, explain.Options{Files: []string{longExport(t, n)}, At: "last", Expand: plain(), Format: graph.FormatText, Compare: []string{"chain"}})
	for _, want := range []string{"message 2999,", "message 1999,", "message 999,"} {
		if count := strings.Count(text, want); count != 1 {
			t.Errorf("%q stands %d times in\n%s\nwant 1", want, count, text)
		}
	}
}

// BenchmarkExplain reads an export of about 14 MB.
func BenchmarkExplain(b *testing.B) {
	file := longExport(b, 40_000)
	info, err := os.Stat(file)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(info.Size())
	for b.Loop() {
		if err := explain.Explain(b.Context(), explain.Options{Files: []string{file}, At: "last", Format: graph.FormatText, Expand: plain()}, io.Discard); err != nil {
			b.Fatal(err)
		}
	}
}
