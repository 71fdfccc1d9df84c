// The heights of messages. One that is out of view is left out of all work, and stands there as
// high as it was when it was last laid out. So that nothing jumps when it comes into view, each
// is laid out once for its height, some of them in every frame.
const most = 20; // messages that are laid out for it in one frame

const unknown = new Set(); // articles of which the height is not known
let whole = []; // those that are laid out in this frame, wherever they are

// measure finds the height of an article soon.
export function measure(article) {
  if (unknown.size + whole.length === 0) requestAnimationFrame(some);
  unknown.add(article);
}

// layOutAll lays out all of them at once, for who scrolls far.
export const layOutAll = () => layOut([...unknown]);

function some() {
  for (const article of whole) article.classList.remove("whole");
  whole = [...unknown].slice(-most);
  layOut(whole);
  for (const article of whole) unknown.delete(article);
  if (whole.length) requestAnimationFrame(some);
}

function layOut(articles) {
  for (const article of articles) article.classList.add("whole");
}
