package playground_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"heddle/graph"
	"heddle/internal/openaitest"
)

// hostile is what people write who want to run something in somebody's browser.
func hostile() []string {
	return []string{
		`<img src=x onerror=alert(1)>`, `<script>alert(1)</script>`, `<svg/onload=alert(1)>`, `"><iframe srcdoc="<script>alert(1)</script>">`,
		`javascript:alert(1)`, `[click](javascript:alert(1))`, `[x](https://a"onmouseover="alert(1))`, `<javascript:alert(1)>`, `[a](data:text/html,<script>alert(1)</script>)`,
		"```html\n<script>alert(1)</script>\n```", "`<b onclick=alert(1)>`", `||<img src=x onerror=alert(1)>||`, `# <style>*{display:none}</style>`, `> <base href=//evil.example>`,
		`</textarea><script>alert(1)</script>`, `{{constructor.constructor('alert(1)')()}}`, `<math><mtext></form><form><mglyph><style></math><img src onerror=alert(1)>`,
		`<a href="https://evil.example/x.png">`, `https://evil.example/"><img src=https://evil.example/y.png>`, `![x](https://evil.example/z.png)`, "\u202etxt.exe\u0000", `<t:99999999999999:F> <t:-1:R>`,
		`__proto__`, `constructor`, strings.Repeat("*_~|", 480), strings.Repeat("[", 900) + strings.Repeat("](https://a.b)", 70), strings.Repeat("> ", 600) + "x", strings.Repeat("- x\n  ", 300),
	}
}

// TestHostileTextStaysText puts a corpus of attacks into messages, names, files, channels
// and roles. Nothing of it becomes part of the page, and nothing is requested elsewhere.
func TestHostileTextStaysText(t *testing.T) {
	t.Parallel()
	s := open(t)
	w := s.world(t)
	sandbox := w.Channels[2].ID
	post := func(author graph.UserID, content, file string) {
		var refused fault
		body := map[string]any{"channel": sandbox, "author": author, "content": content, "replyTo": "0"}
		if file != "" {
			body["files"] = []any{map[string]any{"name": file, "data": []byte("<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>")}}
		}
		if status := s.call(t, "/api/post", body, &refused); status != http.StatusOK {
			t.Fatalf("%q: %d %s, want %d", content, status, refused.Error, http.StatusOK)
		}
	}
	for i, text := range hostile() {
		name := fmt.Sprintf("%d%.20s", i, text)
		var made struct{ ID graph.UserID }
		s.call(t, "/api/people", map[string]any{"name": name}, &made)
		s.call(t, "/api/roles", map[string]any{"name": name}, &struct{}{})
		s.call(t, "/api/channels", map[string]any{"name": name}, &struct{}{})
		file := ""
		if i < 10 {
			file = strings.ReplaceAll(text, "\n", " ") + ".svg"
		}
		post(made.ID, text, file)
	}
	b := browse(t, s.url)
	b.until(`document.querySelectorAll("#log .msg").length >= 14`)
	b.open("# sandbox")
	b.until(fmt.Sprintf(`document.querySelectorAll("#log .msg").length === %d`, len(hostile())))
	b.js(`document.querySelector("#people .everybody").click()`)
	b.until(`document.querySelectorAll("dialog fieldset").length > 20`)
	b.js(`document.getElementById("dialog").close("")`)
	b.say("@heddle and now?")
	b.until(`document.querySelector(".msg.bot .buttons")`)
	b.js(`document.querySelector(".msg.bot .because").click()`)
	b.until(`document.querySelector("#why li.in")`)
	b.harmless()
	if got := b.js(`[...document.querySelectorAll(".msg .body")][0].textContent`); got != hostile()[0] {
		t.Errorf("the first message reads %q, want %q", got, hostile()[0])
	}
	b.requestedFrom(s.url)
	b.untroubled()
}

// harmless reports what became part of the page that people may only write.
func (b *browser) harmless() {
	b.t.Helper()
	for _, bad := range []string{
		`document.querySelector("body script, iframe, base, math, body style, img[src^='http'], body link, #log form, object, embed")?.outerHTML ?? ""`,
		`[...document.querySelectorAll("a")].map((a) => a.protocol).filter((p) => !["http:", "https:"].includes(p)).join(" ")`,
		`[...document.querySelectorAll("*")].flatMap((n) => [...n.attributes]).filter((a) => a.name.startsWith("on") || a.name === "style" && a.value.includes("url")).map((a) => a.name).join(" ")`,
	} {
		if found := b.js(bad); found != "" {
			b.t.Errorf("became part of the page: %s, want \"\"", found)
		}
	}
}

// requestedFrom reports requests to any other server.
func (b *browser) requestedFrom(server string) {
	b.t.Helper()
	for _, url := range b.requests {
		if !strings.HasPrefix(url, server+"/") {
			b.t.Errorf("the page requested %s, want %q at its start", url, server+"/")
		}
	}
	if len(b.requests) < 10 {
		b.t.Errorf("only %d requests were seen, want at least 10", len(b.requests))
	}
}

