// Uses the server through discord.js, which we did not write, as if it were Discord.
// DISCORD_API_URL is the REST base. The environment also holds the token, the channel
// and the address of the test's controls. Each step prints a line; the exit status is 0
// if all succeeded.
import { once } from 'node:events';
import {
  ActionRowBuilder, AttachmentFlags, ApplicationCommandType, ButtonBuilder, ButtonStyle, ChannelFlags, ChannelType, Client, ContextMenuCommandBuilder, EmbedBuilder, Events,
  GatewayIntentBits, InteractionContextType, MessageFlags, MessageType, ModalBuilder, SlashCommandBuilder, TextInputBuilder, TextInputStyle,
} from 'discord.js';

const { DISCORD_API_URL, DISCORD_TOKEN, CHANNEL, CONTROL } = process.env;
const stepMilliseconds = 300_000;

const step = (text) => console.log('ok', text);
const expect = (condition, text) => { if (!condition) throw new Error(text); };
const control = async (what, body) => {
  const answer = await fetch(`${CONTROL}/${what}`, { method: 'POST', body });
  const text = await answer.text();
  expect(answer.ok, `control ${what} answered ${answer.status}: ${text}`);
  return text;
};

const client = new Client({
  rest: { api: DISCORD_API_URL, timeout: stepMilliseconds },
  waitGuildTimeout: stepMilliseconds,
  intents: [GatewayIntentBits.Guilds, GatewayIntentBits.GuildMessages, GatewayIntentBits.DirectMessages, GatewayIntentBits.MessageContent, GatewayIntentBits.GuildMessageReactions, GatewayIntentBits.GuildMessagePolls],
});

// heard resolves with the next event that fits.
function heard(name, fits = () => true) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => { client.off(name, listen); reject(new Error(`no ${name} came`)); }, stepMilliseconds);
    function listen(...args) {
      if (!fits(...args)) return;
      clearTimeout(timer);
      client.off(name, listen);
      resolve(args);
    }
    client.on(name, listen);
  });
}

async function hidden(guild) {
  const found = guild.channels.cache.filter((c) => c.flags.has(ChannelFlags.ChannelObfuscated ?? 1 << 17));
  expect(found.size === 1 && found.first().name === '___hidden___' && !found.first().viewable, 'no channel is hidden');
  expect([...(await guild.channels.fetch()).values()].map((c) => c.name).sort().join() === 'digest,general,help,news', 'REST lists the hidden channel');
  step('saw that a channel is hidden');
}

async function history(channel) {
  const contents = [];
  for (let before; ;) {
    const page = [...(await channel.messages.fetch({ limit: 100, before, cache: false })).values()];
    contents.push(...page.map((m) => m.content));
    if (page.length < 100) break;
    before = page.at(-1).id;
  }
  expect(contents.length === 250 && contents[0] === 'line 250' && contents[249] === 'line 1', `history is wrong: ${contents.length}`);
  step('listed 250 messages');
}

async function sendReplyEditDelete(channel) {
  const echo = heard(Events.MessageCreate, (m) => m.content === 'hello');
  const sent = await channel.send({ content: 'hello', nonce: 'weft-1', enforceNonce: true });
  const [told] = await echo;
  expect(told.id === sent.id && told.nonce === 'weft-1', 'the gateway tells of another message');
  const twice = await channel.send({ content: 'hello', nonce: 'weft-1', enforceNonce: true });
  expect(twice.id === sent.id, 'an enforced nonce made two messages');
  step('sent a message once, with an enforced nonce');
  const reply = await sent.reply({ content: 'and an answer', allowedMentions: { parse: [], repliedUser: false } });
  expect(reply.reference.messageId === sent.id && reply.mentions.users.size === 0, 'the reply refers elsewhere or pings');
  expect((await reply.fetchReference()).id === sent.id, 'the reference cannot be fetched');
  step('replied without a ping');
  const update = heard(Events.MessageUpdate, (_, after) => after.id === sent.id);
  await sent.edit('hello, edited');
  expect((await update)[1].content === 'hello, edited', 'the edit is not told');
  step('edited it');
  const gone = heard(Events.MessageDelete, (m) => m.id === sent.id);
  await sent.delete();
  await gone;
  const error = await channel.messages.fetch({ message: sent.id, force: true }).then(() => undefined, (e) => e);
  expect(error?.code === 10008, 'the deleted message is still there');
  step('deleted it');
}

