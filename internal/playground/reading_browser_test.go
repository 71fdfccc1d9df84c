package playground_test

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"heddle/graph"
	"heddle/internal/errtest"
	"heddle/internal/openaitest"
)

// atEnd is an expression that is true if the newest message is in view.
const atEnd = `((s) => s.scrollHeight - s.scrollTop - s.clientHeight < 2)(document.getElementById("scroll"))`

// TestTheNewestMessageStaysInView lets an answer grow, and turns to the graph beside it.
// The page stays at the newest message if it was there, and does not scroll if the
// reader had scrolled up.
func TestTheNewestMessageStaysInView(t *testing.T) {
	t.Parallel()
	more, end := make(chan struct{}), make(chan struct{})
	b := program(t, func(openaitest.Request) openaitest.Reply {
		reply := openaitest.Answer(strings.Repeat("a line\n", 40)+"one\n", strings.Repeat("a line\n", 4)+"two\n", "three")
		reply.Chunks[1].Wait, reply.Chunks[2].Wait = more, end
		return reply
	})
	b.until(atEnd)
	b.js(`document.querySelector("#ideas button").click()`)
	says := last + `.querySelector(".body").innerText`
	b.until(says + `.includes("one") && ` + atEnd)
	b.js(`document.getElementById("tab-graph").click()`)
	b.until(`document.querySelector("#graph .row") && ` + atEnd)
	b.js(`document.getElementById("scroll").scrollTop -= 300`)
	b.until(`new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))`)
	close(more)
	b.until(says + `.includes("two")`)
	close(end)
	b.until(says + `.includes("three") && ` + last + `.querySelector(".buttons")`)
	b.until(`new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))`)
	if b.js(`String(`+atEnd+`)`) == "true" {
		t.Error("the page scrolled to the end although the reader had scrolled up")
	}
	b.untroubled()
}

// TestLongAndForeignNamesKeepTheirPlace writes with names and words that are as long as
// Discord allows or written from right to left. On a small phone they must not be wider
// than the screen.
func TestLongAndForeignNamesKeepTheirPlace(t *testing.T) {
	t.Parallel()
	s := open(t)
	sandbox := s.world(t).channel(t, "sandbox")
	var last struct{ ID graph.MessageID }
	for _, name := range []string{strings.Repeat("W", 32), "محمد عبد الله"} {
		var made struct{ ID graph.UserID }
		s.call(t, "/api/people", map[string]any{"name": name}, &made)
		s.call(t, "/api/channels", map[string]any{"name": strings.Repeat("a-long-name-", 8)}, &struct{}{})
		for _, text := range []string{strings.Repeat("longword", 60), "שלום עולם! and English, 80 %.", "https://example.com/" + strings.Repeat("a", 300)} {
			status := s.call(t, "/api/post", map[string]any{
				"channel": sandbox, "author": made.ID, "content": text, "replyTo": last.ID,
				"files": []any{map[string]any{"name": strings.Repeat("n", 200) + ".txt", "data": []byte("x")}},
			}, &last)
			if status != http.StatusOK {
				t.Fatalf("%q is refused with %d, want %d", text, status, http.StatusOK)
			}
		}
	}
	b := browse(t, s.url)
	b.call("Emulation.setDeviceMetricsOverride", map[string]any{"width": 360, "height": 740, "deviceScaleFactor": 1, "mobile": true}, nil)
	b.call("Emulation.setTouchEmulationEnabled", map[string]any{"enabled": true}, nil)
	b.until(`document.querySelectorAll("#log .msg").length >= 14`)
	b.open("# sandbox")
	b.js(`[...document.querySelectorAll("#people input")].find((i) => i.parentElement.textContent.startsWith("WW")).click()`)
	b.say("@heddle well?")
	b.until(`document.querySelector(".msg.bot .buttons")`)
	for _, view := range []string{`document.getElementById("close").click()`, `document.querySelector(".msg.bot .because").click()`, `document.getElementById("tab-graph").click()`, `document.getElementById("tab-tune").click()`} {
		b.js(view)
		b.until(`document.getAnimations().length === 0`)
		b.shot("names-" + b.js(`document.querySelector("body.asked-why [role=tab][aria-selected=true]")?.textContent ?? "chat"`))
		var wide []string
		b.read(`[...document.querySelectorAll(".msg, .msg *, .why p, .why p *, .why button, .compose > *, .about")].filter((n) => n.checkVisibility() && !n.closest("pre, .people, .tools, svg, .unseen, .quote *"))
			.filter((n) => n.getBoundingClientRect().right > innerWidth + 1).map((n) => n.tagName + "." + n.className)`, &wide)
		for _, one := range wide {
			t.Errorf("after %s, %s is wider than the screen, want everything to fit", view, one)
		}
	}
	b.until(`getComputedStyle([...document.querySelectorAll(".msg .who")].find((n) => n.textContent.startsWith("م"))).unicodeBidi === "isolate"`)
	b.until(`getComputedStyle(document.querySelector(".msg .body p")).unicodeBidi === "plaintext"`)
	b.untroubled()
}

