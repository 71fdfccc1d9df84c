package playground_test

import (
	"fmt"
	"testing"

	"heddle/graph"
)

// TestWhatThePageMakesInABrowser makes threads, posts, channels and people, and sends files, as
// on Discord.
func TestWhatThePageMakesInABrowser(t *testing.T) {
	t.Parallel()
	b := visit(t, open(t).url)
	startAThread(b)
	postInAForum(b)
	addAPerson(b)
	keepAChannelPrivate(b)
	sendFiles(b)
	renderMarkdown(b)
	b.untroubled()
}

// fill types into the fields of the dialog that is open, and sends it.
func (b *browser) fill(fields map[string]string) {
	b.t.Helper()
	b.until(`document.getElementById("dialog").open`)
	for field, value := range fields {
		b.js(fmt.Sprintf(`document.querySelector("dialog [name='%s']").value = %q`, field, value))
	}
	b.js(`document.querySelector("dialog .send").click()`)
}

// open leads to a channel by what it is called in the list.
func (b *browser) open(channel string) {
	b.t.Helper()
	find := fmt.Sprintf(`[...document.querySelectorAll("#channels button")].find((b) => b.textContent.startsWith(%q))`, channel)
	b.until(find)
	b.js(find + `.click()`)
}

// say writes a message and sends it.
func (b *browser) say(text string) {
	b.t.Helper()
	b.js(`document.getElementById("write").focus()`)
	b.write(text)
	b.press("Enter")
	b.until(`document.getElementById("write").value === ""`)
}

func (b *browser) untroubled() {
	b.t.Helper()
	if len(b.faults) > 0 {
		b.t.Errorf("the page complained: %v, want none", b.faults)
	}
}

// A thread starts from a message, stands below its channel, and heddle answers in it.
func startAThread(b *browser) {
	b.t.Helper()
	b.choose(`document.querySelectorAll(".msg")[2]`, "Start a thread")
	b.fill(map[string]string{"name": "the 502s"})
	b.until(`document.getElementById("channel").textContent === "↳ the 502s" && document.querySelector("#topic .up").textContent === "in # workshop"`)
	b.say("@heddle still broken?")
	b.until(`document.querySelector(".msg.bot .body").innerText.includes("I'm a demo")`)
	b.js(`document.querySelector("#topic .up").click()`)
	b.until(`document.querySelector(".msg .thread").textContent === "↳ the 502s"`)
	b.js(`document.querySelector(".msg .thread").click()`)
	b.until(`document.querySelector("#channels li.below button[aria-current=true]").textContent.includes("the 502s")`)
}

// A forum lists its posts, each of which is a thread.
func postInAForum(b *browser) {
	b.t.Helper()
	b.js(`document.getElementById("new-channel").click(); document.querySelector("dialog [name=forum]").click()`)
	b.fill(map[string]string{"name": "help"})
	b.until(`document.getElementById("channel").textContent === "▤ help" && !document.getElementById("posts").hidden && document.getElementById("write").disabled`)
	b.js(`document.querySelector("#posts .send").click()`)
	b.fill(map[string]string{"name": "Which yarn?", "content": "wool or cotton?"})
	b.until(`document.getElementById("channel").textContent === "↳ Which yarn?" && document.querySelector(".msg .body").textContent === "wool or cotton?"`)
	b.open("▤ help")
	b.until(`document.querySelector("#posts li").innerText.includes("Ada: wool or cotton?")`)
	b.shot("chat-forum")
}

// Somebody new can be added, and mentioned by name.
func addAPerson(b *browser) {
	b.t.Helper()
	b.js(`document.querySelector("#people .everybody").click()`)
	b.fill(map[string]string{"person": "Eve"})
	b.until(`document.querySelector("#people input:checked + span").textContent === "Eve"`)
	b.open("# sandbox")
	b.say("hello, @Eve and @Bo")
	b.until(`[...document.querySelectorAll(".msg .at")].map((a) => a.textContent).join(" ") === "@Eve @Bo"`)
}

