package llm_test

import (
	"strings"
	"testing"
	"time"

	"heddle/graph/path"
	"heddle/internal/openaitest"
	"heddle/llm"
)

// thirty returns a request with thirty turns of 200 characters, as in a busy channel.
func thirty() llm.Request {
	request := question()
	for range 30 {
		request.Path.Turns = append(request.Path.Turns, said("Ada", strings.Repeat("words of any kind ", 11)))
	}
	return request
}

// BenchmarkStreamedChunk decodes a stream. One operation is one chunk.
func BenchmarkStreamedChunk(b *testing.B) {
	server, client := setup(b, nil)
	var all strings.Builder
	for range b.N {
		all.WriteString(openaitest.Event(`{"id":"chatcmpl-1","object":"chat.completion.chunk","created":1,"model":"m",` +
			`"choices":[{"index":0,"delta":{"content":" word"},"finish_reason":null}]}`))
	}
	server.Queue(openaitest.Reply{Chunks: []openaitest.Chunk{{Raw: all.String()}}, FinishReason: "stop"})
	b.ReportAllocs()
	b.ResetTimer()
	if _, err := client.Stream(b.Context(), question(), func(llm.Delta) {}); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkFirstByte measures the time from the call of Stream to the arrival of the
// request at a server on loopback, over an open connection.
func BenchmarkFirstByte(b *testing.B) {
	var arrived time.Time
	server, err := openaitest.Start(openaitest.Config{Script: func(openaitest.Request) openaitest.Reply {
		arrived = time.Now()
		return openaitest.Answer("yes")
	}})
	if err != nil {
		b.Fatal(err)
	}
	client, err := llm.New(llm.Config{BaseURL: server.URL(), Model: "m"})
	if err != nil {
		b.Fatal(err)
	}
	defer func() {
		client.Close()
		_ = server.Close()
	}()
	request := thirty()
	var total time.Duration
	b.ReportAllocs()
	for b.Loop() {
		began := time.Now()
		if _, err := client.Stream(b.Context(), request, nil); err != nil {
			b.Fatal(err)
		}
		total += arrived.Sub(began)
	}
	b.ReportMetric(float64(total.Microseconds())/float64(b.N), "µs-to-wire/op")
}

// BenchmarkRender renders one turn of 200 characters.
func BenchmarkRender(b *testing.B) {
	turn := said("Ada", strings.Repeat("words of any kind ", 11))
	b.ReportAllocs()
	for b.Loop() {
		llm.Render(turn)
	}
}

// BenchmarkCountTurn counts one turn of 200 characters.
func BenchmarkCountTurn(b *testing.B) {
	counter := llm.NewCounter("gpt-4o")
	turn := path.Turn{Role: path.RoleUser, Speaker: "Ada", Parts: []path.Part{path.Text(strings.Repeat("words of any kind ", 11))}}
	b.ReportAllocs()
	for b.Loop() {
		counter.Turn(b.Context(), turn)
	}
}
