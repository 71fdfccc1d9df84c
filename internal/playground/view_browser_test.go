package playground_test

import (
	"bytes"
	"fmt"
	"testing"
)

// TestTheGraphAndTheThresholdsInABrowser opens the sample, previews the context of a
// message, and moves thresholds.
func TestTheGraphAndTheThresholdsInABrowser(t *testing.T) {
	b := visit(t, open(t).url)
	b.js(`[...document.querySelectorAll("#exports button")].find((x) => x.textContent === "Open the sample").click()`)
	b.until(`document.getElementById("channel").textContent === "# commons" && document.querySelectorAll("#log .msg").length === 97`)
	lookAtTheGraph(b)
	moveThresholds(b)
	b.untroubled()
}

// lookAtTheGraph checks the graph of the last question: lanes, edges by kind, rounds,
// and the reason for each message, using the pointer and the keyboard.
func lookAtTheGraph(b *browser) {
	b.t.Helper()
	b.js(`[...document.querySelectorAll(".msg")].findLast((m) => m.textContent.includes("do I still need two litres")).querySelector("[data-key=preview]").click()`)
	b.until(`document.querySelector("#graph .row.asked") && document.querySelectorAll("#graph .row.in").length > 3 && document.querySelector("#log.parted .msg.in")`)
	b.until(`document.querySelector("#graph .edge.inferred") && document.querySelector("#graph .edge.reference") && document.querySelector("#graph .edge.temporal")`)
	b.until(`new Set([...document.querySelectorAll("#graph circle.node")].map((n) => n.getAttribute("cx"))).size >= 3`)
	b.until(`document.querySelector("#graph .steps output").textContent.startsWith("round ")`)
	b.shot("view-1-graph")
	b.js(`document.querySelector("#graph .row[tabindex='0']").focus()`)
	b.press("ArrowUp")
	b.until(`document.activeElement.matches("#graph .row") && document.querySelector("#graph .detail li")`)
	was := b.js(`document.querySelector("#graph .detail").innerText`)
	b.press("ArrowUp")
	b.until(fmt.Sprintf(`document.querySelector("#graph .detail").innerText !== %q`, was))
	b.js(`(() => { const s = document.querySelector("#graph .steps input"); s.value = 0; s.dispatchEvent(new Event("input")); })()`)
	b.until(`document.querySelector("#graph .steps output").textContent.startsWith("the newest: ") && document.querySelector("#graph .row.later")`)
	b.until(`document.querySelectorAll("#graph .turns tbody tr").length >= 5 && /^[0-9a-f]{8}$/.test(document.querySelector("#graph .turns code").textContent)`)
	b.until(`document.querySelector("#graph .turns tbody tr:last-child").innerText.includes("two litres")`)
}

