package playground_test

import (
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"heddle/graph"
)

// overview is what the card of a channel says.
type overview struct {
	Messages int `json:"messages"`
	People   []struct {
		ID   graph.UserID `json:"id"`
		Name string       `json:"name"`
	} `json:"people"`
	Moments []struct {
		Message message `json:"message"`
		People  int     `json:"people"`
		Crossed int     `json:"crossed"`
	} `json:"moments"`
}

// talks is an export of messages, each of which may reply to one before it.
func talks(lines ...[3]string) string {
	said := make([]string, len(lines))
	for i, line := range lines {
		reply := ""
		if line[1] != "" {
			reply = fmt.Sprintf(`,"type":"Reply","reference":{"messageId":%q}`, line[1])
		}
		said[i] = fmt.Sprintf(`{"id":"%d","content":%q,"author":{"id":"%d","name":%q}%s}`, i+1, line[2], 100+line[0][0], line[0], reply)
	}
	return `{"channel":{"id":"2","name":"talks"},"messages":[` + strings.Join(said, ",") + `]}`
}

// TestTheCardFindsWhereTalksCross imports two talks, and counts the replies of one that cross
// those of the other: not those that stand in a row, or within the span of another.
func TestTheCardFindsWhereTalksCross(t *testing.T) {
	t.Parallel()
	s := open(t)
	var made imported
	s.drop(t, "talks.json", strings.NewReader(talks(
		[3]string{"ada", "", "the loom does not start any more"}, [3]string{"bo", "1", "is it plugged in at the wall?"},
		[3]string{"cleo", "", "who eats with us this evening?"}, [3]string{"ada", "2", "it is, and the light is on"},
		[3]string{"dev", "3", "I do, if there is something hot"}, [3]string{"bo", "4", "then it is the belt, I think"},
		[3]string{"cleo", "5", "soup"}, [3]string{"dev", "1", "I looked at my own one: all good"}, [3]string{"eve", "", "a notice that nobody asked for"},
	)), &made)
	var o overview
	if status := s.call(t, "/api/overview/"+made.Channel.String(), nil, &o); status != http.StatusOK {
		t.Fatalf("status %d, want %d", status, http.StatusOK)
	}
	if o.Messages != 9 || len(o.People) != 5 || len(o.Moments) != 1 {
		t.Fatalf("the card says %+v, want 9 messages, 5 people and 1 moment, as all are near one another", o)
	}
	if m := o.Moments[0]; m.Message.Content != "then it is the belt, I think" || m.People != 4 || m.Crossed != 2 {
		t.Errorf("the moment is %+v, want the last long reply that crosses another, with 4 people and 2 crossings before it", m)
	}
	for words, want := range map[string]int{"": 0, "IS": 5, "the bo": 2, "the\tLOOM ada": 1, "[(*": 0, "no such": 0} {
		var found struct {
			Found    int       `json:"found"`
			Messages []message `json:"messages"`
		}
		s.call(t, "/api/found/"+made.Channel.String()+"?words="+strings.NewReplacer(" ", "+", "\t", "%09").Replace(words), nil, &found)
		if found.Found != want || len(found.Messages) != want {
			t.Errorf("%q is found %d times, %d shown, want %d", words, found.Found, len(found.Messages), want)
		}
	}
	var refused imported
	if status := s.call(t, "/api/overview/77", nil, &refused); status != http.StatusNotFound || refused.Error == "" {
		t.Errorf("the card of another channel: status %d, %q, want %d and a sentence", status, refused.Error, http.StatusNotFound)
	}
}