async function reactions(channel) {
  const sent = await channel.send('rate me');
  const theirs = heard(Events.MessageReactionAdd, (r, user) => r.message.id === sent.id && user.id !== client.user.id);
  await control('react'); // the test has ann react to the newest message
  const [reaction] = await theirs;
  expect(reaction.emoji.name === '👍' && reaction.count === 1 && !reaction.me, 'the reactions are counted wrongly');
  const back = heard(Events.MessageReactionRemove, (r, user) => r.message.id === sent.id && user.username === 'ann');
  await control('unreact');
  await back;
  const own = await sent.react('👀');
  expect(own.me && (await channel.messages.fetch({ message: sent.id, force: true })).reactions.cache.get('👀').count === 1, 'the own reaction is not there');
  await own.users.remove(client.user);
  step('heard of reactions and of their end, and reacted');
}

async function files(channel) {
  const data = Buffer.from(Array.from({ length: 10_240 }, (_, i) => i % 256));
  const sent = await channel.send({ content: 'a file', files: [{ attachment: data, name: 'weave.bin', description: 'all bytes' }] });
  const again = await channel.messages.fetch({ message: sent.id, force: true, cache: false });
  const attachment = again.attachments.first();
  expect(attachment.name === 'weave.bin' && attachment.size === data.length, 'the file is described wrongly');
  const read = Buffer.from(await (await fetch(attachment.url)).arrayBuffer());
  expect(read.equals(data), 'the file reads differently');
  step('uploaded a file and read it back');
}

async function threads(channel) {
  const starter = await channel.send('a thread begins here');
  const thread = await starter.startThread({ name: 'side talk' });
  expect(thread.id === starter.id && thread.parentId === channel.id && thread.type === ChannelType.PublicThread, 'the thread is wrong');
  await thread.send('inside');
  const inside = [...(await thread.messages.fetch({ limit: 10 })).values()];
  expect(inside[0].content === 'inside' && inside[1].type === MessageType.ThreadStarterMessage, 'the thread holds something else');
  step('opened a thread and wrote in it');
}

async function buttons(channel) {
  const row = new ActionRowBuilder().addComponents(
    new ButtonBuilder().setCustomId('back').setLabel('◀').setStyle(ButtonStyle.Secondary).setDisabled(true),
    new ButtonBuilder().setCustomId('on').setEmoji('▶️').setStyle(ButtonStyle.Primary),
  );
  const sent = await channel.send({ content: 'page 1', components: [row] });
  expect(sent.components[0].components[0].disabled && sent.components[0].components[1].customId === 'on', 'the buttons are not there');
  const pressed = heard(Events.InteractionCreate, (i) => i.isButton());
  await control(`press/${sent.id}/on`);
  const [press] = await pressed;
  expect(press.user.username === 'ann' && press.message.id === sent.id && press.customId === 'on', 'the press tells of something else');
  const update = heard(Events.MessageUpdate, (_, after) => after.id === sent.id);
  const { resource } = await press.update({ content: 'page 2', withResponse: true });
  expect(resource.message.content === 'page 2' && (await update)[1].content === 'page 2', 'the press did not turn the page');
  const whisper = await press.followUp({ content: 'only you see this', flags: MessageFlags.Ephemeral });
  expect(whisper.flags.has(MessageFlags.Ephemeral), 'the follow-up is not private');
  step('turned a page by a button');
}

// used has ann use a command, answers it, and returns the interaction's id.
async function used(what, want, invocation, answer) {
  const interaction = heard(Events.InteractionCreate);
  const id = await control('use', JSON.stringify(invocation));
  await answer((await interaction)[0]);
  const got = await control(`answer/${id}`);
  expect(got === want, `${what} was answered ${got}, not ${want}`);
  return id;
}

