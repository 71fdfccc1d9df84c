// Uses the server through discord.js, which we did not write, as if it were Discord.
// DISCORD_API_URL is the REST base. The environment also holds the token, the channel
// and the address of the test's controls. Each step prints a line; the exit status is 0
// if all succeeded.
import { once } from 'node:events';
import {
  ActionRowBuilder, ApplicationCommandType, ButtonBuilder, ButtonStyle, ChannelFlags, ChannelType, Client, ContextMenuCommandBuilder, Events,
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
  intents: [GatewayIntentBits.Guilds, GatewayIntentBits.GuildMessages, GatewayIntentBits.DirectMessages, GatewayIntentBits.MessageContent, GatewayIntentBits.GuildMessageReactions],
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
  expect([...(await guild.channels.fetch()).values()].map((c) => c.name).join() === 'general', 'REST lists the hidden channel');
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
  step('heard of reactions and of their end');
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
  await outages();
  step('done');
} catch (error) {
  console.log('FAILED', error);
  status = 1;
}
await client.destroy();
process.exit(status);