// A private channel is for those who were chosen, and for heddle only if it is let in.
func keepAChannelPrivate(b *browser) {
	b.t.Helper()
	b.js(`document.getElementById("new-channel").click()`)
	b.js(`for (const box of ["private", "heddle"]) document.querySelector("dialog [name=" + box + "]").click()`)
	b.fill(map[string]string{"name": "secrets"})
	b.until(`document.getElementById("channel").textContent === "# secrets" && document.getElementById("topic").textContent.includes("heddle does not see it")`)
	b.js(`[...document.querySelectorAll("#people input")].find((i) => i.parentElement.textContent === "Bo").click()`)
	b.until(`document.getElementById("channel").textContent === "# workshop" && ![...document.querySelectorAll("#channels button")].some((b) => b.textContent.includes("secrets"))`)
}

// Files are shown or offered, never run.
func sendFiles(b *browser) {
	b.t.Helper()
	b.open("# sandbox")
	b.js(`import("/compose.js").then((c) => c.attach([new File(["<script>1</script>"], "x.html", { type: "text/html" }),
		new File([Uint8Array.from(atob("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="), (c) => c.charCodeAt(0))], "dot.png")]))`)
	b.until(`document.querySelectorAll("#files-chosen li").length === 2`)
	b.js(`document.getElementById("form").requestSubmit()`)
	b.until(`document.querySelector(".msg .picture img").naturalWidth === 1`)
	b.until(`fetch(document.querySelector(".msg .file").href).then((r) => r.headers.get("Content-Type") === "application/octet-stream" && r.headers.get("Content-Disposition").startsWith("attachment") && r.headers.get("Content-Security-Policy").includes("sandbox"))`)
	b.shot("chat-files")
}

// Markdown looks as on Discord, and a spoiler opens.
func renderMarkdown(b *browser) {
	b.t.Helper()
	b.js(`import("/compose.js").then((c) => c.set("# Plan\n- one\n  - two\n1. first\n> quoted\n**bold *both*** ~~gone~~ __under__ ||secret|| <t:0:D>\nhttps://example.com/a_b_c. [here](https://example.org/x)\n-# small"))`)
	b.js(`document.getElementById("form").requestSubmit()`)
	b.until(`((m) => m && m.querySelector("h3").textContent === "Plan" && m.querySelector("ul ul li").textContent === "two" && m.querySelector("ol li").textContent === "first" &&
		m.querySelector("blockquote").textContent === "quoted" && m.querySelector("strong em").textContent === "both" && m.querySelector("s").textContent === "gone" &&
		m.querySelector("u").textContent === "under" && m.querySelector("time.stamp").dateTime.startsWith("1970") && m.querySelector("small").textContent === "small" &&
		[...m.querySelectorAll("a")].map((a) => a.href).join(" ") === "https://example.com/a_b_c https://example.org/x")([...document.querySelectorAll(".msg .body")].at(-1))`)
	b.choose(`[...document.querySelectorAll(".msg")].at(-1)`, "Reply")
	b.until(`document.getElementById("doing-text").textContent.endsWith(": Plan one two first quoted bold both gone under (spoiler) January 1, 1970 https://example.com/a_b_c. here small")`)
	b.press("Escape")
	b.js(`[...document.querySelectorAll(".msg .spoiler")].at(-1).click()`)
	b.until(`document.querySelector(".msg .spoiler.shown").textContent === "secret"`)
	b.shot("chat-markdown")
}

// leadsFar goes to a message as soon as its channel is entered, when no height in it is known.
// The message must be in the middle of the view.
func leadsFar(b *browser) {
	b.t.Helper()
	b.open("# sandbox")
	b.js(`import("/log.js").then((log) => log.lead((window.one = document.querySelectorAll("#log .msg")[50]).dataset.id))`)
	const middle = `((r) => r.top + r.bottom)`
	b.until(`Math.abs(` + middle + `(one.getBoundingClientRect()) - ` + middle + `(document.getElementById("scroll").getBoundingClientRect())) < 4`)
}