async function commands(channel) {
  const weave = new SlashCommandBuilder().setName('weave').setNameLocalizations({ de: 'weben' }).setDescription('Weaves')
    .addSubcommand((cloth) => cloth.setName('cloth').setDescription('Weaves a cloth')
      .addStringOption((yarn) => yarn.setName('yarn').setDescription('of what').setRequired(true)))
    .addSubcommand((loom) => loom.setName('loom').setDescription('Asks for a loom'));
  const weft = new ContextMenuCommandBuilder().setName('Show the weft').setType(ApplicationCommandType.Message);
  const registered = await client.application.commands.set([weave, weft]);
  expect(registered.size === 2 && registered.some((c) => c.name === 'weave' && c.options.length === 2), 'the commands are not registered');
  const again = await client.application.commands.fetch();
  expect(registered.every((c) => again.get(c.id)?.version === c.version), 'the same commands have other versions');
  step('registered commands');
  await used('a command', 'of wool', { command: 'weave cloth', options: { yarn: 'wool' } }, async (i) => {
    expect(i.isChatInputCommand() && i.options.getSubcommand() === 'cloth' && i.locale === 'de' && i.guildLocale === 'en-US', 'the command is another');
    await i.reply({ content: `of ${i.options.getString('yarn')}`, flags: MessageFlags.Ephemeral });
  });
  const input = new TextInputBuilder().setCustomId('size').setLabel('How wide?').setStyle(TextInputStyle.Short);
  const form = new ModalBuilder().setCustomId('loom').setTitle('A loom').addComponents(new ActionRowBuilder().addComponents(input));
  const modal = await used('a form', 'A loom', { command: 'weave loom' }, (i) => i.showModal(form));
  await used('a form that was sent', 'a loom of 8', { submit: modal, value: '8' }, async (i) => {
    expect(i.isModalSubmit() && i.customId === 'loom', 'the form is another');
    await i.reply({ content: `a loom of ${i.fields.getTextInputValue('size')}`, flags: MessageFlags.Ephemeral });
  });
  await used('a user-installed command', 'abroad', { command: 'weave cloth', options: { yarn: 'linen' }, abroad: true }, async (i) => {
    const owners = i.authorizingIntegrationOwners;
    expect(owners.userId === i.user.id && owners.guildId === null, 'it is installed for somebody else');
    expect(i.context === InteractionContextType.Guild && i.guildId && !i.inCachedGuild(), 'it is used elsewhere');
    await i.reply({ content: 'abroad', flags: MessageFlags.Ephemeral });
  });
  const sent = await channel.send('the warp');
  await used("a message's command", 'below the warp', { command: 'Show the weft', target: sent.id }, async (i) => {
    await i.deferReply({ flags: MessageFlags.Ephemeral });
    await i.editReply(`below ${i.targetMessage.content}`);
  });
  step("used commands: with a form, where it is no member, and in a message's menu");
}

async function polls(channel) {
  const sent = await channel.send({ poll: { question: { text: 'Warp or weft?' }, answers: [{ text: 'warp' }, { text: 'weft', emoji: '🧵' }], duration: 2, allowMultiselect: false } });
  expect(sent.poll.question.text === 'Warp or weft?' && sent.poll.answers.get(2).emoji.name === '🧵' && sent.poll.expiresTimestamp > Date.now(), 'the poll is another');
  const vote = heard(Events.MessagePollVoteAdd, (answer) => answer.poll.message.id === sent.id);
  await control('vote'); // the test has ann choose the second answer of the newest message
  const [answer, who] = await vote;
  expect(answer.id === 2 && who !== client.user.id, 'the vote is for another answer');
  const open = await channel.messages.fetch({ message: sent.id, force: true, cache: false });
  expect(open.poll.answers.get(2).voteCount === 1 && !open.poll.resultsFinalized, 'the open poll tells no votes');
  const voters = await open.poll.answers.get(2).voters.fetch();
  expect(voters.first().username === 'ann', 'the voter is another');
  const result = heard(Events.MessageCreate, (m) => m.type === MessageType.PollResult);
  const ended = await sent.poll.end();
  expect(ended.poll.resultsFinalized && (await result)[0].embeds[0].data.type === 'poll_result', 'the poll has not ended');
  step('made a poll, counted a vote and ended it');
}

async function names(channel) {
  const oldest = (await channel.messages.fetch({ limit: 1, after: '0' })).first();
  const members = await channel.guild.members.fetch({ user: [oldest.author.id, client.user.id], force: true });
  expect(members.get(oldest.author.id).nickname === 'Captain Nemo' && members.get(oldest.author.id).user.globalName === 'Ann B.', 'ann has another name');
  await channel.guild.members.me.setNickname('the loom');
  expect((await channel.guild.members.fetch({ user: client.user.id, force: true })).nickname === 'the loom', 'the own nickname was not set');
  expect(channel.guild.roles.cache.some((r) => r.name === 'crew'), 'the role was not renamed');
  step('read nicknames by op 8');
}

async function posts(guild) {
  const forum = guild.channels.cache.find((c) => c.name === 'help');
  expect(forum.availableTags.map((t) => t.name).join() === 'loom,done' && forum.availableTags[1].emoji.name === '✅', 'the forum has other tags');
  const post = await forum.threads.create({ name: 'any idea?', message: { content: 'see title' }, appliedTags: [forum.availableTags[0].id] });
  expect(post.appliedTags.join() === forum.availableTags[0].id && (await post.fetchStarterMessage()).content === 'see title', 'the post is another');
  const changed = await post.setAppliedTags([forum.availableTags[1].id]);
  expect(changed.appliedTags.join() === forum.availableTags[1].id, 'the post was not changed');
  step('opened a post with a tag and changed it');
}

