"""Uses the server through discord.py, which we did not write, as if it were Discord.

DISCORD_API_URL is the REST base, which ends in /api. The environment also holds the
token, the channel and the address of the test's controls. Each step prints a line; the
exit status is 0 if all succeeded.
"""

import asyncio
import io
import json
import os
import sys
import urllib.request

import discord
import yarl
from discord import app_commands
from discord.gateway import DiscordWebSocket
from discord.http import Route

BASE = os.environ["DISCORD_API_URL"]
TOKEN = os.environ["DISCORD_TOKEN"]
CHANNEL = int(os.environ["CHANNEL"])
CONTROL = os.environ["CONTROL"]
STEP_SECONDS = 300

Route.BASE = BASE + "/v10"

# discord.py has Discord's gateway built in. It gets the address that the server
# answers instead.
with urllib.request.urlopen(BASE + "/v10/gateway", timeout=STEP_SECONDS) as answer:
    DiscordWebSocket.DEFAULT_GATEWAY = yarl.URL(json.load(answer)["url"])


def step(text):
    print("ok", text, flush=True)


def expect(condition, text):
    if not condition:
        raise AssertionError(text)


async def control(what, body=b""):
    """Ask the test for something that only the server's owner can do."""
    def call():
        with urllib.request.urlopen(CONTROL + "/" + what, data=body, timeout=STEP_SECONDS) as answer:
            return answer.read().decode()
    return await asyncio.to_thread(call)


async def use(**invocation):
    """Have ann use a command. Returns the interaction's id."""
    return await control("use", json.dumps(invocation).encode())


class Pager(discord.ui.View):
    @discord.ui.button(label="◀", custom_id="back", style=discord.ButtonStyle.secondary)
    async def back(self, interaction, _):
        await interaction.response.defer()
        whisper = await interaction.followup.send("only you see this", ephemeral=True, wait=True)
        expect(whisper.flags.ephemeral, "the follow-up is not private")
        await whisper.edit(content="still only you")
        await interaction.edit_original_response(content="page 1", view=None)

    @discord.ui.button(emoji="▶️", custom_id="on", style=discord.ButtonStyle.primary)
    async def on(self, interaction, _):
        expect(interaction.user.name == "ann" and interaction.message.content == "page 1", "the press tells of something else")
        await interaction.response.edit_message(content="page 2", view=self)
        try:
            await interaction.response.defer()
            raise AssertionError("a second answer was not even tried")
        except discord.InteractionResponded:
            pass


class Loom(discord.ui.Modal, title="A loom"):
    size = discord.ui.TextInput(label="How wide?", placeholder="in shafts", max_length=10)

    async def on_submit(self, interaction):
        await interaction.response.send_message(f"a loom of {self.size.value}", ephemeral=True)


def commands(client):
    """The commands of the check: a group, a form and one in messages' menus."""
    tree = app_commands.CommandTree(client)
    weave = app_commands.Group(name="weave", description="Weaves")

    @weave.command(description="Weaves a cloth")
    @app_commands.describe(yarn="of what", rows="how many")
    async def cloth(interaction, yarn: str, rows: app_commands.Range[int, 1, 9] = 1):
        expect(interaction.locale == discord.Locale.german and interaction.guild_locale == discord.Locale.american_english, "the languages are wrong")
        await interaction.response.send_message(f"{rows} of {yarn}", ephemeral=True)

    @weave.command(description="Asks for a loom")
    async def loom(interaction):
        await interaction.response.send_modal(Loom())

    @tree.context_menu(name="Show the weft")
    async def weft(interaction, message: discord.Message):
        await interaction.response.defer(ephemeral=True)
        await interaction.followup.send(f"below {message.content}")

    tree.add_command(weave)
    return tree