// TestAnExportOpensOnItsCard runs the playground on an export. The page opens on what it
// holds, from which one gets to busy moments, words and days, and can write as anybody in it.
func TestAnExportOpensOnItsCard(t *testing.T) {
	t.Parallel()
	b := browse(t, open(t, filepath.Join("sample", "commons.json")).url)
	b.until(`document.getElementById("channel").textContent === "# commons" && !document.getElementById("log").checkVisibility()`)
	b.until(`document.querySelector("#overview .holds").innerText.startsWith("97 messages in 1 day by 9 people.") && document.querySelectorAll("#overview .moments li").length === 5`)
	b.shot("overview-1-card")
	again := func() {
		b.t.Helper()
		b.js(`document.querySelector("#topic .up").click()`)
		b.until(`document.getElementById("overview").checkVisibility() && !document.getElementById("log").checkVisibility()`)
	}

	b.js(`document.querySelector("#overview [name=words]").focus()`)
	b.write("FLOUR strong")
	b.press("Enter")
	b.until(`document.querySelector(".found p").innerText === "1 message" && document.querySelector(".found li").innerText.includes("what flour")`)
	b.js(`document.querySelector(".found li button").focus()`)
	b.press("Enter")
	b.until(`document.activeElement.matches("#log .msg") && document.activeElement.innerText.includes("what flour") && !document.getElementById("overview").checkVisibility()`)

	again()
	b.js(`document.querySelector("#overview [name=day]").form.requestSubmit()`)
	b.until(`document.activeElement === document.querySelector("#log .msg")`)

	again()
	b.js(`document.querySelector("#overview .moments button").click()`)
	b.until(`document.querySelector("#log .msg.asked") === document.activeElement && document.querySelector("#graph .row.asked")`)
	inView := `((of) => of && of.top >= 0 && [...document.querySelectorAll("#graph .row.in")].some((row) => row.getBoundingClientRect().top >= of.top && row.getBoundingClientRect().bottom <= of.bottom))(document.querySelector("#graph .strands").getBoundingClientRect())`
	b.until(inView)
	b.shot("overview-2-moment")

	b.js(`[...document.querySelectorAll(".people button")].find((one) => one.textContent.startsWith("All ")).click()`)
	b.js(`document.querySelector("dialog select").value = [...document.querySelectorAll("dialog option")].find((one) => one.textContent === "Hana").value`)
	b.js(`document.querySelector("dialog .send").click()`)
	b.until(`document.querySelector("#people input:checked + span").textContent === "Hana"`)
	b.js(`import("/log.js").then((log) => log.toEnd())`)
	b.say("@heddle what flour was it, @Gus?")
	b.until(last + `.querySelector(".buttons") && [...document.querySelectorAll("#log .who")].at(-2).textContent === "Hana" && [...document.querySelectorAll("#log .msg")].at(-2).querySelectorAll(".at")[1].textContent === "@Gus"`)
	b.open("# workshop")
	b.until(`document.querySelectorAll("#log .msg").length >= 14 && document.querySelector("#people input:checked + span").textContent === "Hana"`)
	b.untroubled()
}

// TestOtherTalksFoldInTheGraph draws a conversation of three among many messages of other talks.
// Each run of those is one line, which opens by a key.
func TestOtherTalksFoldInTheGraph(t *testing.T) {
	t.Parallel()
	b := visit(t, open(t).url)
	b.js(`import("/graph.js").then(({ drawGraph }) => {
		const node = (i) => ({ id: String(4194304n * BigInt(i + 1)), name: "u", text: "message " + i, time: new Date(1.7e12 + i * 6e4).toISOString(), reasons: [] });
		const all = Array.from({ length: 64 }, (_, i) => node(i));
		const graph = { trigger: all[63], conversation: [all[0], all[53], all[60]], background: all.slice(1, 8), recalled: [], explored: [...all.slice(8, 53), ...all.slice(54, 60), ...all.slice(61, 63)], edges: [{ from: all[53].id, to: all[20].id, kind: "temporal" }], seals: [] };
		const panel = document.createElement("div"); panel.id = "drawn"; panel.style.height = "1200px"; document.body.append(panel);
		drawGraph(panel, { graph, lanes: Object.fromEntries(all.map((m, i) => [m.id, { talk: i % 3, column: i % 3 }])), path: { steps: [], turns: [] } }, { jump() {} });
	})`)
	const rows = `[...document.querySelectorAll("#drawn .row")].map((r) => r.querySelector(".text").textContent).join("; ")`
	b.until(rows + ` === "u message 0; 52 messages of other talks; u message 53; 6 messages of other talks; u message 60; u message 61; u message 62; u message 63"`)
	b.until(`document.querySelectorAll("#drawn .row.folded")[0].querySelector(".sure").textContent === "7 sent" && document.querySelector("#drawn .steps output").textContent === "the newest: 10"`)
	b.js(`document.querySelector("#drawn .row[tabindex='0']").focus()`)
	for range 4 {
		b.press("ArrowUp")
	}
	b.until(`document.activeElement.matches(".folded") && document.querySelector("#drawn .detail").innerText === "6 messages of other talks, none of them sent as background. Choose the line to see them."`)
	b.press("Enter")
	b.until(`document.querySelectorAll("#drawn .row").length === 13 && document.activeElement.innerText.includes("message 54") && document.querySelectorAll("#drawn .row.folded").length === 1`)
	b.untroubled()
}
