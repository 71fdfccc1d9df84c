package playground_test

import (
	"fmt"
	"strings"
	"testing"
)

// shows waits until a channel shows exactly messages with these texts, in this order,
// from the message that begins with the first text on.
func (b *browser) shows(texts ...string) {
	b.t.Helper()
	quoted := make([]string, len(texts))
	for i, text := range texts {
		quoted[i] = fmt.Sprintf("%q", text)
	}
	b.until(`((all) => JSON.stringify(all.slice(all.indexOf(` + quoted[0] + `))) === JSON.stringify([` + strings.Join(quoted, ",") + `]))([...document.querySelectorAll(".msg .body")].map((m) => m.innerText))`)
}

// TestWhatOneTabDoesTheOtherShows opens the page twice. Every change in one tab must
// appear in the other exactly once: messages, edits, deletions, reactions, channels,
// people and exports.
func TestWhatOneTabDoesTheOtherShows(t *testing.T) {
	t.Parallel()
	s := open(t)
	one := visit(t, s.url)
	two := one.tab(s.url)
	two.until(`document.querySelectorAll("#log .msg").length >= 14`)
	for _, b := range []*browser{one, two} {
		b.open("# sandbox")
	}
	one.say("from one")
	two.say("from two")
	for _, b := range []*browser{one, two} {
		b.shows("from one", "from two")
	}
	bothAtOnce(one, two)
	oneChangesWhatTheOtherEdits(one, two)
	placesOfTheOther(one, two)
	one.untroubled()
	two.untroubled()
}

// bothAtOnce asks in both tabs at the same time. Both tabs must show each question
// once, with one answer.
func bothAtOnce(one, two *browser) {
	one.t.Helper()
	for _, b := range []*browser{one, two} {
		b.js(`import("/compose.js").then((c) => c.set("@heddle and this?"))`)
	}
	for _, b := range []*browser{one, two} {
		b.js(`document.getElementById("form").requestSubmit()`)
	}
	for _, b := range []*browser{one, two} {
		b.until(`document.querySelectorAll(".msg.bot .buttons").length === 2 && document.querySelectorAll(".msg").length === 6`)
	}
	one.js(`document.querySelector(".msg.bot .rate.good").click()`)
	two.until(`document.querySelector(".msg.bot .rate.good").textContent === "1"`)
}

// oneChangesWhatTheOtherEdits deletes a message in one tab while the other is editing
// it. The message must be gone, and the text being written must stay.
func oneChangesWhatTheOtherEdits(one, two *browser) {
	one.t.Helper()
	one.say("to be edited")
	for _, b := range []*browser{one, two} {
		b.until(`[...document.querySelectorAll(".msg .body")].at(-1).innerText === "to be edited"`)
	}
	two.choose(`[...document.querySelectorAll(".msg")].at(-1)`, "Edit")
	two.write(", at length")
	one.choose(`[...document.querySelectorAll(".msg")].at(-1)`, "Delete")
	one.until(`!document.getElementById("toast").hidden`)
	one.js(`[...document.querySelectorAll("#toast button")].at(-1).click()`)
	two.until(`![...document.querySelectorAll(".msg .body")].some((m) => m.innerText === "to be edited")`)
	two.press("Enter")
	two.patiently(`document.getElementById("fault").textContent === "that message is gone" && document.getElementById("write").value === "to be edited, at length"`)
	two.faults = nil // of the edit that was refused
	two.press("Escape")
	two.until(`document.getElementById("write").value === ""`)
}

// placesOfTheOther adds channels, people and exports in one tab. The other must show
// them with their messages, and keep the text being written there.
func placesOfTheOther(one, two *browser) {
	one.t.Helper()
	two.js(`document.getElementById("write").focus()`)
	two.write("half a sen")
	one.js(`document.getElementById("new-channel").click()`)
	one.fill(map[string]string{"name": "looms"})
	one.until(`document.getElementById("channel").textContent === "# looms"`)
	one.js(`[...document.querySelectorAll("#exports button")].find((x) => x.textContent === "Open the sample").click()`)
	one.until(`document.getElementById("channel").textContent === "# commons" && document.querySelectorAll("#log .msg").length === 97`)
	two.until(`["looms", "commons"].every((name) => [...document.querySelectorAll("#channels button")].some((b) => b.textContent.startsWith("# " + name)))`)
	two.until(`document.getElementById("channel").textContent === "# sandbox" && document.getElementById("write").value === "half a sen"`)
	two.open("# commons")
	two.until(`document.querySelectorAll("#log .msg").length === 97`)
}

// TestADraftStays types in one channel, visits another, and reloads the page. The typed
// text must still be there, with the message that it replies to.
func TestADraftStays(t *testing.T) {
	t.Parallel()
	b := visit(t, open(t).url)
	b.choose(`[...document.querySelectorAll(".msg")].at(-6)`, "Reply")
	b.write("of course, a cake")
	drafted := func() {
		b.t.Helper()
		b.until(`document.getElementById("write").value === "of course, a cake" && document.getElementById("doing-text").textContent.startsWith("Replying to Ines: what can I bring")`)
	}
	b.open("# sandbox")
	b.until(`document.getElementById("write").value === "" && document.getElementById("doing").hidden`)
	b.write("hm")
	b.open("# workshop")
	drafted()

	b.call("Page.reload", nil, nil)
	b.until(`document.querySelectorAll("#log .msg").length >= 14`)
	drafted()
	b.write(" or two")
	b.press("Enter")
	b.until(`[...document.querySelectorAll(".msg")].at(-1).innerText.includes("of course, a cake or two") && document.getElementById("write").value === ""`)
	b.until(`[...document.querySelectorAll(".msg")].at(-1).querySelector(".quote").textContent.startsWith("Ines: what can I bring")`)
	b.open("# sandbox")
	b.until(`document.getElementById("write").value === "hm"`)
	b.untroubled()
}