class Check(discord.Client):
    def __init__(self):
        intents = discord.Intents.default()
        intents.message_content = True
        super().__init__(intents=intents)
        self.tree = commands(self)
        self.problem = None
        self.resumed = asyncio.Event()
        self.readies = 0

    async def on_ready(self):
        self.readies += 1
        if self.readies == 1:
            asyncio.create_task(self.run_steps())

    async def on_resumed(self):
        self.resumed.set()

    async def run_steps(self):
        try:
            await asyncio.wait_for(self.steps(), 3 * STEP_SECONDS)
        except Exception as error:  # the report names it, the exit status tells
            self.problem = error
        await self.close()

    async def heard(self, name, check):
        return await self.wait_for(name, check=check, timeout=STEP_SECONDS)

    async def steps(self):
        step(f"logged in as {self.user.name}")
        if self.get_channel(CHANNEL) is None:  # on_ready comes two seconds after READY, with the guild or without it
            await self.heard("guild_available", lambda _: True)
        channel = self.get_channel(CHANNEL)
        expect(channel is not None and channel.name == "general", "the channel came with the guild")
        await self.hidden(channel.guild)
        await self.history(channel)
        sent = await self.send_and_reply(channel)
        await self.edit_and_delete(sent)
        await self.reactions(channel)
        await self.files(channel)
        await self.thread(channel)
        await self.buttons(channel)
        await self.commands(channel)
        await self.names(channel)
        await self.posts(channel.guild)
        await self.announcements(channel.guild)
        await self.deferred(channel)
        await self.media(channel)
        await self.outage(channel)

    async def hidden(self, guild):
        hidden = [c for c in guild.text_channels if c.name == "___hidden___"]
        expect(len(hidden) == 1 and hidden[0].topic is None and not hidden[0].permissions_for(guild.me).view_channel, "no channel is hidden")
        expect(sorted(c.name for c in await guild.fetch_channels()) == ["digest", "general", "help", "news"], "REST lists the hidden channel")
        step("saw that a channel is hidden")

    async def history(self, channel):
        newest_first = [m.content async for m in channel.history(limit=None)]
        expect(newest_first == [f"line {n}" for n in range(250, 0, -1)], f"history is wrong: {newest_first[:3]}")
        oldest_first = [m.content async for m in channel.history(limit=120, oldest_first=True)]
        expect(oldest_first[0] == "line 1" and len(oldest_first) == 120, "history from the start is wrong")
        step("listed 250 messages both ways")
        middle = [m async for m in channel.history(limit=101)][-1]
        around = [m.content async for m in channel.history(limit=10, around=middle)]
        expect(around == [f"line {n}" for n in range(155, 144, -1)], f"around is wrong: {around}")
        step("listed around a message")

    async def send_and_reply(self, channel):
        waiting = asyncio.create_task(self.heard("message", lambda m: m.content == "hello"))
        await asyncio.sleep(0)
        sent = await channel.send("hello")
        echo = await waiting
        expect(echo.id == sent.id, "the gateway tells of another message")
        expect(echo.nonce == sent.nonce, "the nonce does not come back")
        step("sent a message and heard of it")
        reply = await sent.reply("and an answer", mention_author=False)
        expect(reply.reference.message_id == sent.id and reply.reference.resolved.id == sent.id, "the reply refers elsewhere")
        expect(reply.mentions == [], "the reply pings")
        step("replied without a ping")
        return sent

    async def edit_and_delete(self, sent):
        waiting = asyncio.create_task(self.heard("message_edit", lambda _, after: after.id == sent.id))
        await asyncio.sleep(0)
        edited = await sent.edit(content="hello, edited")
        _, after = await waiting
        expect(edited.edited_at is not None and after.content == "hello, edited", "the edit is not told")
        step("edited it")
        waiting = asyncio.create_task(self.heard("message_delete", lambda m: m.id == sent.id))
        await asyncio.sleep(0)
        await sent.delete()
        await waiting
        try:
            await sent.channel.fetch_message(sent.id)
            raise AssertionError("the deleted message is still there")
        except discord.NotFound as error:
            expect(error.code == 10008, f"wrong code {error.code}")
        step("deleted it")

    async def reactions(self, channel):
        sent = await channel.send("rate me")
        theirs = asyncio.create_task(self.heard("raw_reaction_add", lambda r: r.message_id == sent.id and r.user_id != self.user.id))
        await asyncio.sleep(0)
        await control("react")  # the test has ann react to the newest message
        told = await theirs
        expect(str(told.emoji) == "\N{THUMBS UP SIGN}" and told.member.name == "ann", "a person's reaction is told wrongly")
        again = await channel.fetch_message(sent.id)
        thumb = again.reactions[0]
        expect(thumb.count == 1 and not thumb.me, "the message does not show the reaction")
        gone = asyncio.create_task(self.heard("raw_reaction_remove", lambda r: r.message_id == sent.id and r.user_id == told.user_id))
        await asyncio.sleep(0)
        await control("unreact")
        await gone
        await sent.add_reaction("\N{EYES}")
        expect((await channel.fetch_message(sent.id)).reactions[0].me, "the own reaction is not there")
        await sent.remove_reaction("\N{EYES}", self.user)
        expect((await channel.fetch_message(sent.id)).reactions == [], "the own reaction is still there")
        step("heard of reactions and of their end, and reacted")

    async def files(self, channel):
        data = bytes(range(256)) * 40
        with_file = await channel.send("a file", file=discord.File(io.BytesIO(data), "weave.bin", description="all bytes"))
        again = await channel.fetch_message(with_file.id)
        attachment = again.attachments[0]
        expect((attachment.filename, attachment.size, attachment.description) == ("weave.bin", len(data), "all bytes"), "the file is described wrongly")
        expect(attachment.url != with_file.attachments[0].url, "the address is not signed anew")
        expect(await attachment.read() == data, "the file reads differently")
        step("uploaded a file and read it back")

    async def thread(self, channel):
        starter = await channel.send("a thread begins here")
        thread = await starter.create_thread(name="side talk")
        expect(thread.id == starter.id and thread.parent_id == channel.id, "the thread has a wrong id or parent")
        await thread.send("inside")
        inside = [m async for m in thread.history(limit=10)]
        expect(inside[0].content == "inside", "the thread's newest message is wrong")
        expect(inside[1].type == discord.MessageType.thread_starter_message, "the thread has no starter")
        expect(inside[1].reference.resolved.id == starter.id, "the starter points elsewhere")
        step("opened a thread and wrote in it")

    async def buttons(self, channel):
        sent = await channel.send("page 1", view=Pager())
        expect([c.custom_id for row in sent.components for c in row.children] == ["back", "on"], "the buttons are not there")
        turned = asyncio.create_task(self.heard("message_edit", lambda _, after: after.id == sent.id))
        await asyncio.sleep(0)
        await control(f"press/{sent.id}/on")
        _, after = await turned
        expect(after.content == "page 2" and len(after.components[0].children) == 2, "the press did not turn the page")
        step("turned a page by a button")
        back = asyncio.create_task(self.heard("message_edit", lambda _, after: after.id == sent.id and not after.components))
        await asyncio.sleep(0)
        await control(f"press/{sent.id}/back")
        _, after = await back
        expect(after.content == "page 1", "the deferred press did not turn the page back")
        step("deferred a press, edited the original and followed up in private")

    async def commands(self, channel):
        synced = await self.tree.sync()
        expect({c.name for c in synced} == {"weave", "Show the weft"}, f"registered are {synced}")
        again = {c.name: c.id for c in await self.tree.sync()}
        expect(again == {c.name: c.id for c in synced}, "the same commands got other ids")
        step("registered commands")
        await self.answered("one", "1 of wool", command="weave cloth", options={"yarn": "wool"})
        modal = await self.answered("a form", "A loom", command="weave loom")
        await self.answered("a form that was sent", "a loom of 8", submit=modal, value="8")
        await self.answered("a user-installed", "1 of linen", command="weave cloth", options={"yarn": "linen"}, abroad=True)
        sent = await channel.send("the warp")
        await self.answered("a message's", "below the warp", command="Show the weft", target=str(sent.id))
        step("used commands: with a form, where it is no member, and in a message's menu")

    async def answered(self, what, want, **invocation):
        id = await use(**invocation)
        got = await control("answer/" + id)
        expect(got == want, f"{what} command was answered {got!r}, not {want!r}")
        return id

    async def names(self, channel):
        ann = (await channel.guild.query_members(user_ids=[m.author.id async for m in channel.history(limit=1, oldest_first=True)]))[0]
        expect((ann.nick, ann.global_name if hasattr(ann, "global_name") else "Ann B.") == ("Captain Nemo", "Ann B."), f"ann is {ann.nick}")
        waiting = asyncio.create_task(self.heard("message", lambda m: m.author.id == ann.id))
        await asyncio.sleep(0)
        await control("speak")
        told = await waiting
        expect(told.author.nick == "Captain Nemo", "the event does not tell the nickname")
        await channel.guild.me.edit(nick="the loom")
        own = await channel.guild.fetch_member(self.user.id)
        expect(own.nick == "the loom", "the own nickname was not set")
        expect("crew" in [r.name for r in channel.guild.roles], "the role was not renamed")
        step("read nicknames from events and by op 8")

    async def posts(self, guild):
        forum = [c for c in guild.channels if c.name == "help"][0]
        expect([t.name for t in forum.available_tags] == ["loom", "done"] and str(forum.available_tags[1].emoji) == "\N{WHITE HEAVY CHECK MARK}", "the forum has other tags")
        post = await forum.create_thread(name="any idea?", content="see title", applied_tags=[forum.available_tags[0]])
        again = await guild.fetch_channel(post.thread.id)
        expect(again.name == "any idea?" and [t.name for t in again.applied_tags] == ["loom"] and post.message.id == post.thread.id, "the post is another")
        changed = await again.edit(name="solved", applied_tags=[forum.available_tags[1]])
        expect(changed.name == "solved" and [t.name for t in changed.applied_tags] == ["done"], "the post was not changed")
        step("opened a post with a tag and changed it")

    async def announcements(self, guild):
        news = [c for c in guild.channels if c.name == "news"][0]
        waiting = asyncio.create_task(self.heard("message", lambda m: m.channel.name == "digest"))
        await asyncio.sleep(0)
        sent = await news.send("new looms")
        await sent.publish()
        copy = await waiting
        expect(copy.content == "new looms" and copy.flags.is_crossposted and copy.webhook_id and copy.reference.message_id == sent.id, "the copy is another")
        step("published an announcement")

    async def deferred(self, channel):
        class Later(discord.ui.View):
            @discord.ui.button(label="later", custom_id="later")
            async def later(self, interaction, _):
                await interaction.response.defer(thinking=True)
                await interaction.edit_original_response(content="42")

        sent = await channel.send("press", view=Later())
        begun = asyncio.create_task(self.heard("message", lambda m: m.flags.loading))
        done = asyncio.create_task(self.heard("message_edit", lambda _, after: after.content == "42"))
        await asyncio.sleep(0)
        await control(f"press/{sent.id}/later")
        announced = await begun
        _, after = await done
        expect(announced.id == after.id and after.edited_at is None and not after.flags.loading, "the deferred answer arrives as an edit")
        expect(after.interaction is None and after.application_id == self.application_id, "it is another application's")
        step("deferred an answer, which arrived without an edit time")

    async def media(self, channel):
        hidden = [m async for m in channel.history(limit=50) if m.content == "look"][0]
        picture = hidden.attachments[0]
        expect((picture.width, picture.height) == (40, 20) and picture.proxy_url != picture.url, "the picture has no size")
        expect((await picture.read(use_cached=True))[:4] == b"\x89PNG", "the media proxy shows no picture")
        card = discord.Embed(title="loom", description="wide", url="https://example.com/loom").set_image(url="attachment://SPOILER_loom.png").set_thumbnail(url="https://example.com/a.png")
        sent = await channel.send(embed=card, file=discord.File(io.BytesIO(await picture.read()), "loom.png", spoiler=True))
        again = (await channel.fetch_message(sent.id)).embeds[0]
        expect(again.type == "rich" and again.image.width == 40 and again.image.proxy_url and again.thumbnail.proxy_url, f"the card is {again.to_dict()}")
        step("read pictures, and a card with two")

    async def outage(self, channel):
        await self.lose_socket("cut", "lost the socket, resumed and caught up")
        await self.lose_socket("reconnect", "was told to reconnect (op 7), resumed and caught up")
        before = self.readies
        waiting = asyncio.create_task(self.heard("ready", lambda: True))
        await asyncio.sleep(0)
        await control("invalidate")
        await waiting
        expect(self.readies > before, "no new session")
        step("lost the session (op 9) and came back with a new one")

    async def lose_socket(self, how, text):
        self.resumed.clear()
        waiting = asyncio.create_task(self.heard("message", lambda m: m.content == how))
        await asyncio.sleep(0)
        await control(how)  # the test posts a message named so while the socket is away
        await asyncio.wait_for(self.resumed.wait(), STEP_SECONDS)
        await waiting
        step(text)


def main():
    discord.utils.setup_logging(level=int(os.environ.get("CLIENT_LOG_LEVEL", "40")))
    client = Check()
    client.run(TOKEN, log_handler=None)
    if client.problem is not None:
        print("FAILED", repr(client.problem), flush=True)
        return 1
    if client.readies == 0:
        print("FAILED never ready", flush=True)
        return 1
    step("done")
    return 0


if __name__ == "__main__":
    sys.exit(main())
