// The menu of a message: below its button, or as a sheet where there is little room.
import { $ } from "./state.js";
import { el } from "./text.js";

let close = () => {};

// openMenu shows items below a button of a message. An item has a label and act, or only a label, which
// heads those that follow.
export function openMenu(button, items) {
  close();
  const entries = items.filter(Boolean).map((item) => item.act
    ? el("button", { type: "button", role: "menuitem", tabIndex: -1, className: item.grave ? "grave" : "", onclick: () => { close(); item.act(); } }, item.label)
    : el("p", { className: "group", role: "presentation" }, item.label));
  const menu = el("div", { className: "menu", role: "menu", "aria-label": "Message" }, ...entries);
  const veil = el("div", { className: "menu-veil", onclick: () => close() });
  const message = button.closest(".msg");
  const before = message.contains(document.activeElement) ? document.activeElement : message;
  close = () => {
    close = () => {};
    menu.remove();
    veil.remove();
    button.setAttribute("aria-expanded", "false");
    (before.isConnected ? before : message).focus({ preventScroll: true });
  };
  const choices = entries.filter((entry) => entry.matches("button"));
  menu.addEventListener("keydown", (event) => {
    const at = choices.indexOf(document.activeElement);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: choices.length - 1 }[event.key];
    if (to !== undefined) choices[(to + choices.length) % choices.length].focus();
    else if (event.key === "Escape" || event.key === "Tab") close();
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  button.setAttribute("aria-expanded", "true");
  document.body.append(veil, menu);
  place(menu, button.getBoundingClientRect());
  choices[0].focus({ preventScroll: true });
}

function place(menu, at) {
  if (innerWidth <= 700) return; // a sheet, by the style
  menu.style.left = `${Math.max(8, Math.min(at.right - menu.offsetWidth, innerWidth - menu.offsetWidth - 8))}px`;
  const below = at.bottom + 4 + menu.offsetHeight < innerHeight;
  const top = below ? at.bottom + 4 : at.top - menu.offsetHeight - 4;
  menu.style.top = `${Math.max(8, Math.min(top, innerHeight - menu.offsetHeight - 8))}px`; // the button may be scrolled out of view
}

// openForm shows a dialog and returns what form.values() was when it was sent, or null.
export function openForm(heading, label, ...children) {
  const dialog = $("dialog");
  const form = el("form", { method: "dialog" }, el("h2", { id: "dialog-title" }, heading), ...children,
    el("div", { className: "acts" }, el("button", { type: "button", onclick: () => dialog.close("") }, "Cancel"), el("button", { value: "done", className: "send" }, label)));
  dialog.replaceChildren(form);
  dialog.returnValue = "";
  dialog.showModal();
  return new Promise((resolve) => dialog.addEventListener("close", () => {
    resolve(dialog.returnValue === "done" ? new FormData(form) : null);
    dialog.replaceChildren();
  }, { once: true }));
}

// field returns a labelled input.
export const field = (label, properties) => el("label", { className: "field" }, el("span", {}, label), el("input", { type: "text", ...properties }));

// check returns a labelled box to tick.
export const check = (label, properties) => el("label", { className: "check" }, el("input", { type: "checkbox", ...properties }), el("span", {}, label));
