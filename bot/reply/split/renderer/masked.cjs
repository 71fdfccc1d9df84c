// Prints, for each text of a JSON array on standard input, the addresses of the masked links
// to hosts other than known.example that readers of Discord's Markdown find in it.
const discord = require('discord-markdown-parser');
const simple = require('simple-markdown');

const scheme = /^\s*[a-z][a-z0-9+.-]*:/i;
const known = /^https?:\/\/(www\.)?known\.example([\/?#]|$)/i;

function masked(node, found) {
	if (Array.isArray(node)) {
		node.forEach(n => masked(n, found));
	} else if (node !== null && typeof node === 'object') {
		const bare = node.type === 'link' && node.content.length === 1 && node.content[0].content === node.target;
		if (node.type === 'link' && !bare && scheme.test(node.target) && !known.test(node.target)) {
			found.push(node.target);
		}
		masked(node.content, found);
	}
	return found;
}

function read(text) {
	const found = masked(discord.parse(text, 'extended'), []);
	// simple-markdown by itself knows no blocks of code within a line.
	return text.includes('```') ? found : masked(simple.defaultInlineParse(text), found);
}

let input = '';
process.stdin.on('data', piece => { input += piece; });
process.stdin.on('end', () => { console.log(JSON.stringify(JSON.parse(input).map(read))); });
