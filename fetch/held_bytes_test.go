package fetch_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"runtime"
	"testing"

	"heddle/fetch"
	"heddle/graph"
	"heddle/internal/discord"
)

// noCaller is a Caller that fails, for logs that must not read.
type noCaller struct{}

func (noCaller) Get(context.Context, string, url.Values) (json.RawMessage, error) {
	return nil, errors.New("read while warm")
}

// chat returns the i-th message of a channel. It has 60 characters, and every fourth
// message is a reply.
func chat(i int) *discord.Message {
	m := &discord.Message{
		ID: graph.MessageID(i+1) << 22, Channel: 1, Present: discord.HasAuthor | discord.HasContent,
		Author:  discord.User{ID: graph.UserID(i%40 + 1), Name: fmt.Sprint("person ", i%40)},
		Content: fmt.Sprintf("this is line %8d of a channel where people say things.", i),
	}
	m.Time = m.ID.Time()
	if i%4 == 0 && i > 20 {
		m.Type = discord.TypeReply
		m.Reference = &discord.Reference{Message: graph.MessageID(i-10) << 22, Channel: 1}
	}
	return m
}

// TestTheBoundOfLogsIsThatOfTheMemory fills the logs of many channels far over a bound, and
// measures what they hold.
func TestTheBoundOfLogsIsThatOfTheMemory(t *testing.T) {
	const bound = 16 << 20
	before := inUse()
	h := fetch.NewBounded(noCaller{}, 10_000, bound)
	for n := range 100_000 {
		m := chat(n)
		m.Channel = graph.ChannelID(n%50 + 1)
		h.Create(m)
	}
	held := inUse() - before
	if _, counted := h.Held(); counted > bound || held > bound {
		t.Errorf("%d bytes are counted and %d held, want at most %d", counted, held, bound)
	}
	runtime.KeepAlive(h)
}

// inUse returns the bytes of heap in use after garbage was collected. What sync.Pools hold
// survives the first collection.
func inUse() int64 {
	runtime.GC()
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return int64(stats.HeapAlloc)
}
