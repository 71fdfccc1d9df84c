package playground_test

import (
	"encoding/json"
	"testing"
)

// TestCommandsOnThePage uses heddle's commands. They are offered while one types, only
// their user sees the answers, and buttons of answers work.
func TestCommandsOnThePage(t *testing.T) {
	t.Parallel()
	b := program(t, inTurn("Friday at seven."))
	typeACommand(b)
	b.open("# workshop")
	showAContext(b)
	askByACommand(b)
	askInAForm(b)
	b.untroubled()
}

// only is an expression for the last message that only one person sees.
const only = `[...document.querySelectorAll(".msg.private")].at(-1)`

// typeACommand types a command, which is completed. Only its user sees the answer, and
// can dismiss it.
func typeACommand(b *browser) {
	b.t.Helper()
	b.open("# sandbox")
	b.js(`document.getElementById("write").focus()`)
	b.write("/heddle he")
	b.until(`[...document.querySelectorAll("#names li span")].map((n) => n.textContent).join() === "/heddle help"`)
	b.press("Tab")
	b.until(`document.getElementById("write").value === "/heddle help "`)
	b.press("Enter")
	b.until(only + `?.innerText.includes("Only Ada can see this")`)
	b.js(`document.querySelectorAll("#people input")[1].click()`)
	b.until(`!document.querySelector(".msg.private")`)
	b.js(`document.querySelectorAll("#people input")[0].click()`)
	b.js(only + `.querySelector("[data-key=dismiss]").click()`)
	b.until(`!document.querySelector(".msg.private")`)
	b.write("/heddle nonsense")
	b.press("Enter")
	b.patiently(`document.getElementById("fault").textContent.startsWith("There is no command /heddle nonsense. These are: /heddle ") && document.getElementById("write").value === "/heddle nonsense"`)
	b.press("Escape")
}

// showAContext chooses the command that shows a message's context from the menu of the
// message, and turns the pages of the answer.
func showAContext(b *browser) {
	b.t.Helper()
	b.choose(`[...document.querySelectorAll(".msg")].at(-3)`, "Show context")
	b.until(only + `?.querySelector(".buttons button:enabled")`)
	b.shot("command-context")
	first := b.js(only + `.querySelector(".body").innerText`)
	b.js(`window.paged = ` + only + `.dataset.id`)
	b.js(`[...` + only + `.querySelectorAll(".buttons button:enabled")].at(-1).click()`)
	b.until(only + `.dataset.id === paged && ` + only + `.querySelector(".body").innerText !== ` + quoted(first))
	b.js(only + `.querySelector("[data-key=dismiss]").click()`)
}

// askByACommand asks a question by a command, for an answer that only its user sees.
func askByACommand(b *browser) {
	b.t.Helper()
	b.js(`document.getElementById("write").focus()`)
	b.write("/heddle ask question:when is the pizza coming? private:true")
	b.press("Enter")
	b.until(only + `?.innerText.includes("Friday at seven.")`)
	b.shot("command-ask")
}

// askInAForm opens a talk in the list of a catch-up, and asks a question about it in a
// form.
func askInAForm(b *browser) {
	b.t.Helper()
	b.js(`document.getElementById("write").focus()`)
	b.write("/heddle catchup since:3d")
	b.press("Enter")
	pressed := func(label string) {
		find := `[...` + only + `.querySelectorAll(".buttons button")].find((b) => b.textContent === "` + label + `")`
		b.until(find)
		b.js(find + `.click()`)
	}
	pressed("1")
	pressed("Ask about it")
	b.until(`document.getElementById("dialog").open && document.getElementById("dialog-title").textContent === "Ask about this talk"`)
	b.shot("command-form")
	b.js(`document.querySelector("#dialog :is(input, textarea)").value = "who said so?"`)
	b.js(`document.querySelector("#dialog .send").click()`)
	b.until(only + `.innerText.includes("who said so?") && ` + only + `.innerText.includes("Nothing more.")`)
}

// quoted returns text as a literal of a script.
func quoted(text string) string {
	literal, err := json.Marshal(text)
	if err != nil {
		panic(err) // a text always has one
	}
	return string(literal)
}
