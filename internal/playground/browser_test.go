package playground_test

import (
	"os"
	"path/filepath"
	"testing"
)

// TestThePageInABrowser uses the page as a person would, step by step.
func TestThePageInABrowser(t *testing.T) {
	b := visit(t, open(t).url)
	b.until(`document.activeElement.id === "write"`)
	b.until(`!document.querySelector("link[rel$=preload], link[rel=stylesheet], script:not([type=module])")`) // they would delay the first paint
	b.shot("1-open")
	openOnAnAnswer(b)
	askByAnIdea(b)
	rate(b)
	askAfresh(b)
	writeMarkup(b)
	completeEditDelete(b)
	replyAsAnother(b)
	visitDirectMessages(b)
	b.untroubled()
}

// openOnAnAnswer looks at what is there from the start: an answer, lit with what it was made
// from, and what a bot that reads the last 30 messages would have got.
func openOnAnAnswer(b *browser) {
	b.t.Helper()
	const lit = `[...document.querySelectorAll("#log .msg")].filter((m) => m.matches(".in")).length`
	b.until(`(([, read, sent, held, of, others]) => ` + lit + ` == read && read > 20 && sent > 0 && of === read && Number(held) + Number(others) === 30 && Number(held) < of && (window.others = Number(others)))(
		/^heddle read (\d+) messages as the conversation, and (\d+) as background\. A bot that reads the last 30 gets (\d+) of the (\d+), and (\d+) others\.$/.exec(document.getElementById("sum").innerText.replace(/\s+/g, " ")))`)
	b.until(last + `.matches(".answer") && ` + last + `.innerText.includes("Written for this demo")`)
	b.js(`document.querySelector("#sum .last").click()`)
	b.until(lit + ` < 30 && document.querySelectorAll("#log .msg.stray").length === others && document.activeElement.matches("#sum .last[aria-pressed=true]")`)
	b.js(`document.querySelector("#sum .heddle").click()`)
	b.until(`!document.querySelector("#log .stray")`)
	b.until(`[...document.querySelectorAll("#why .reason")].every((r) => /^(surely|likely|perhaps) · /.test(r.innerText) === Boolean(r.closest(".in"))) && !document.getElementById("why").innerText.includes("%")`)
	b.js(`document.getElementById("exact").click()`)
	b.until(`/\d%/.test(document.querySelector("#why li.in").innerText)`)
}

// askByAnIdea clicks an idea, which asks heddle, and then looks at why the answer was
// given.
func askByAnIdea(b *browser) {
	b.t.Helper()
	b.js(`document.querySelector("#ideas button").click()`)
	b.until(last + `.innerText.includes("Then Ines asked: ")`)
	b.until(sameInBoth)
	b.until(`((left) => left(".msg:not(.in, .asked, .answer)") - left(".msg.in") === 24)((of) => parseFloat(getComputedStyle(document.querySelector(of), "::before").left))`)
	b.until(`[...` + last + `.querySelectorAll(".buttons button")].map((b) => b.textContent + b.disabled).join(" ") === "↻false ⋯false"`)
	b.until(`document.querySelector("#why li.asked").innerText.includes("what do we eat on friday")`)
	b.shot("2-answer")
	b.press("Escape")
	b.until(`!document.querySelector("#log.parted") && !document.querySelector("#why li.in")`)
	b.js(last + `.querySelector(".because").click()`)
	b.until(sameInBoth + ` && document.activeElement.id === "why"`)
}

// sameInBoth is an expression that is true if the panel and the log show the same messages as the
// conversation.
const sameInBoth = `((count) => count("#why li.in") > 10 && count("#why li.in") === count("#log .msg.in"))((of) => document.querySelectorAll(of).length)`

// rate lets two people rate an answer. One of them takes the rating back.
func rate(b *browser) {
	b.t.Helper()
	rated := func(want string) {
		b.t.Helper()
		b.until(`[...` + last + `.querySelectorAll(".rate")].map((r) => r.textContent + r.ariaPressed).join(" ") === "` + want + `"`)
	}
	rated("false false")
	b.js(last + `.querySelector(".rate.good").focus()`)
	b.press("Enter")
	rated("1true false")
	b.js(`document.querySelectorAll("#people input")[1].click()`)
	rated("1false false")
	b.js(last + `.querySelector(".rate.good").click()`)
	rated("2true false")
	b.js(last + `.querySelector(".rate.good").click()`)
	rated("1false false")
	b.until(`document.activeElement.matches(".msg.bot .rate.good")`)
	b.js(`document.querySelectorAll("#people input")[0].click()`)
}

