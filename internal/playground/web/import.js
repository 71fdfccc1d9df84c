// Exports of real channels: dropped on the page, chosen, or the samples that come with
// heddle. Everything stays on this machine.
import { el } from "./text.js";

// watchDrops takes files that are dropped on the page. page has ask; opened, which shows a
// channel that is new; and fault.
export function watchDrops(page) {
  const veil = el("div", { className: "veil", hidden: true }, el("p", {}, "Drop a channel that DiscordChatExporter exported as JSON. It stays on this machine."));
  document.body.append(veil);
  const carries = (event) => [...(event.dataTransfer?.types ?? [])].includes("Files");
  addEventListener("dragover", (event) => { if (carries(event)) { event.preventDefault(); veil.hidden = false; } });
  addEventListener("dragleave", (event) => { if (!event.relatedTarget) veil.hidden = true; });
  addEventListener("drop", (event) => {
    if (!carries(event)) return;
    event.preventDefault();
    veil.hidden = true;
    take([...event.dataTransfer.files], page);
  });
}

// take imports files one after the other, and opens the first channel.
export async function take(files, page) {
  page.fault("");
  let first = null;
  for (const file of files) {
    page.busy(`Reading ${file.name}…`);
    try {
      const response = await fetch(`/api/import?name=${encodeURIComponent(file.name)}`, {
        method: "POST", headers: { "Content-Type": "application/octet-stream" }, body: file,
      });
      const made = await response.json();
      if (!response.ok) throw new Error(made.error);
      first ??= made;
    } catch (error) {
      page.fault(error instanceof TypeError ? `${file.name} could not be sent: heddle does not answer` : error.message);
      break;
    }
  }
  page.busy("");
  if (first) await page.opened(first);
}

// controls returns what one opens an export with.
export function controls(page) {
  const chooser = el("input", { type: "file", accept: ".json,.gz", multiple: true, hidden: true, id: "files", "aria-label": "Exports" });
  chooser.addEventListener("change", () => { take([...chooser.files], page); chooser.value = ""; });
  return el("div", { className: "exports" }, chooser,
    el("button", { type: "button", onclick: () => chooser.click(), title: "JSON of DiscordChatExporter; it stays on this machine" }, "Open an export…"),
    el("button", {
      type: "button", onclick: async () => {
        try { await page.opened(await page.ask("/api/samples", {})); } catch (error) { page.fault(error.message); }
      },
    }, "Open the sample"));
}
