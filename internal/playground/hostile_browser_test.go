package playground_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"strconv"
	"strings"
	"testing"

	"heddle/internal/errtest"
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
		if !strings.HasPrefix(url, server+"/") && !strings.HasPrefix(url, "data:") { // Chromium's own picture in a field for a date
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
	text := errtest.Must(json.Marshal(object{
		"guild":     object{"id": "8", "name": x, "iconUrl": x},
		"channel":   object{"id": "90" + id, "type": kind, "categoryId": "901", "category": x, "name": x + id, "topic": x, "iconUrl": x, "availableTags": []any{object{"name": x}}, "appliedTags": []any{x}},
		"dateRange": object{"after": x, "before": x}, "exportedAt": x, "messages": messages, "messageCount": x,
	}))(t)
	return string(text)
}

// TestHostileExportsStayText drops a channel and a thread of it on the page in which every
// text is an attack, asks heddle there, and has the model attack, too. All of it is read as
// text in every view, and nothing is requested elsewhere. A file that is no export is
// refused in a sentence.
func TestHostileExportsStayText(t *testing.T) {
	t.Parallel()
	b := program(t, func(openaitest.Request) openaitest.Reply { return openaitest.Answer(hostile()[:18]...) })
	for _, e := range []struct{ kind, id string }{{"GuildTextChat", "1"}, {"GuildPublicThread", "2"}} {
		b.js(fmt.Sprintf(`(() => { const held = new DataTransfer(); held.items.add(new File([%q], %q));
			dispatchEvent(new DragEvent("drop", { dataTransfer: held, bubbles: true, cancelable: true })); })()`, hostileExport(t, e.kind, e.id), hostile()[1]+".json"))
		b.until(fmt.Sprintf(`document.getElementById("channel").textContent.endsWith(%q) && document.querySelectorAll("#log .msg").length === %d`, hostile()[0]+e.id, len(hostile())))
		b.until(fmt.Sprintf(`document.querySelectorAll("#log .card").length === %d && document.querySelector("#log .card").textContent.split(%q).length > 4`, len(hostile()), hostile()[0]))
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
		b.js(`import("/log.js").then((log) => log.toEnd())`)
		b.say("what was that?") // the messages before it are longer than all of the background may be
		b.say("@heddle and now?")
		b.until(last + `?.querySelector(".buttons") && ` + last + `.querySelector(".body").textContent.startsWith("<img")`)
		b.js(last + `.querySelector(".because").click()`)
		b.until(`document.querySelector("#why li.in, #why li.out")`)
		b.harmless()
	}
	b.js(`(() => { const held = new DataTransfer(); held.items.add(new File(["<html>"], "page.html"));
		dispatchEvent(new DragEvent("drop", { dataTransfer: held, bubbles: true, cancelable: true })); })()`)
	b.patiently(`document.getElementById("fault").textContent.includes("page.html is not JSON")`)
	b.requestedFrom(b.js(`location.origin`))
}