// TestTheSheetHidesNoMessage goes from a reason to its message on a phone, and from the card of
// an export to one that stood behind the card for a while. Each must be visible above the sheet.
func TestTheSheetHidesNoMessage(t *testing.T) {
	t.Parallel()
	b := browse(t, open(t).url)
	b.call("Emulation.setDeviceMetricsOverride", map[string]any{"width": 360, "height": 740, "deviceScaleFactor": 1, "mobile": true}, nil)
	b.call("Emulation.setEmulatedMedia", map[string]any{"features": []any{map[string]any{"name": "prefers-reduced-motion", "value": "reduce"}}}, nil)
	b.until(`document.querySelectorAll("#log .msg").length >= 14`)
	b.js(`document.querySelector("#ideas button").click()`)
	b.until(last + `.querySelector(".buttons")`)
	b.js(last + `.querySelector(".because").click()`)
	b.until(`document.querySelector("#why li.in")?.checkVisibility()`)
	for _, which := range []string{"0", "-2"} { // the last one is an answer that is higher than what is left of the screen
		b.js(`[...document.querySelectorAll("#why li.in button")].at(` + which + `).click()`)
		b.until(`((m) => m.matches(".msg") && m.getBoundingClientRect().top >= document.getElementById("scroll").getBoundingClientRect().top &&
			m.getBoundingClientRect().bottom <= document.querySelector(".why").getBoundingClientRect().top)(document.activeElement)`)
	}
	b.js(`[...document.querySelectorAll("#exports button")].find((one) => one.textContent === "Open the sample").click()`)
	b.until(`document.querySelectorAll("#log .msg").length === 97 && document.querySelector("#overview .moments button")?.checkVisibility()`)
	for range 10 {
		b.until(`new Promise((done) => requestAnimationFrame(() => done(true)))`)
	}
	b.js(`document.querySelector("#overview .moments button").click()`)
	b.until(`((m, s) => m.top > s.top - 1 && m.bottom < s.bottom + 1)(document.querySelector("#log .asked").getBoundingClientRect(), document.getElementById("scroll").getBoundingClientRect())`)
	b.untroubled()
}

