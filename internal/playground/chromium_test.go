package playground_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"heddle/internal/discordtest"
	"heddle/internal/errtest"
)

// browser is a tab of a headless Chromium, driven over its debugging protocol.
type browser struct {
	t        *testing.T
	socket   *websocket.Conn
	address  string // of the debugging protocol
	session  string
	id       int
	faults   []string // errors that the page logged
	requests []string // URLs that the page requested
}

type reply struct {
	ID     int             `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Message string `json:"message"`
	} `json:"error"`
}

// browse opens url in a browser. If none is installed the test is skipped, except in
// CI, which installs one.
func browse(t *testing.T, url string) *browser {
	t.Helper()
	path, err := exec.LookPath("chromium")
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("chromium is not installed, and CI must run this test")
		}
		t.Skip("chromium is not installed")
	}
	return newTab(t, launch(t, path), url)
}

// visit opens a playground's page in a browser and waits until it shows its first channel,
// with the answer in it explained.
func visit(t *testing.T, url string) *browser {
	t.Helper()
	b := browse(t, url)
	b.until(`document.querySelectorAll("#log .msg").length >= 14 && document.querySelector("#why li")`)
	return b
}

// tab opens url in another tab of the same browser.
func (b *browser) tab(url string) *browser {
	b.t.Helper()
	return newTab(b.t, b.address, url)
}

func newTab(t *testing.T, address, url string) *browser {
	t.Helper()
	socket, _, err := websocket.DefaultDialer.DialContext(t.Context(), address, nil) //nolint:bodyclose // a websocket's response has none
	errtest.None(t, err)
	t.Cleanup(func() { socket.Close() })
	b := &browser{t: t, socket: socket, address: address}
	var target struct{ TargetID string }
	b.call("Target.createTarget", map[string]any{"url": "about:blank"}, &target)
	var attached struct{ SessionID string }
	b.call("Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &attached)
	b.session = attached.SessionID
	for _, domain := range []string{"Runtime", "Log", "Page", "Network"} {
		b.call(domain+".enable", nil, nil)
	}
	b.call("Emulation.setFocusEmulationEnabled", map[string]any{"enabled": true}, nil) // behind other tabs, too
	b.call("Page.navigate", map[string]any{"url": url}, nil)
	return b
}

// launch starts a browser that ends with the test, and returns its debugging address.
func launch(t *testing.T, path string) string {
	t.Helper()
	profile := errtest.Must(os.MkdirTemp("/tmp", "heddle-chromium-"))(t) //nolint:usetesting // helpers may still write there when the test is over
	arguments := []string{"--headless=new", "--remote-debugging-port=0", "--user-data-dir=" + profile, "--disable-gpu", "--no-sandbox" /* root and most containers have none */, "--window-size=1400,900", "--disable-dev-shm-usage", "--no-first-run"}
	command := exec.CommandContext(context.WithoutCancel(t.Context()), path, arguments...)
	command.Env = append(os.Environ(), "HOME="+profile, "TMPDIR="+profile) // it may have none, or too long a one
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	stderr := errtest.Must(command.StderrPipe())(t)
	errtest.None(t, command.Start())
	t.Cleanup(func() {
		_ = syscall.Kill(-command.Process.Pid, syscall.SIGKILL) // with its helpers
		_ = command.Wait()
		_ = os.RemoveAll(profile)
	})
	lines := bufio.NewScanner(stderr)
	for lines.Scan() {
		if _, address, ok := strings.Cut(lines.Text(), "DevTools listening on "); ok {
			go func() {
				for lines.Scan() { // or it blocks on a full pipe
				}
			}()
			return address
		}
	}
	t.Fatal("chromium ended before it listened")
	return ""
}

// call sends the browser a command and waits for its result.
func (b *browser) call(method string, params, result any) {
	b.t.Helper()
	b.id++
	request := map[string]any{"id": b.id, "method": method}
	if params != nil {
		request["params"] = params
	}
	if b.session != "" {
		request["sessionId"] = b.session
	}
	errtest.None(b.t, b.socket.WriteJSON(request))
	_ = b.socket.SetReadDeadline(time.Now().Add(2 * discordtest.Patience))
	for {
		var r reply
		if err := b.socket.ReadJSON(&r); err != nil {
			b.t.Fatalf("%s: %v", method, err)
		}
		if r.Method == "Runtime.exceptionThrown" || r.Method == "Log.entryAdded" {
			b.faults = append(b.faults, string(r.Params))
		}
		if r.Method == "Network.requestWillBeSent" {
			var sent struct {
				Request struct {
					URL string `json:"url"`
				} `json:"request"`
			}
			errtest.None(b.t, json.Unmarshal(r.Params, &sent))
			b.requests = append(b.requests, sent.Request.URL)
		}
		if r.ID != b.id {
			continue
		}
		if r.Error != nil {
			b.t.Fatalf("%s: %s", method, r.Error.Message)
		}
		if result != nil {
			errtest.None(b.t, json.Unmarshal(r.Result, result))
		}
		return
	}
}

// js runs an expression in the page and returns its value as text.
func (b *browser) js(expression string) string {
	b.t.Helper()
	var out struct {
		Result           struct{ Value any }
		ExceptionDetails *struct{ Exception struct{ Description string } }
	}
	b.call("Runtime.evaluate", map[string]any{"expression": expression, "awaitPromise": true, "returnByValue": true}, &out)
	if out.ExceptionDetails != nil {
		b.t.Fatalf("%s: %s", expression, out.ExceptionDetails.Exception.Description)
	}
	return fmt.Sprint(out.Result.Value)
}

// until waits for an expression to become true. It looks at every frame, and fails the
// test if the page logs an error, shows a fault or loses its server.
func (b *browser) until(expression string) {
	b.t.Helper()
	for begin := time.Now(); ; {
		switch found := b.js(`new Promise((done) => {
			const begin = performance.now();
			const look = async () => { let ok = false; try { ok = await (` + expression + `) } catch {}
				const fault = document.getElementById("fault")?.textContent || document.querySelector("#link.lost")?.textContent;
				if (ok || fault || performance.now() - begin > 500) done(ok ? "true" : fault || "not yet"); else setTimeout(look, 15) };
			look();
		})`); {
		case found == "true":
			return
		case found != "not yet", len(b.faults) > 0, time.Since(begin) > discordtest.Patience:
			b.t.Fatalf("after %s this is %s, want it true: %s\nthe page logged: %v\nthe page reads: %s",
				time.Since(begin), found, expression, b.faults, b.js("document.body.innerText"))
		}
	}
}

// press types a key that is not a character.
func (b *browser) press(key string) {
	b.t.Helper()
	b.hold(0, key)
}

// shift is the modifier for Shift in the debugging protocol.
const shift = 8

// hold types a key that is not a character while others are held.
func (b *browser) hold(modifiers int, key string) {
	b.t.Helper()
	text := ""
	if key == "Enter" {
		text = "\r"
	}
	for _, kind := range []string{"keyDown", "keyUp"} {
		b.call("Input.dispatchKeyEvent", map[string]any{"type": kind, "key": key, "code": key, "text": text, "modifiers": modifiers, "windowsVirtualKeyCode": map[string]int{"Enter": 13, "Escape": 27, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40, "Tab": 9}[key]}, nil)
		text = ""
	}
}

// write types text into the focused element.
func (b *browser) write(text string) {
	b.t.Helper()
	b.call("Input.insertText", map[string]any{"text": text}, nil)
}

// picture saves a screenshot, which helps to investigate a failure.
func (b *browser) picture(name string) {
	b.t.Helper()
	var shot struct{ Data []byte }
	b.call("Page.captureScreenshot", nil, &shot)
	errtest.None(b.t, os.WriteFile(name, shot.Data, 0o600))
}
