// Forms that heddle opens in answer to a press of a button or a use of a command.
import { ask } from "./server.js";
import { el } from "./text.js";
import { openForm } from "./menu.js";

// fillIn shows the form that a press or a use opens, if it does, and sends it.
export async function fillIn({ interaction }) {
  const form = await ask(`/api/forms/${interaction}`);
  if (!form?.inputs?.length) return;
  const long = (i) => i.style === 2;
  const given = await openForm(form.title, "Submit", ...form.inputs.map((i) => el("label", { className: "field" }, el("span", {}, i.label),
    el(long(i) ? "textarea" : "input", { name: i.custom_id, value: i.value, required: i.required ?? true, ...(i.min_length ? { minLength: i.min_length } : {}), ...(i.max_length ? { maxLength: i.max_length } : {}), ...(long(i) ? { rows: 4 } : {}) }))));
  if (given) await ask("/api/submit", { interaction, values: Object.fromEntries(form.inputs.map((i) => [i.custom_id, given.get(i.custom_id)])) });
}