async function announcements(guild) {
  const copied = heard(Events.MessageCreate, (m) => m.channel.name === 'digest');
  const sent = await guild.channels.cache.find((c) => c.name === 'news').send('new looms');
  const published = await sent.crosspost();
  const [copy] = await copied;
  expect(published.flags.has(MessageFlags.Crossposted) && copy.flags.has(MessageFlags.IsCrosspost) && copy.reference.messageId === sent.id && copy.webhookId, 'the copy is another');
  step('published an announcement');
}

async function deferred(channel) {
  const row = new ActionRowBuilder().addComponents(new ButtonBuilder().setCustomId('later').setLabel('later').setStyle(ButtonStyle.Primary));
  const sent = await channel.send({ content: 'press', components: [row] });
  const pressed = heard(Events.InteractionCreate, (i) => i.isButton() && i.customId === 'later');
  const begun = heard(Events.MessageCreate, (m) => m.flags.has(MessageFlags.Loading));
  const done = heard(Events.MessageUpdate, (_, after) => after.content === '42');
  await control(`press/${sent.id}/later`);
  const [press] = await pressed;
  await press.deferReply();
  const [announced] = await begun;
  await press.editReply('42');
  const [, after] = await done;
  expect(announced.id === after.id && after.editedTimestamp === null && !after.flags.has(MessageFlags.Loading), 'the deferred answer arrives as an edit');
  expect(after.interactionMetadata.user.username === 'ann' && after.applicationId === client.application.id, 'it answers somebody else');
  step('deferred an answer, which arrived without an edit time');
}

async function media(channel) {
  const spoken = heard(Events.MessageCreate, (m) => m.flags.has(MessageFlags.IsVoiceMessage));
  const shown = heard(Events.MessageCreate, (m) => m.content === 'look');
  await control('speak'); // the test has ann send a voice message, and a picture as a spoiler
  const [[voice], [hidden]] = await Promise.all([spoken, shown]);
  expect(voice.attachments.first().duration === 12.5 && voice.attachments.first().waveform === 'AAAA' && voice.member.nickname === 'Captain Nemo', 'the voice message is another');
  const picture = hidden.attachments.first();
  expect(picture.flags.has(AttachmentFlags.IsSpoiler ?? 8) && picture.width === 40 && picture.height === 20, 'the picture is no spoiler');
  const scaled = Buffer.from(await (await fetch(`${picture.proxyURL}width=10&height=5&format=png`)).arrayBuffer());
  expect(scaled.subarray(1, 4).toString() === 'PNG' && scaled.readUInt32BE(16) === 10, 'the media proxy does not scale');
  const file = { attachment: scaled, name: 'loom.png' };
  const card = new EmbedBuilder().setTitle('loom').setURL('https://example.com/loom').setImage('attachment://loom.png').setThumbnail('https://example.com/a.png');
  const sent = await channel.send({ embeds: [card], files: [file] });
  const [embed] = (await channel.messages.fetch({ message: sent.id, force: true, cache: false })).embeds;
  expect(embed.image.width === 10 && embed.image.proxyURL && embed.thumbnail.proxyURL, 'the card has no pictures');
  step('heard of a voice message and a spoiler, and read a card with pictures');
}

async function search(channel) {
  const found = await client.rest.get(`/guilds/${channel.guildId}/messages/search`, { query: new URLSearchParams({ content: 'line 42', sort_order: 'asc' }) });
  expect(found.total_results === 1 && found.messages[0][0].content === 'line 42', `search found ${JSON.stringify(found)}`);
  step('searched');
}

async function outages() {
  for (const how of ['cut', 'reconnect']) {
    const back = heard(Events.ShardResume);
    const missed = heard(Events.MessageCreate, (m) => m.content === how);
    await control(how); // the test posts a message named so while the socket is away
    await Promise.all([back, missed]);
    step(`lost the socket (${how}), resumed and caught up`);
  }
  const fresh = heard(Events.ShardReady);
  await control('invalidate');
  await fresh;
  step('lost the session (op 9) and came back with a new one');
}

let status = 0;
try {
  const ready = once(client, Events.ClientReady);
  await client.login(DISCORD_TOKEN);
  await ready;
  step(`logged in as ${client.user.username}`);
  const channel = await client.channels.fetch(CHANNEL);
  await hidden(channel.guild);
  await history(channel);
  await sendReplyEditDelete(channel);
  await reactions(channel);
  await files(channel);
  await threads(channel);
  await buttons(channel);
  await commands(channel);
  await polls(channel);
  await names(channel);
  await posts(channel.guild);
  await announcements(channel.guild);
  await deferred(channel);
  await media(channel);
  await search(channel);
  await outages();
  step('done');
} catch (error) {
  console.log('FAILED', error);
  status = 1;
}
await client.destroy();
process.exit(status);
