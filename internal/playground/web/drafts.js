// What is typed and not sent yet, in each channel. It outlives a lost connection, another
// start of heddle and a reload of the page, for which the tab's session keeps it. Files are
// kept for as long as the page is open.
import { channel, state, title } from "./state.js";

const place = "heddle";
const drafts = new Map(); // by channel

export const blank = () => ({ text: "", replyTo: "", editing: "", files: [] });

const isBlank = (d) => !d.text && !d.replyTo && !d.editing && !d.files.length;

// stow keeps what is typed in a channel.
export function stow(draft, id = state.channel) {
  if (isBlank(draft)) drafts.delete(id);
  else drafts.set(id, { ...draft, name: nameOf(id) });
  remember();
}

export const stowed = (id = state.channel) => ({ ...blank(), ...drafts.get(id) });

const nameOf = (id) => (channel(id) ? title(channel(id)) : "");

// remember has the tab's session keep what is typed, and where one is.
export function remember() {
  const { world } = state;
  if (!world) return;
  const kept = { run: world.run, channel: { id: state.channel, name: nameOf(state.channel) }, author: state.author, drafts: [...drafts].map(([id, d]) => [id, { ...d, files: [] }]) };
  try { sessionStorage.setItem(place, JSON.stringify(kept)); } catch { /* it is kept for as long as the page is open */ }
}

// arrive returns where one was when the page was left. If heddle was started anew since, the
// channels are others with the same names, and what was replied to is gone.
export function arrive(world) {
  let kept = null;
  try { kept = JSON.parse(sessionStorage.getItem(place)); } catch { /* nothing is kept */ }
  if (!kept) return {};
  const same = kept.run === world.run;
  const find = ({ id, name }) => world.channels.find((c) => (same ? c.id === id : title(c) === name))?.id;
  const now = kept.drafts.map(([id, d]) => [find({ id, name: d.name }) ?? world.channels[0].id, { ...d, files: drafts.get(id)?.files ?? [], ...(same ? {} : { replyTo: "", editing: "" }) }]);
  drafts.clear();
  for (const [id, d] of now) drafts.set(id, d);
  return { channel: (same || world.opened === "0") && find(kept.channel) || "", author: same ? kept.author : "" };
}
