package playground_test

import (
	"encoding/json"
	"os"
	"testing"
)

// axe returns the source of axe-core, which checks pages for accessibility. If it is
// not installed the test is skipped, except in CI, which installs it.
func axe(t *testing.T) string {
	t.Helper()
	source, err := os.ReadFile("axe/node_modules/axe-core/axe.min.js")
	if err == nil {
		return string(source)
	}
	if os.Getenv("CI") == "true" {
		t.Fatal("axe-core is not installed, and CI must run this test")
	}
	t.Skip("axe-core is not installed; .ci/run install does it")
	return ""
}

// TestEveryoneCanUseThePage visits all views, on a desktop and on a phone, in the light
// and in the dark theme. axe must find nothing serious, touch targets on the phone must
// be large enough, and nothing may be wider than the screen.
func TestEveryoneCanUseThePage(t *testing.T) {
	source := axe(t)
	b := visit(t, open(t).url)
	b.js(source)
	for _, screen := range []struct {
		name          string
		width, height int
		phone         bool
		scheme        string
	}{
		{"desk-light", 1280, 900, false, "light"},
		{"desk-dark", 1280, 900, false, "dark"},
		{"phone-light", 390, 844, true, "light"},
		{"phone-dark", 360, 740, true, "dark"},
	} {
		t.Run(screen.name, func(t *testing.T) {
			b.t = t
			b.call("Emulation.setDeviceMetricsOverride", map[string]any{"width": screen.width, "height": screen.height, "deviceScaleFactor": 1, "mobile": screen.phone}, nil)
			b.call("Emulation.setTouchEmulationEnabled", map[string]any{"enabled": screen.phone}, nil)
			b.call("Emulation.setEmulatedMedia", map[string]any{"features": []any{
				map[string]any{"name": "prefers-color-scheme", "value": screen.scheme}, map[string]any{"name": "prefers-reduced-motion", "value": "reduce"},
			}}, nil)
			for _, view := range views() {
				for _, step := range view.steps {
					b.until(step)
				}
				b.examine(screen.name+"-"+view.name, screen.width, screen.height)
			}
		})
	}
	b.t = t
	b.untroubled()
}

type pageView struct {
	name  string
	steps []string // expressions that lead to the view; each must become true
}

// views returns the views of the page. The steps of each begin where those of the one
// before ended.
func views() []pageView {
	return []pageView{
		{"folded out", []string{`document.getElementById("fold").click() ?? true`}},
		{"open", []string{`document.getElementById("fold").click() ?? true`, `[...document.querySelectorAll("#channels button")].find((b) => b.textContent.startsWith("# workshop")).click() ?? true`}},
		{"answer", []string{
			`(window.had = document.querySelectorAll(".msg.bot").length) && (document.querySelector("#ideas button").click(), true)`,
			`document.querySelectorAll(".msg.bot").length > had && [...document.querySelectorAll(".msg.bot")].at(-1).querySelector(".buttons")`,
		}},
		{"why", []string{`[...document.querySelectorAll(".msg.bot .because")].at(-1).click() ?? true`, `document.querySelector("#why li.in")?.checkVisibility()`}},
		{"graph", []string{`document.getElementById("tab-graph").click() ?? true`, `document.querySelector("#graph .row")`}},
		{"tune", []string{`document.getElementById("tab-tune").click() ?? true`, `document.querySelector("#tune .beside tbody")`}},
		{"last 30", []string{`document.querySelector("#sum .last").click() ?? document.querySelector("#log .stray")`}},
		{"menu", []string{
			`document.getElementById("tab-why").click() ?? true`, `document.getElementById("close").click() ?? true`,
			`[...document.querySelectorAll(".msg")].at(-2).querySelector(".more").click() ?? true`, `document.querySelector(".menu [role=menuitem]")`,
		}},
		{"new channel", []string{`document.querySelector(".menu-veil").click() ?? true`, `document.getElementById("new-channel").click() ?? true`}},
		{"people", []string{`document.getElementById("dialog").close("") ?? true`, `!document.querySelector("#dialog form")`, `document.querySelector("#people .everybody").click() ?? true`}},
		{"completions", []string{
			`document.getElementById("dialog").close("") ?? true`, `!document.querySelector("#dialog form")`,
			`import("/compose.js").then((c) => c.set("@")).then(() => document.getElementById("write").dispatchEvent(new Event("input"))) && document.querySelector("#names li")`,
		}},
		{"deleted", []string{
			`document.getElementById("write").blur() ?? true`,
			`[...document.querySelectorAll(".msg")].at(-2).querySelector(".more").click() ?? true`,
			`[...document.querySelectorAll(".menu [role=menuitem]")].find((i) => i.textContent === "Delete").click() ?? true`, `!document.getElementById("toast").hidden`,
		}},
		{"end", []string{`document.querySelector("#toast button").click() ?? true`, `document.getElementById("toast").hidden`}},
		{"sample", []string{
			`[...document.querySelectorAll("#exports button")].find((b) => b.textContent === "Open the sample").click() ?? true`,
			`document.getElementById("channel").textContent === "# commons"`, `document.getElementById("new-channel").scrollIntoView() ?? true`,
			`document.querySelector("#topic .up")?.click() ?? true`, `document.querySelector("#overview .moments li")?.checkVisibility()`,
		}},
		{"found", []string{`(document.querySelector("#overview [name=words]").value = "flour", document.querySelector("#overview .asks").requestSubmit(), true)`, `document.querySelector(".found li")`}},
		{"moment", []string{`document.querySelector("#overview .moments button").click() ?? true`, `document.querySelector("#graph .row.asked") && document.querySelector("#graph .row.folded")`}},
		{"day", []string{
			`document.getElementById("close").click() ?? true`, `document.querySelector("#topic .up").click() ?? true`,
			`document.querySelector("#overview [name=day]").form.requestSubmit() ?? true`, `document.activeElement === document.querySelector("#log .msg")`,
		}},
		{"who", []string{
			`document.getElementById("close").click() ?? true`, `document.getElementById("tab-why").click() ?? true`,
			`[...document.querySelectorAll(".people button")].find((one) => one.textContent.startsWith("All")).click() ?? true`, `document.querySelector("dialog select")`,
		}},
		{"chosen", []string{`document.getElementById("dialog").close("") ?? true`, `!document.querySelector("#dialog form")`}},
	}
}

