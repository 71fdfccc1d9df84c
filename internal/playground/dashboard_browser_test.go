package playground_test

import (
	"context"
	"testing"
	"time"

	"heddle/graph"
	"heddle/graph/path"
	"heddle/internal/dashboard"
	"heddle/internal/drawing"
	"heddle/internal/playground"
	"heddle/store"
)

// TestTheDashboardInABrowser shows an answer whose names and texts are markup, first hidden
// and then shown.
func TestTheDashboardInABrowser(t *testing.T) {
	const markup = `<img src=x onerror=alert(1)>`
	said := func(minute int) graph.Message {
		at := time.Date(2026, 3, 1, 12, minute, 0, 0, time.UTC)
		return graph.Message{ID: graph.FirstMessageID(at), Time: at, Author: 7, Name: markup, Text: markup}
	}
	g := &graph.Graph{Trigger: said(5), Conversation: []graph.Node{{Message: new(said(1)), Probability: 0.8, Reasons: []graph.Reason{{Kind: graph.ReasonSeed}}}}}
	for name, text := range map[string]func(graph.ChannelID, graph.MessageID) (string, string, bool){
		"hidden": nil,
		"shown":  func(graph.ChannelID, graph.MessageID) (string, string, bool) { return markup, markup, true },
	} {
		d := dashboard.New(drawing.Settings{})
		s, err := d.Start(context.WithoutCancel(t.Context()), dashboard.Serving{
			Address: "127.0.0.1:0", Text: text, Modules: playground.Web(),
			Pulse: func() []dashboard.Reading {
				return []dashboard.Reading{
					{Name: "connected", Value: 1},
					{Name: "model_up"},
					{Name: "ratings_total", Labels: map[string]string{"rating": "good"}, Value: 3},
					{Name: "ratings_total", Labels: map[string]string{"rating": "bad"}, Value: 1},
				}
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = s.Close() })
		d.Begins(9, g, path.Build(g, path.Shape{System: "Be kind."}))
		d.Made(&store.Response{ID: store.ResponseID{1}, Input: store.Input{Tail: markup + "secret"}}, g, path.Build(g, path.Shape{System: "Be kind."}))
		b := browse(t, "http://"+s.Address())
		b.until(`document.querySelectorAll("#answers button").length === 1 && document.querySelector(".tile.bad b").textContent === "away"`)
		b.until(`[...document.querySelectorAll(".tile")].some((tile) => tile.textContent === "ratings3 / 1good / bad")`)
		b.js(`document.querySelector("#answers button").click()`)
		b.until(`document.querySelectorAll("#graph .row").length === 2 && document.querySelectorAll("#graph .turns tbody tr").length === 4`)
		b.until(`document.querySelector("#graph tr.tail .turn").textContent === "(34 characters)" && !document.body.innerText.includes("secret")`)
		want := map[string]string{"hidden": "person 1 (28 characters)", "shown": markup + " " + markup}[name]
		if got := b.js(`document.querySelector("#graph .row .text").textContent`); got != want {
			t.Errorf("%s: the row says %q, want %q", name, got, want)
		}
		b.until(`!document.querySelector("main img, #graph script")`)
		b.shot("dashboard-" + name)
		if len(b.faults) > 0 {
			t.Errorf("the page complained: %v, want none", b.faults)
		}
	}
}