// nothingJumps asks of a message in the midst of a long channel what it would be answered
// from, looks at every tab and closes them, on a desk and on a phone. The message stays where
// it is.
func nothingJumps(b *browser) {
	b.t.Helper()
	for _, screen := range []struct {
		width, height int
		phone         bool
	}{{1280, 800, false}, {375, 667, true}} {
		b.call("Emulation.setDeviceMetricsOverride", map[string]any{"width": screen.width, "height": screen.height, "deviceScaleFactor": 1, "mobile": screen.phone}, nil)
		b.js(`window.one = document.querySelectorAll("#log .msg")[120]; one.scrollIntoView()`)
		const settled = `new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(() => done(true)))))`
		b.until(settled)
		b.js(`window.stood = one.getBoundingClientRect().top`)
		for _, step := range []struct{ act, shows string }{
			{`one.querySelector("[data-key=preview]").click()`, `document.querySelector("#graph .row.asked") && document.querySelector("#log .asked") === one`},
			{`document.getElementById("tab-tune").click()`, `document.querySelector("#tune tbody")`},
			{`document.getElementById("tab-why").click()`, `document.querySelector("#why li.asked")`},
			{`document.querySelector("#sum .last").click()`, `document.querySelector("#sum .last[aria-pressed=true]")`},
			{`document.getElementById("close").click()`, `!document.querySelector("#log.parted")`},
		} {
			b.js(step.act)
			b.until(step.shows)
			b.until(settled)
			if moved := b.js(`String(Math.round(one.getBoundingClientRect().top - stood))`); moved != "0" {
				b.t.Errorf("%d pixels wide, after %s the message moved by %s pixels, want it to stay", screen.width, step.act, moved)
			}
		}
	}
	b.call("Emulation.clearDeviceMetricsOverride", nil, nil)
}

// TestLongChannelsDrawOnlyWhatChanged counts what is written to the page when one message of a
// long channel changes, is new or goes. The page never holds so many messages that drawing
// them takes long.
func TestLongChannelsDrawOnlyWhatChanged(t *testing.T) {
	t.Parallel()
	s := open(t)
	w := s.world(t)
	sandbox, ada := w.channel(t, "sandbox"), w.People[0].ID
	var last struct{ ID graph.MessageID }
	for i := range 600 {
		s.call(t, "/api/post", map[string]any{"channel": sandbox, "author": ada, "content": fmt.Sprintf("message %d", i), "replyTo": "0"}, &last)
	}
	b := visit(t, s.url)
	leadsFar(b)
	b.until(`document.querySelectorAll("#log .msg").length === 100`)
	b.js(`document.querySelector("#log .earlier").click()`)
	b.until(`document.querySelectorAll("#log .msg").length === 200`)
	b.until(`new Promise((done) => requestAnimationFrame(() => done(!document.querySelector("#log .whole"))))`)
	b.js(`window.written = 0; new MutationObserver((all) => { for (const one of all) written += one.type === "attributes" ? 1 : one.addedNodes.length + one.removedNodes.length; })
		.observe(document.getElementById("log"), { childList: true, subtree: true, attributes: true })`)
	for _, c := range []struct{ path, content, shows string }{
		{"/api/post", "one more", `[...document.querySelectorAll(".msg")].at(-1).textContent.includes("one more")`},
		{"/api/edit", "another text", `document.querySelectorAll(".msg")[199].textContent.includes("another text")`},
		{"/api/delete", "", `document.querySelectorAll(".msg").length === 200`},
	} {
		b.js(`written = 0`)
		change := map[string]any{"channel": sandbox, "author": ada, "content": c.content}
		if c.path == "/api/post" {
			change["replyTo"] = "0"
		} else {
			change["message"] = last.ID
		}
		s.call(t, c.path, change, &struct{}{})
		b.until(c.shows)
		const most = "20" // nodes and attributes
		if got := b.js(`String(written <= ` + most + ` && written > 0 || written)`); got != "true" {
			t.Errorf("%s among 600 messages writes %s nodes and attributes, want at most %s", c.path, got, most)
		}
	}
	nothingJumps(b)
	if stops := b.js(`[...document.querySelectorAll("#log :not(.earlier)")].filter((n) => n.tabIndex >= 0).length`); stops != "4" {
		t.Errorf("Tab stops %s times in the log, want at one message and its three buttons", stops)
	}
	b.js(`import("/log.js").then((log) => log.toEnd())`)
	b.until(atEnd + ` && !document.querySelector("#log .msg .body").checkVisibility({ contentVisibilityAuto: true })`) // what is far away is left out
	for range 110 {                                                                                                    // more than it holds
		s.call(t, "/api/post", map[string]any{"channel": sandbox, "author": ada, "content": "and on", "replyTo": "0"}, &last)
	}
	b.until(`document.querySelector('#log [data-id="` + last.ID.String() + `"]') && document.querySelectorAll("#log .msg").length === 209 && document.querySelector("#log .earlier") && ` + atEnd)
	b.untroubled()
}
