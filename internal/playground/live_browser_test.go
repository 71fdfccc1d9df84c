package playground_test

import (
	"context"
	"io"
	"net/http"
	"testing"
	"time"

	"heddle/bot/answer"
	"heddle/bot/conversation"
	"heddle/graph"
	"heddle/graph/path"
	"heddle/internal/errtest"
	"heddle/internal/playground"
	"heddle/store"
)

// TestTheViewOnARunningHeddle shows an answer whose names and texts are markup, with lengths
// in their place.
func TestTheViewOnARunningHeddle(t *testing.T) {
	const markup = `<img src=x onerror=alert(1)>`
	said := func(minute int) graph.Message {
		at := time.Date(2026, 3, 1, 12, minute, 0, 0, time.UTC)
		return graph.Message{ID: graph.FirstMessageID(at), Time: at, Author: 7, Name: markup, Text: markup}
	}
	g := &graph.Graph{Trigger: said(5), Conversation: []graph.Node{{Message: new(said(1)), Probability: 0.8, Reasons: []graph.Reason{{Kind: graph.ReasonSeed}}}}}
	recent := answer.NewRecent()
	l := playground.NewLive(conversation.Settings{}, recent)
	s := errtest.Must(l.Start(context.WithoutCancel(t.Context()), playground.Serving{
		Address: "127.0.0.1:0",
		Counts: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, "# TYPE heddle_connected gauge\nheddle_connected 1\nheddle_model_up 0\n"+
				"heddle_ratings_total{rating=\"good\"} 3\nheddle_ratings_total{rating=\"bad\"} 1\n")
		}),
	}))(t)
	t.Cleanup(func() { _ = s.Close() })
	recent.Made(&store.Response{ID: store.ResponseID{1}, Input: store.Input{Tail: markup + "secret"}}, g, path.Build(g, path.Shape{System: "Be kind."}))
	recent.Shows([]graph.MessageID{1, 2}, store.ResponseID{1})
	b := browse(t, "http://"+s.Address())
	b.until(`document.querySelectorAll("#answers button").length === 1 && document.querySelector(".tile.bad b").textContent === "away"`)
	b.until(`[...document.querySelectorAll(".tile")].some((tile) => tile.textContent === "ratings3 / 1good / bad")`)
	b.js(`document.querySelector("#answers button").click()`)
	b.until(`document.querySelectorAll("#graph .row").length === 2 && document.querySelectorAll("#graph .turns tbody tr").length === 4`)
	b.until(`document.querySelector("#graph tr.tail .turn").textContent === "(34 characters)" && !document.body.innerText.includes("secret")`)
	const want = "person 1 (28 characters)"
	if got := b.js(`document.querySelector("#graph .row .text").textContent`); got != want {
		t.Errorf("the row says %q, want %q", got, want)
	}
	b.until(`!document.querySelector("main img, #graph script")`)
	if shown := b.js(`fetch("/api/answers").then((r) => r.json()).then((all) => String(all[0].shown))`); shown != "2" {
		t.Errorf("%v messages are said to show the answer, want 2", shown)
	}
	b.shot("dashboard")
	b.untroubled()
}
