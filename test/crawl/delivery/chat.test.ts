/** Tests the chat messages of `--webhook`: their forms, their limits, and that text of a page stays text. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chatMessage, MAX_LINES } from '../../../src/crawl/delivery/chat/chat-message.ts';
import { webhookFormat } from '../../../src/crawl/delivery/chat/webhook-formats.ts';
import type { ChangeEntry } from '../../../src/store/contract.ts';
import { batchOf, NASTY } from './a-batch.ts';
import { change } from './change-store.ts';

const EDIT = JSON.stringify({ kinds: ['text', 'links'], wordsAdded: 3, wordsRemoved: 1 });
const ADDRESS = new URL('https://chat.example.com/hook');

async function posted(format: 'slack' | 'discord' | 'teams', ...entries: readonly ChangeEntry[]) {
  return JSON.parse(webhookFormat(format, ADDRESS).body(await batchOf(entries)));
}

/** All texts of an adaptive card, in order. */
function cardTexts(message: { attachments: { content: { body: { inlines: { text: string }[] }[] } }[] }): string[] {
  return message.attachments[0]!.content.body.map(({ inlines }) => inlines.map(({ text }) => text).join(''));
}

test('each chat service gets its own form with kind, linked title and what changed', async () => {
  const entries = [change(1, { change: EDIT }), change(2, { kind: 'gone', reason: 'not-found' })];
  assert.deepEqual(await posted('slack', ...entries), {
    text: [
      '*1 changed, 1 gone on a.test*',
      '• Changed: <http://a.test/1|Page 1> (text, links, +3 −1 words)',
      '• Gone: <http://a.test/2|Page 2> (the server says 404)',
    ].join('\n'),
    unfurl_links: false,
    unfurl_media: false,
  });
  assert.deepEqual(await posted('discord', ...entries), {
    content: [
      '**1 changed, 1 gone on a\\.test**',
      '- Changed: [Page 1](<http://a.test/1>) (text, links, +3 −1 words)',
      '- Gone: [Page 2](<http://a.test/2>) (the server says 404)',
    ].join('\n'),
    flags: 4,
    allowed_mentions: { parse: [] },
  });
  const card = await posted('teams', ...entries);
  assert.equal(card.attachments[0].contentType, 'application/vnd.microsoft.card.adaptive');
  assert.deepEqual(cardTexts(card), [
    '1 changed, 1 gone on a.test',
    'Changed: Page 1 (text, links, +3 −1 words)',
    'Gone: Page 2 (the server says 404)',
  ]);
  assert.deepEqual(card.attachments[0].content.body[1].inlines[1].selectAction, {
    type: 'Action.OpenUrl',
    url: 'http://a.test/1',
  });
});

test('auto recognises the services by their hosts, and posts JSON to all others', () => {
  const isSame = (url: string, name: 'json' | 'slack' | 'discord' | 'teams') =>
    assert.equal(webhookFormat('auto', new URL(url)), webhookFormat(name, ADDRESS), url);
  isSame('https://hooks.slack.com/services/T0/B0/x', 'slack');
  isSame('https://discord.com/api/webhooks/1/x', 'discord');
  isSame('https://ptb.discord.com/api/webhooks/1/x', 'discord');
  isSame('https://example.webhook.office.com/webhookb2/x', 'teams');
  isSame('https://prod-12.westeurope.logic.azure.com:443/workflows/x', 'teams');
  isSame('https://hooks.slack.com.example.org/', 'json');
  isSame('https://notdiscord.com/', 'json');
});

test('text of a page notifies nobody, becomes no link and breaks no form', async () => {
  const title = `@everyone <!channel> <@U1> [x](https://evil.test) **b** https://evil.test | ${NASTY}`;
  const url = 'http://a.test/(x)|<y>?a=1&b=2';
  const slack: string = (await posted('slack', change(1, { title, url }))).text;
  const [, line = ''] = slack.split('\n');
  assert.equal(line.match(/</g)?.length, 1, 'only our own link');
  assert.match(
    line,
    /^• Changed: <http:\/\/a\.test\/\(x\)%7C%3Cy%3E\?a=1&amp;b=2\|@\u200beveryone &lt;!channel&gt; &lt;@\u200bU1&gt; /,
  );
  const discord = await posted('discord', change(1, { title, url }));
  assert.deepEqual(discord.allowed_mentions, { parse: [] });
  assert.match(discord.content, /\[\\@everyone \\<!channel\\>.*\]\(<http:\/\/a\.test\/%28x%29\|%3Cy%3E\?a=1&b=2>\)$/);
  assert.doesNotMatch(discord.content, /https:\/\/evil\.test/, 'Discord does not see an address in the title');
  const [, text = ''] = cardTexts(await posted('teams', change(1, { title, url })));
  assert.ok(text.startsWith('Changed: @everyone <!channel>'), 'a rich text has no formats');
});

test('messages stay below the limits of the services, whatever the pages are called', async () => {
  const long = { title: '*'.repeat(5_000), url: `http://a.test/${'x'.repeat(5_000)}` };
  const entries = Array.from({ length: 100 }, (_, i) => change(i + 1, i % 2 === 0 ? long : { title: '🕷'.repeat(400) }));
  const slack: string = (await posted('slack', ...entries)).text;
  assert.ok(slack.length < 40_000);
  assert.equal(slack.split('\n').length, MAX_LINES + 2);
  assert.match(slack, /\n… and 85 more$/);
  const { content }: { content: string } = await posted('discord', ...entries);
  assert.ok(content.length <= 2_000, String(content.length));
  assert.ok(content.isWellFormed());
  assert.ok(Buffer.byteLength(JSON.stringify(await posted('teams', ...entries))) < 28_000);
  assert.equal(chatMessage(await batchOf([change(1, { title: ' \u202e ' })])).lines[0]!.title, 'a.test/1');
});
