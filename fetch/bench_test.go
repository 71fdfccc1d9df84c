package fetch_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"runtime"
	"strconv"
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

func filled(b *testing.B, n int) *fetch.History {
	b.Helper()
	h, err := fetch.NewHistory(noCaller{}, fetch.Options{Messages: n + n/8 + 1000, Bytes: 1 << 40})
	if err != nil {
		b.Fatal(err)
	}
	for i := range n {
		h.Create(chat(i))
	}
	return h
}

// BenchmarkWarmContext reads what a mention reads: the last 100 messages, and 30
// messages that are referred to, with their neighbours.
func BenchmarkWarmContext(b *testing.B) {
	for _, n := range []int{10_000, 100_000, 1_000_000} {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			h := filled(b, n)
			trigger := chat(n - 1).ID
			b.ReportAllocs()
			b.ResetTimer()
			for range b.N {
				m := h.Mention(fetch.Place{Channel: 1, Trigger: trigger})
				source := m.Source(context.Background())
				first, err := source.Read(graph.Batch{Walks: []graph.Walk{{
					Channel: 1, From: graph.Position{Anchor: trigger, Message: trigger}, Limit: 100,
				}}})
				if err != nil || len(first.Stretches[0].Messages) != 100 {
					b.Fatal(err, len(first.Stretches[0].Messages))
				}
				batch := graph.Batch{}
				for i := range 30 {
					batch.Lookups = append(batch.Lookups, graph.Lookup{Channel: 1, Message: chat(n - 9000 + i*290).ID})
				}
				found, err := source.Read(batch)
				if err != nil || found.Found[0].State != graph.ReferenceResolved {
					b.Fatal(err, found.Found[0].State)
				}
			}
		})
	}
}

// BenchmarkHeldMessage measures the time and the memory that one more message takes.
func BenchmarkHeldMessage(b *testing.B) {
	const n = 100_000
	var before, after runtime.MemStats
	for range b.N {
		runtime.GC()
		runtime.ReadMemStats(&before)
		h := filled(b, n)
		runtime.GC()
		runtime.ReadMemStats(&after)
		b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/n, "B/message")
		b.ReportMetric(float64(h.Stats().Bytes)/n, "counted-B/message")
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/message")
}

// BenchmarkCreate adds a message to a full log.
func BenchmarkCreate(b *testing.B) {
	h, err := fetch.NewHistory(noCaller{}, fetch.Options{})
	if err != nil {
		b.Fatal(err)
	}
	for i := range 10_000 {
		h.Create(chat(i))
	}
	b.ReportAllocs()
	i := 10_000
	for b.Loop() {
		h.Create(chat(i))
		i++
	}
}

func BenchmarkDecodeMessage(b *testing.B) {
	raw := []byte(`{"type":0,"tts":false,"timestamp":"2026-03-01T12:00:00.123000+00:00","pinned":false,"nonce":"1","mentions":[],"mention_roles":[],"mention_everyone":false,"member":{"roles":["1"],"nick":null,"joined_at":"2020-01-01T00:00:00+00:00"},"id":"1311000000000000001","flags":0,"embeds":[],"edited_timestamp":null,"content":"this is a line of a channel where people say things","components":[],"channel_id":"1311000000000000000","author":{"username":"ann","id":"1300000000000000000","global_name":"Ann","discriminator":"0","avatar":null},"attachments":[],"guild_id":"1311000000000000009"}`)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := discord.DecodeMessage(raw); err != nil {
			b.Fatal(err)
		}
	}
}