// TestTalksAreDrawnApart draws two talks, one after the other in one column, and seven
// more beside them. Each has a line of its own that passes beside no other talk, and none
// has the colour of the conversation.
func TestTalksAreDrawnApart(t *testing.T) {
	t.Parallel()
	b := visit(t, open(t).url)
	var talks []struct {
		Column, Talk, From, To int
		Colour                 string
	}
	b.read(`import("/graph.js").then(async ({ drawGraph }) => {
		const lanes = {}, explored = [];
		const say = (talk, column) => { const id = String(4194304n * BigInt(explored.length + 1)); lanes[id] = { talk, column };
			explored.push({ id, name: "u", text: "talk " + talk, time: new Date(1.7e12 + explored.length * 6e4).toISOString(), reasons: [] }); };
		say(1, 1); say(1, 1); say(2, 1); say(2, 1);
		for (let talk = 3; talk < 10; talk++) { say(talk, talk - 1); }
		for (let talk = 3; talk < 10; talk++) { say(talk, talk - 1); }
		say(0, 0);
		const panel = document.createElement("div"); panel.id = "drawn"; panel.style.height = "1200px"; document.body.append(panel);
		drawGraph(panel, { graph: { trigger: explored.pop(), conversation: [], background: [], recalled: [], explored, edges: [], seals: [] }, lanes, path: { steps: [], turns: [] } }, { jump() {} });
		await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
		panel.querySelector(".row.folded").click();
		const rows = [...panel.querySelectorAll(".row")].map((r) => parseFloat(r.style.top));
		const half = (rows[1] - rows[0]) / 2;
		const at = (y) => rows.findIndex((top) => Math.abs(top + half - y) < 1);
		return [...panel.querySelectorAll("line.lane")].map((l) => { const from = at(Number(l.getAttribute("y1"))), to = at(Number(l.getAttribute("y2")));
			const id = [...explored, { id: "trigger" }][from].id; return { from, to, column: lanes[id]?.column ?? 0, talk: lanes[id]?.talk ?? 0, colour: l.getAttribute("class") }; });
	})`, &talks)
	b.untroubled()
	if want := 10; len(talks) != want {
		t.Fatalf("%d lines are drawn, want %d, one for each talk: %+v", len(talks), want, talks)
	}
	for i, one := range talks {
		if (one.Talk == 0) != (one.Colour == "lane lane0") {
			t.Errorf("talk %d is drawn as %q, want %q for the conversation alone", one.Talk, one.Colour, "lane lane0")
		}
		for _, other := range talks[i+1:] {
			if one.Column == other.Column && one.From <= other.To && other.From <= one.To {
				t.Errorf("the line of talk %d, %d to %d, passes beside talk %d, %d to %d, want them apart", one.Talk, one.From, one.To, other.Talk, other.From, other.To)
			}
		}
	}
}

// moveThresholds moves thresholds. The chosen messages change without asking a model,
// and are compared with simpler strategies.
func moveThresholds(b *browser) {
	b.t.Helper()
	b.js(`document.getElementById("tab-tune").click()`)
	b.until(`document.querySelectorAll("#tune .slider").length === 4 && document.querySelectorAll("#tune thead th").length === 5`)
	set := func(name, value string) {
		b.js(fmt.Sprintf(`(() => { const s = document.getElementById("set-%s"); s.value = %q; s.dispatchEvent(new Event("input")); })()`, name, value))
	}
	// heddle's column counts everything that is sent, with its characters, as those beside it do.
	const counted = `(() => { const rows = [...document.querySelectorAll("#tune tbody tr")].filter((r) => r.cells[1].textContent !== "·");
		return document.querySelector("#tune tfoot td").textContent === String(rows.length) && rows.length; })()`
	b.until(counted + ` > document.querySelectorAll("#log .msg.in").length && document.querySelector("#tune .copy").disabled`)
	set("AFFINITY", "0")
	b.until(counted + ` >= 30 && document.querySelectorAll("#log .msg.in").length === 30`)
	set("MAX_TOTAL", "12")
	b.until(counted + ` >= 12 && document.querySelectorAll("#log .msg.in").length === 12`)
	b.js(`document.querySelector("#tune .copy").click()`)
	b.until(`document.querySelector("#tune .env").value === "MAX_TOTAL=12\nAFFINITY=off\n"`)
	b.until(`document.getElementById("set-MAX_TOTAL").getAttribute("aria-valuetext") === "12"`)
	b.shot("view-2-tune")
	b.js(`document.querySelector("#tune .reset").click()`)
	b.until(`document.querySelectorAll("#log .msg.in").length !== 12 && document.getElementById("set-MAX_TOTAL").value === "30"`)
}

