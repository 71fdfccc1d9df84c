// Forms that heddle opens in answer to a press of a button or a use of a command.
import { ask } from "./server.js";
import { el } from "./text.js";
import { openForm } from "./menu.js";

// fillIn shows the form that a press or a use opens, if it does, and sends it.
export async function fillIn({ interaction }) {
  const { title, inputs } = await ask(`/api/forms/${interaction}`);
  if (!inputs.length) return;
  const given = await openForm(title, "Submit", ...inputs.map((i) => el("label", { className: "field" }, el("span", {}, i.label),
    el(i.long ? "textarea" : "input", { name: i.id, value: i.value, required: i.required, ...(i.least ? { minLength: i.least } : {}), ...(i.most ? { maxLength: i.most } : {}), ...(i.long ? { rows: 4 } : {}) }))));
  if (given) await ask("/api/submit", { interaction, values: Object.fromEntries(inputs.map((i) => [i.id, given.get(i.id)])) });
}