// hostileExport is what DiscordChatExporter would write of a channel in which every text, of
// people and of the exporter, is an attack, one message for each. kind is the type of the
// channel and id the end of its id.
func hostileExport(t *testing.T, kind, id string) string {
	t.Helper()
	type object = map[string]any
	var messages []any
	for i, text := range hostile() {
		number := func(kind int) string { return strconv.Itoa(1_000_000*kind + i + 1) }
		user := object{
			"id": number(1), "name": text, "nickname": text, "discriminator": text, "color": text, "isBot": false, "avatarUrl": text,
			"roles": []any{object{"id": number(2), "name": text, "color": text, "position": text}}, "customStatus": text, "status": object{"text": text, "emoji": text},
			"pronouns": text, "bio": text, "activities": []any{object{"name": text, "state": text}}, "primaryGuild": object{"tag": text},
		}
		media := object{"url": text, "canonicalUrl": text, "width": text, "height": text}
		emoji := object{"id": number(3), "name": text, "code": text, "isAnimated": text, "imageUrl": text}
		body := object{
			"content":     text,
			"attachments": []any{object{"id": number(4), "url": text, "fileName": text + ".png", "fileSizeBytes": 7}},
			"embeds": []any{object{
				"title": text, "url": text, "timestamp": text, "description": text, "color": text, "author": object{"name": text, "url": text, "iconUrl": text},
				"thumbnail": media, "image": media, "images": []any{media}, "video": media, "footer": object{"text": text, "iconUrl": text},
				"fields": []any{object{"name": text, "value": text, "isInline": text}}, "inlineEmojis": []any{emoji},
			}},
			"stickers": []any{object{"id": number(5), "name": text, "format": text, "sourceUrl": text}}, "inlineEmojis": []any{emoji},
		}
		m := object{
			"id": number(6) + id, "type": "Default", "timestamp": text, "timestampEdited": text, "callEndedTimestamp": text, "isPinned": text, "author": user,
			"reactions": []any{object{"emoji": emoji, "count": text, "users": []any{user}}}, "mentions": []any{user},
			"interaction": object{"id": number(7), "name": text, "user": user}, "components": []any{object{"type": text, "components": []any{object{"label": text, "url": text}}}},
			"poll":             object{"question": object{"text": text}, "answers": []any{object{"poll_media": object{"text": text, "emoji": emoji}}}},
			"reference":        object{"messageId": number(8), "channelId": text, "guildId": text, "type": "Forward"},
			"forwardedMessage": body,
		}
		if i%2 == 0 {
			m["type"], m["reference"], m["forwardedMessage"] = "Reply", object{"messageId": strconv.Itoa(6_000_000+i) + id}, nil
		}
		maps.Copy(m, body)
		messages = append(messages, m)
	}
	x := hostile()[0]
	text, err := json.Marshal(object{
		"guild":     object{"id": "8", "name": x, "iconUrl": x},
		"channel":   object{"id": "90" + id, "type": kind, "categoryId": "901", "category": x, "name": x + id, "topic": x, "iconUrl": x, "availableTags": []any{object{"name": x}}, "appliedTags": []any{x}},
		"dateRange": object{"after": x, "before": x}, "exportedAt": x, "messages": messages, "messageCount": x,
	})
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestHostileExportsStayText drops a channel and a thread of it on the page in which every
// text is an attack, asks heddle there, and has the model attack, too. All of it is read as
// text in every view.
func TestHostileExportsStayText(t *testing.T) {
	t.Parallel()
	b := program(t, func(openaitest.Request) openaitest.Reply { return openaitest.Answer(hostile()[:18]...) })
	for _, e := range []struct{ kind, id string }{{"GuildTextChat", "1"}, {"GuildPublicThread", "2"}} {
		b.js(fmt.Sprintf(`(() => { const held = new DataTransfer(); held.items.add(new File([%q], %q));
			dispatchEvent(new DragEvent("drop", { dataTransfer: held, bubbles: true, cancelable: true })); })()`, hostileExport(t, e.kind, e.id), hostile()[1]+".json"))
		b.until(fmt.Sprintf(`document.getElementById("channel").textContent.endsWith(%q) && document.querySelectorAll("#log .msg").length === %d`, hostile()[0]+e.id, len(hostile())))
		if got := b.js(`[...document.querySelectorAll("#log .card")].length`); got != strconv.Itoa(len(hostile())+len(hostile())/2) {
			t.Errorf("%s cards are drawn, want one below each message and one in each forward", got)
		}
		want := strings.TrimSpace(strings.Repeat(hostile()[0]+" ", 3) + hostile()[0] + hostile()[0] + " " + hostile()[0])
		if got := b.js(`((card) => [...card.children].map((n) => n.textContent).join(" "))(document.querySelector("#log .card"))`); got != want {
			t.Errorf("the first card reads %q, want %q", got, want)
		}
		b.harmless()
		if wide := b.js(`((most) => [...document.querySelectorAll("#log *")].filter((n) => n.getBoundingClientRect().right > most && !n.closest("pre, .quote")).map((n) => n.tagName + "." + n.className + " in " + n.parentNode.className).slice(0, 5).join("; "))(document.getElementById("scroll").getBoundingClientRect().right)`); wide != "" {
			t.Errorf("wider than the log: %s, want \"\"", wide)
		}
		b.js(`[...document.querySelectorAll(".msg")].at(-1).querySelector("[data-key=preview]").click()`)
		b.until(`document.querySelector("#why li.asked, #graph .row.asked")`)
		for _, tab := range []string{"graph", "tune", "why"} {
			b.js(`document.getElementById("tab-` + tab + `").click()`)
			b.until(`document.querySelector("#` + tab + ` .row, #` + tab + ` tbody tr, #` + tab + ` li")`)
			b.shot("hostile-" + e.id + "-" + tab)
			b.harmless()
		}
		b.say("@heddle and now?")
		b.until(last + `?.querySelector(".buttons") && ` + last + `.querySelector(".body").textContent.startsWith("<img")`)
		b.js(last + `.querySelector(".because").click()`)
		b.until(`document.querySelector("#why li.in, #why li.out")`)
		b.harmless()
	}
	b.untroubled()
}
