// The stored answers to a question.
import { el } from "./text.js";

// drawAlternatives lists the alternatives of a drawing, with those that the channel shows.
export function drawAlternatives({ alternatives }, page) {
  if (!alternatives?.length) return [];
  return [
    el("h3", {}, alternatives.length === 1 ? "The answer" : `${alternatives.length} answers to this question`),
    el("table", { className: "turns answers" },
      el("thead", {}, el("tr", {}, ...["n", "model", "given", "hash"].map((t) => el("th", { scope: "col" }, t)))),
      el("tbody", {}, ...alternatives.map((a, i) => drawAlternative(a, i, page)))),
  ];
}

function drawAlternative(a, i, page) {
  const at = new Date(a.at);
  return el("tr", { className: a.shown.length ? "shown" : "" },
    el("td", {}, String(i + 1)),
    el("td", { className: "turn" }, el("span", {}, a.model),
      ...a.shown.flatMap((id) => [" ", el("button", { type: "button", title: "Go to the message", onclick: () => page.jump(id) }, "shown here")])),
    el("td", {}, el("time", { dateTime: a.at, title: at.toLocaleString() }, at.toLocaleTimeString(undefined, { hour: "2-digit", minute: "2-digit", second: "2-digit" }))),
    el("td", {}, el("code", { title: `response ${a.response}\npath ${a.path}` }, a.response.slice(0, 8))));
}
