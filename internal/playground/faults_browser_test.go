package playground_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"heddle/internal/openaitest"
)

// provider fails every request whose question names a fault, until the fault is fixed.
type provider struct {
	mu     sync.Mutex
	faults map[string]openaitest.Reply
}

func (p *provider) script(r openaitest.Request) openaitest.Reply {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, m := range slices.Backward(r.Chat.Messages) { // the question may be followed by the tail
		_, about, asked := strings.Cut(m.Text(), "tell me of fault ")
		if !asked {
			continue
		}
		if reply, fails := p.faults[about]; fails {
			return reply
		}
		break
	}
	return openaitest.Answer("All ", "is ", "well.")
}

func (p *provider) mend(fault string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.faults, fault)
}

// TestAModelThatFailsIsReportedOnThePage lets a model fail in every way in which
// providers fail. Each time the page shows a sentence about it, keeps the question and
// the text so far, and has a button that asks again.
func TestAModelThatFailsIsReportedOnThePage(t *testing.T) {
	t.Parallel()
	never := make(chan struct{})
	t.Cleanup(func() { close(never) })
	status := func(code int, kind string) openaitest.Reply {
		return openaitest.Fail(openaitest.Failure{Status: code, Code: kind, Message: "secret of the provider"})
	}
	cut := openaitest.Answer("The ", "first ", "half ", "stands ")
	cut.End = openaitest.EndAbort
	p := &provider{faults: map[string]openaitest.Reply{
		"401": status(401, "invalid_api_key"), "429": status(429, "rate_limit_exceeded"), "500": status(500, "server_error"), "hang": {Wait: never}, "cut": cut,
	}}
	b := program(t, p.script, "LLM_RETRIES=0", "LLM_TIMEOUT=1s")
	b.open("# sandbox")
	for i, test := range []struct{ fault, says string }{
		{"401", "key"},
		{"429", "again"},
		{"500", "again"},
		{"hang", "again"},
	} {
		b.say("@heddle tell me of fault " + test.fault)
		b.fails(2*i, test.fault, test.says)
		if blank := b.js(`String([...document.querySelectorAll("#why .text")].filter((row) => !row.lastElementChild.textContent).length)`); blank != "0" {
			t.Errorf("%s: %s reasons are for messages that say nothing, want %q", test.fault, blank, "0")
		}
		p.mend(test.fault)
		b.js(last + `.querySelector(".retry").click()`)
		b.until(fmt.Sprintf(`[...document.querySelectorAll(".msg.bot")][%d]?.querySelector(".body").innerText.includes("All is well.")`, 2*i+1))
		b.until(fmt.Sprintf(`[...document.querySelectorAll(".msg:not(.bot) .body")].filter((m) => m.innerText.includes("fault %s")).length === 2`, test.fault))
	}
	b.say("@heddle tell me of fault cut")
	b.until(last + `.innerText.includes("stopped in the middle") && ` + last + `.querySelector(".buttons")`)
	p.mend("cut")
	b.button("↻")
	b.until(last + `.innerText.includes("All is well.")`)
	b.button("◀")
	b.until(last + `.innerText.includes("The first half stands")`)
	b.untroubled()
}

// fails waits until an answer is replaced by a sentence about a fault, with a button
// that asks again, and checks the sentence.
func (b *browser) fails(answer int, fault, says string) {
	b.t.Helper()
	said := fmt.Sprintf(`[...document.querySelectorAll(".msg.bot")][%d]`, answer)
	b.until(said + `?.querySelector(".retry")`)
	if text := b.js(said + `.querySelector(".body").innerText`); !strings.Contains(text, says) || strings.Contains(text, "secret") || len(text) < 30 {
		b.t.Errorf("%s: the page says %q, want %q in 30 characters or more, and no secret", fault, text, says)
	}
	b.shot("fault-" + fault)
}
