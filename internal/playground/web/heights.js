// The heights of messages. One that is out of view is left out of all work, and stands there as
// high as it was when it was last laid out. So that nothing jumps when it comes into view, each
// is laid out once for its height, some of them in every frame.
import { $ } from "./state.js";

const most = 20; // messages that are laid out for it in one frame

const unknown = new Set(); // articles of which the height is not known
let whole = []; // those that are laid out in this frame, wherever they are
let going = false;

// measure finds the height of an article soon.
export function measure(article) {
  unknown.add(article);
  if (going) return;
  going = true;
  requestAnimationFrame(some);
}

// layOutAll lays out all of them at once, for who scrolls far.
export const layOutAll = () => layOut([...unknown]);

// some lays out some of them, until the next frame. Nothing has a height while the log is hidden;
// its articles are measured anew when it is shown.
function some() {
  for (const article of whole) article.classList.remove("whole");
  whole = $("log").hidden ? [] : [...unknown].slice(-most);
  layOut(whole);
  for (const article of whole) unknown.delete(article);
  going = whole.length > 0;
  if (going) requestAnimationFrame(some);
}

function layOut(articles) {
  for (const article of articles) article.classList.add("whole");
}