// examine checks the current view on a screen of the given size.
func (b *browser) examine(name string, width, height int) {
	b.t.Helper()
	b.shot(name)
	var serious []struct{ ID, Where string }
	b.read(`axe.run({ resultTypes: ["violations"] }).then((r) => r.violations.filter((v) => ["serious", "critical"].includes(v.impact))
		.map((v) => ({ id: v.id, where: v.nodes.slice(0, 3).map((n) => n.target.join(" ") + " " + (n.any[0] ?? n.all[0] ?? n.none[0])?.message).join("; ") })))`, &serious)
	for _, v := range serious {
		b.t.Errorf("%s: the rule %s is broken at %s, want no serious violation", name, v.ID, v.Where)
	}
	var small []string
	b.read(`!matchMedia("(pointer: coarse)").matches ? [] : [...document.querySelectorAll("button, a[href], input")]
		.filter((n) => n.checkVisibility({ visibilityProperty: true }) && n.getClientRects().length && !n.closest(".unseen, .skip, .body"))
		.map((n) => [n, (n.matches("[type=radio], [type=checkbox]") ? n.closest("label") : n).getBoundingClientRect()])
		.filter(([, r]) => r.height < 43.5 || r.width < 43.5)
		.map(([n, r]) => (n.id || n.className || n.textContent) + " is " + Math.round(r.width) + "x" + Math.round(r.height))`, &small)
	for _, one := range small {
		b.t.Errorf("%s: %s is too small to touch, want every control large enough", name, one)
	}
	var cut []string
	b.read(`[...document.querySelectorAll("button, summary, label")].filter((n) => n.checkVisibility({ visibilityProperty: true }) && n.clientWidth > 1)
		.filter((n) => n.scrollWidth > n.clientWidth + 1 && getComputedStyle(n).overflowX === "visible" && !n.closest(".unseen, .people label"))
		.map((n) => (n.id || n.className || n.textContent) + " is " + n.clientWidth + " wide and needs " + n.scrollWidth)`, &cut)
	for _, one := range cut {
		b.t.Errorf("%s: the text of %s is wider than its control, want it to fit", name, one)
	}
	var page struct{ Width, Height int } // a phone widens its view to the page's width
	b.read(`({ width: document.documentElement.scrollWidth, height: document.documentElement.scrollHeight })`, &page)
	if page.Width > width || page.Height > height {
		b.t.Errorf("%s: the page is %d x %d pixels large, want no more than the screen's %d x %d", name, page.Width, page.Height, width, height)
	}
}

// read decodes the value of an expression.
func (b *browser) read(expression string, into any) {
	b.t.Helper()
	text := b.js(`Promise.resolve(` + expression + `).then((v) => JSON.stringify(v))`)
	if err := json.Unmarshal([]byte(text), into); err != nil {
		b.t.Fatalf("%s is %s, want JSON that fits a %T: %v", expression, text, into, err)
	}
}