// TestThousandsOfMessagesAreDrawnInView previews a message of a long export with a
// graph of two thousand messages. Only those in view may be nodes of the page.
func TestThousandsOfMessagesAreDrawnInView(t *testing.T) {
	s := open(t)
	var made imported
	s.drop(t, "long.json", bytes.NewReader(longExport(2500).Bytes()), &made)
	b := visit(t, s.url)
	b.js(`[...document.querySelectorAll("#channels button")].find((x) => x.textContent === "# long").click()`)
	b.until(`document.querySelector("#log .earlier") && document.querySelectorAll("#log .msg").length === 100`)
	b.js(bigGraph(2000))
	b.until(`document.querySelectorAll("#big .row").length > 5 && document.querySelectorAll("#big .row").length < 80`)
	drawn := b.js(`(() => { const s = document.querySelector("#big .strands"); const begin = performance.now(); let worst = 0;
		for (let i = 0; i < 100; i++) { const at = performance.now(); s.scrollTop = s.scrollHeight * i / 100; s.dispatchEvent(new Event("scroll")); worst = Math.max(worst, performance.now() - at); }
		return Math.round((performance.now() - begin) / 100) + " ms a step, the worst " + Math.round(worst) + ", " + document.querySelectorAll("#big .row").length + " rows"; })()`)
	t.Logf("scrolling through 2,000 messages: %s", drawn)
	b.js(`document.getElementById("big").remove()`)
	walkThroughALongChannel(b)
	b.untroubled()
}

// walkThroughALongChannel reads a channel from its beginning on. The page holds what is around
// the place where somebody reads: what comes next is a click away, and what stood on the screen
// stays there. What is written comes after the message in view.
func walkThroughALongChannel(b *browser) {
	b.t.Helper()
	const texts = `[...document.querySelectorAll("#log .msg .body")].map((m) => m.textContent.split(",")[0])`
	acts := `[...document.querySelectorAll("#overview .acts button")]`
	b.until(acts + `.length === 2`)
	b.js(acts + `[0].click()`)
	b.until(texts + `[0] === "message 0" && ` + texts + `.at(-1) === "message 99" && !document.querySelector("#log .earlier:first-child") && document.activeElement === document.querySelector("#log .msg")`)
	b.js(`(window.stood = [...document.querySelectorAll("#log .msg")].at(-1)).scrollIntoView(); window.top0 = stood.getBoundingClientRect().top; document.querySelector("#log .earlier:last-child").click()`)
	b.until(texts + `[0] === "message 0" && ` + texts + `.at(-1) === "message 199" && Math.abs(stood.getBoundingClientRect().top - top0) < 2`)
	b.js(`document.querySelector("#log .earlier:last-child").click()`)
	b.until(texts + `[0] === "message 99" && ` + texts + `.at(-1) === "message 299" && document.querySelector("#log .earlier:first-child")`)
	b.say("and now?")
	b.until(`((at, all) => at > 0 && at < all.length - 1)(` + texts + `.indexOf("and now?"), ` + texts + `)`)
}

// bigGraph returns a script that draws a graph of n messages.
func bigGraph(n int) string {
	return fmt.Sprintf(`(async () => { const { drawGraph } = await import("/graph.js");
		const id = (i) => String(4194304n * BigInt(i + 1));
		const node = (i) => ({ id: id(i), name: "u" + i %% 7, text: "message " + i, time: new Date(1.7e12 + i * 6e4).toISOString(), probability: 0.9, reasons: [{ kind: "reference", text: "seems to answer another", round: i %% 9, probability: 0.5 }] });
		const all = Array.from({ length: %d }, (_, i) => node(i));
		const lanes = Object.fromEntries(all.map((m, i) => [m.id, { talk: i %% 5, column: i %% 5 }]));
		const edges = all.slice(5).map((m, i) => ({ from: m.id, to: id(i), kind: "reference", reference: i %% 2 ? "reply" : "inferred", probability: 0.6 }));
		const graph = { trigger: all.at(-1), conversation: all.slice(0, -1), background: [], recalled: [], explored: [], edges, seals: [], rounds: 8, threshold_seconds: 600 };
		const panel = document.createElement("div"); panel.id = "big"; panel.style.height = "700px"; panel.style.display = "flex"; panel.style.flexDirection = "column"; document.body.append(panel);
		drawGraph(panel, { graph, lanes, path: { steps: [], turns: [] } }, { jump() {} }); })()`, n)
}
