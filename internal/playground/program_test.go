package playground_test

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"heddle/internal/errtest"
	"heddle/internal/openaitest"
)

// program runs "heddle try" with a scripted model, and opens its page.
func program(t *testing.T, script func(openaitest.Request) openaitest.Reply) *browser {
	t.Helper()
	model := errtest.Must(openaitest.Start(openaitest.Config{Script: script}))(t)
	t.Cleanup(func() { model.Close() })
	return visit(t, try(t, []string{"OPENAI_BASE_URL=" + model.URL(), "OPENAI_API_KEY=key", "LLM_MODEL=test-model"}))
}

// inTurn returns a script that answers with one text after another.
func inTurn(texts ...string) func(openaitest.Request) openaitest.Reply {
	next := make(chan string, len(texts))
	for _, text := range texts {
		next <- text
	}
	return func(openaitest.Request) openaitest.Reply {
		select {
		case text := <-next:
			return openaitest.Answer(words(text)...)
		default:
			return openaitest.Answer("Nothing more.")
		}
	}
}

func words(text string) []string { return strings.SplitAfter(text, " ") }

// last is an expression for heddle's last message in the channel.
const last = `[...document.querySelectorAll(".msg.bot")].at(-1)`

// button clicks a button below the last answer, by its label.
func (b *browser) button(label string) {
	b.t.Helper()
	find := `[...` + last + `.querySelectorAll(".buttons button")].find((b) => b.textContent === "` + label + `" && !b.disabled)`
	b.until(find)
	b.js(find + `.click()`)
}

// TestTheGraphShowsWhatWasSent asks for another answer and goes back to the first, while the
// tab with the graph is open. It shows the turns and the tail of the request, with tokens.
func TestTheGraphShowsWhatWasSent(t *testing.T) {
	t.Parallel()
	b := program(t, inTurn("Pizza from Da Enzo.", "Da Enzo's pizza, and a crumble."))
	b.js(`document.querySelector("#ideas button").click()`)
	b.until(last + `.innerText.includes("from Da Enzo")`)
	b.js(last + `.querySelector(".because").click()`)
	b.js(`document.getElementById("tab-graph").click()`)
	b.button("↻")
	b.until(last + `.innerText.includes("a crumble")`)
	const tail = `document.querySelector("#graph details.tail pre").textContent`
	b.until(tail + `.startsWith("Today is ") && ` + tail + `.includes("[speaker: Cleo]\n")`)
	b.until(`((counted) => counted.length > 9 && document.querySelector("#graph .way li:last-child").textContent.includes(", " + counted.reduce((a, b) => a + b).toLocaleString("en") + " tokens"))(
		[...document.querySelectorAll("#graph .turns .count")].map((c) => Number(c.textContent.replace(",", ""))))`)
	b.shot("program-sent")
	b.button("◀")
	b.until(last + `.innerText.includes("from Da Enzo")`)
	b.untroubled()
}

// TestAFailedAnswerCanBeTriedAgain has the model fail at first. The answer has a button that
// asks again.
func TestAFailedAnswerCanBeTriedAgain(t *testing.T) {
	t.Parallel()
	var failed atomic.Bool
	b := program(t, func(openaitest.Request) openaitest.Reply {
		if failed.CompareAndSwap(false, true) {
			return openaitest.Reply{Status: http.StatusNotImplemented}
		}
		return openaitest.Answer("At last.")
	})
	b.js(`document.querySelector("#ideas button").click()`)
	b.until(last + `.querySelector(".retry")`)
	b.until(`document.getElementById("announce").textContent.startsWith("heddle: ")`)
	b.js(last + `.querySelector(".retry").click()`)
	b.until(last + `.innerText.includes("At last.") && ` + last + `.querySelector(".buttons")`)
	b.untroubled()
}