// askAfresh asks for another answer. While it is made, the button is gone. Afterwards the focus
// returns to it.
func askAfresh(b *browser) {
	b.t.Helper()
	b.js(`[...` + last + `.querySelectorAll(".buttons button")].find((b) => b.textContent === "↻").focus()`)
	b.press("Enter")
	b.until(`document.activeElement.matches(".msg.bot")`)
	b.until(`document.activeElement.matches(".msg.bot .buttons button") && document.activeElement.textContent === "↻"`)
	b.until(last + `.querySelector(".buttons").innerText.includes("2/2")`)
	b.js(`document.getElementById("close").click()`)
	b.until(`!document.querySelector("#log.parted") && !document.querySelector("#why li")`)
}

// writeMarkup checks that markup in messages is shown as text.
func writeMarkup(b *browser) {
	b.t.Helper()
	b.open("# sandbox")
	b.js(`document.getElementById("write").focus()`)
	b.write("<img src=x onerror=alert(1)> **bold** `code` <script>1</script>")
	b.press("Enter")
	b.until(`document.querySelector("#log .body strong").textContent === "bold" && document.querySelector("#log .body code")`)
	b.until(`!document.querySelector("#log img, #log script") && document.querySelector("#log .body").textContent.startsWith("<img")`)
}

// completeEditDelete completes a name, and edits and deletes a message of one's own.
func completeEditDelete(b *browser) {
	b.t.Helper()
	b.write("@Cle")
	b.until(`document.querySelectorAll("#names li").length === 1`)
	b.press("Enter")
	b.until(`document.getElementById("write").value === "@Cleo "`)
	b.write("are you there?")
	b.press("Enter")
	b.until(`document.querySelector(".msg .at").textContent === "@Cleo"`)
	b.press("ArrowUp")
	b.until(`document.getElementById("write").value === "@Cleo are you there?" && !document.getElementById("doing").hidden`)
	b.write(" or not?")
	b.press("Enter")
	b.until(`[...document.querySelectorAll(".msg")].at(-1).innerText.includes("or not?") && document.querySelector(".msg .edited")`)
	b.shot("3-edited")
	b.choose(`[...document.querySelectorAll(".msg")].at(-1)`, "Delete")
	b.until(`document.querySelectorAll(".msg").length === 1 && document.activeElement.matches(".msg")`)
	b.js(`[...document.querySelectorAll("#toast button")].find((b) => b.textContent === "Undo").click()`)
	b.until(`document.querySelectorAll(".msg").length === 2 && document.activeElement.innerText.includes("or not?")`)
	b.press("Delete")
	b.until(`document.querySelectorAll(".msg").length === 1`)
	b.js(`[...document.querySelectorAll("#toast button")].at(-1).click()`)
	b.until(`fetch("/api/world").then((r) => r.json()).then((w) => !w.messages.some((m) => m.content.includes("or not?")))`)
}

// choose clicks what the menu of a message offers.
func (b *browser) choose(message, item string) {
	b.t.Helper()
	b.js(message + `.querySelector(".more").click()`)
	b.until(`document.querySelector(".menu [role=menuitem]")`)
	b.js(`[...document.querySelectorAll(".menu [role=menuitem]")].find((b) => b.textContent === "` + item + `").click()`)
}

// replyAsAnother replies as another person, who must not be able to edit the message.
func replyAsAnother(b *browser) {
	b.t.Helper()
	b.js(`document.querySelectorAll("#people input")[1].click()`)
	b.js(`document.querySelector(".msg .more").click()`)
	b.until(`[...document.querySelectorAll(".menu button")].map((b) => b.textContent).join(" ") === "Reply From what? Copy text Start a thread Show context"`)
	b.js(`document.querySelector(".menu button").click()`)
	b.write("indeed")
	b.press("Enter")
	b.until(`[...document.querySelectorAll(".msg")].at(-1).querySelector(".quote").textContent === "Ada: <img src=x onerror=alert(1)> bold code <script>1</script>"`)
	b.press("Enter") // an empty message is not sent
	b.until(`document.querySelectorAll(".msg").length === 2 && document.getElementById("fault").textContent === ""`)
}

// visitDirectMessages checks that each person sees only their own direct messages.
func visitDirectMessages(b *browser) {
	b.t.Helper()
	b.js(`[...document.querySelectorAll("#channels button")].at(-1).click()`)
	b.until(`document.getElementById("topic").textContent.startsWith("direct messages of Bo")`)
	b.js(`document.querySelectorAll("#people input")[3].click()`)
	b.until(`document.getElementById("topic").textContent.startsWith("direct messages of Dev")`)
	b.until(`document.querySelectorAll("#channels button").length === 5`)
}

// shot saves a picture if HEDDLE_PICTURES names a directory.
func (b *browser) shot(name string) {
	b.t.Helper()
	if folder := os.Getenv("HEDDLE_PICTURES"); folder != "" {
		b.picture(filepath.Join(folder, name+".png"))
	}
}