// TestAPhoneIsForReading opens the page on a small phone. Most of it is for messages; people
// and ideas are folded away, and the sheet can be drawn up and down.
func TestAPhoneIsForReading(t *testing.T) {
	t.Parallel()
	b := visit(t, open(t).url)
	b.call("Emulation.setDeviceMetricsOverride", map[string]any{"width": 375, "height": 667, "deviceScaleFactor": 1, "mobile": true}, nil)
	b.call("Emulation.setTouchEmulationEnabled", map[string]any{"enabled": true}, nil)
	b.until(`document.getElementById("scroll").clientHeight >= 440 && document.getElementById("sum").checkVisibility()`)
	b.until(`!document.getElementById("people").checkVisibility() && !document.getElementById("ideas").checkVisibility()`)
	b.js(`document.getElementById("fold").click()`)
	b.until(`document.getElementById("people").checkVisibility() && document.getElementById("ideas").checkVisibility()`)
	b.js(`document.querySelector("#ideas button").click()`)
	b.until(last + `.querySelector(".buttons") && !document.getElementById("ideas").checkVisibility()`)
	draw := func(from, to string) {
		b.t.Helper()
		for i, kind := range []string{"mousePressed", "mouseMoved", "mouseReleased"} {
			y := []string{from, to, to}[i]
			b.call("Input.dispatchMouseEvent", map[string]any{"type": kind, "x": 187, "y": errtest.Must(strconv.Atoi(b.js(`Math.round(` + y + `)`)))(t), "button": "left", "buttons": 1, "clickCount": 1}, nil)
		}
	}
	const grip = `document.getElementById("grip").getBoundingClientRect().top + 22`
	draw(grip, "250")
	b.until(`document.querySelector("#why li.in").checkVisibility() && Math.abs(` + grip + ` - 250) < 3`)
	draw(grip, "640")
	b.until(`!document.querySelector("#why li.in").checkVisibility() && document.getElementById("scroll").clientHeight >= 440`)
	b.untroubled()
}

// tabTo presses Tab until an element of a kind has the focus.
func (b *browser) tabTo(modifiers int, kind string) {
	b.t.Helper()
	const most = 15 // most presses of Tab that are acceptable
	for range most {
		b.hold(modifiers, "Tab")
		if b.js(fmt.Sprintf(`String(document.activeElement.matches(%q))`, kind)) == "true" {
			return
		}
	}
	b.t.Fatalf("%d times Tab lead to no %s, want one to be reached", most, kind)
}

// TestTheKeyboardIsEnough asks, reads why, walks through the graph and closes it, using
// the keyboard only. The focus must never be lost, and Escape must not remove what was
// typed.
func TestTheKeyboardIsEnough(t *testing.T) {
	t.Parallel()
	b := visit(t, open(t).url)
	b.until(`document.activeElement.id === "write"`)
	b.write("@heddle what was wrong?")
	b.press("Enter")
	b.until(last + `.querySelector(".buttons")`)
	b.tabTo(shift, ".msg.bot")
	b.press("Enter")
	b.until(`document.activeElement.matches(".menu button")`)
	b.press("Escape")
	b.until(`document.activeElement.matches(".msg.bot")`)
	b.tabTo(0, ".because")
	b.press("Enter")
	b.until(`document.activeElement.id === "why" && document.querySelector("#why li.in")`)
	b.tabTo(shift, "#tab-why")
	b.press("ArrowRight")
	b.until(`document.activeElement.id === "tab-graph" && document.querySelector("#graph .row")`)
	b.tabTo(0, "#graph .row")
	b.press("ArrowUp")
	b.until(`document.activeElement.matches("#graph .row") && !document.activeElement.matches(".asked")`)
	b.press("Escape")
	b.until(`document.activeElement.matches(".msg.bot") && !document.querySelector("#log.parted") && !document.querySelector("#graph .row")`)
	b.tabTo(0, "#write")
	b.write("half a thought")
	b.press("Escape")
	b.until(`document.getElementById("write").value === "half a thought"`)
	b.choose(`document.querySelector(".msg")`, "Reply")
	b.until(`!document.getElementById("doing").hidden`)
	b.press("Escape")
	b.until(`document.getElementById("doing").hidden && document.getElementById("write").value === "half a thought"`)
	b.js(`{ const more = document.querySelector(".msg .more"); more.click(); more.replaceWith(more.cloneNode(true)) }`) // as if the message was drawn anew
	b.until(`document.activeElement.matches(".menu button")`)
	b.press("Escape")
	b.untroubled()
}
