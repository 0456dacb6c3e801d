/** Tests images that are tracked for changes, on a real web with real image files. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { readDiff } from '../../../src/copy/read-diff.ts';
import { readHistory } from '../../../src/copy/read-history.ts';
import type { GivenOptions } from '../../../src/core/options/options.ts';
import type { DescribedChange } from '../../../src/crawl/unit/change/classify-change.ts';
import { webPicture } from '../../../src/demo/pictures.ts';
import type { Store } from '../../../src/store/contract.ts';
import { readSqliteStore } from '../../../src/store/sqlite/sqlite-store.ts';
import { startLivingSite } from '../../../testbed/web/living-site.ts';
import { type Drawing, jpegOf, pngOf } from '../../../testbed/web/picture-files.ts';
import { REAL_FILES } from '../../change/image/real-files.ts';
import { crawlHere, fatesOf } from '../crawl-here.ts';
import { assertSound, dataFolder } from '../stored-crawl.ts';
import { changesIn, refreshHere, told } from './refresh-here.ts';

const PAGES = 14;

const web: Drawing = (x, y) => Math.round(128 + 100 * Math.sin(Math.hypot(x - 50, y - 40) / 6));
const torn: Drawing = (x, y) => (x > 60 ? 30 : web(x, y));

const page = (title: string, ...parts: readonly string[]): string =>
  `<!doctype html><title>${title}</title><h1>${title}</h1><p>What ${title} says.</p>${parts.join('\n')}`;
const shows = (src: string): string => `<img src="${src}" alt="">`;
const links = (href: string): string => `<a href="${href}">${href}</a>`;

/** Pages that all show the logo; some also show their own picture. Nothing changes unless a test changes it. */
async function picturePages(t: TestContext, given: GivenOptions, validators: 'etag' | 'none' = 'etag') {
  const site = await startLivingSite(t, validators);
  const paths = Array.from({ length: PAGES }, (_, i) => `/page/${i}`);
  site.set('/', page('front', shows('/logo.png'), ...paths.map(links)));
  for (const path of paths) site.set(path, page(path, shows('/logo.png'), links('/')));
  site.set('/page/3', page('three', shows('/photo.jpg'), shows('/moving.gif'), links('/')));
  site.set('/logo.png', webPicture('logo').body as Buffer, 'image/png');
  site.set('/photo.jpg', jpegOf(120, 90, web, { quantum: 2 }), 'image/jpeg');
  site.set('/moving.gif', fileNamed('gif'), 'image/gif');
  const dir = dataFolder(t);
  await crawlHere(dir, [site.web.url('/')], { patience: '0s', ...given });
  site.forget();
  return { site, dir };
}

function fileNamed(wanted: string): Buffer {
  return Buffer.from(REAL_FILES.find(({ name }) => name === wanted)!.file, 'base64');
}

async function changeOf(dir: string, url: string): Promise<DescribedChange> {
  return JSON.parse((await changesIn(dir)).findLast((entry) => entry.url === url)!.change!) as DescribedChange;
}

async function reading<T>(dir: string, read: (store: Store) => Promise<T>): Promise<T> {
  const store = readSqliteStore(dir);
  try {
    return await read(store);
  } finally {
    await store.close();
  }
}

test('P12 P14 an image with other bytes has changed, and the change says whether it looks the same', async (t) => {
  const { site, dir } = await picturePages(t, { images: true });
  site.set('/photo.jpg', jpegOf(120, 90, web, { quantum: 12 }), 'image/jpeg');
  site.set('/moving.gif', fileNamed('gif-interlaced'), 'image/gif');
  site.set('/logo.png', pngOf(120, 90, torn), 'image/png');
  const summary = await refreshHere(dir);
  await assertSound(dir);
  assert.deepEqual((await told(dir, site.web.origin)).sort(), [
    'changed /logo.png',
    'changed /moving.gif',
    'changed /photo.jpg',
  ]);
  assert.deepEqual([summary.changed, summary.changedBy, summary.reread], [3, { images: 3 }, 0]);
  const photo = await changeOf(dir, site.web.url('/photo.jpg'));
  assert.deepEqual([photo.kinds, photo.image?.looksSame], [['images'], true]);
  assert.deepEqual(
    [photo.image?.width, photo.image?.height],
    [
      { before: 120, after: 120 },
      { before: 90, after: 90 },
    ],
  );
  const gif = await changeOf(dir, site.web.url('/moving.gif'));
  assert.equal(gif.image?.looksSame, true);
  assert.equal(gif.image?.codes.before, gif.image?.codes.after, 'the same pixels in another order of rows');
  const logo = await changeOf(dir, site.web.url('/logo.png'));
  assert.equal(logo.image?.looksSame, false);
  assert.notEqual(logo.image?.codes.before, logo.image?.codes.after);
  assert.equal(logo.image?.height.before, 120);
});

test('history and diff of an image say how it looks, and name ten pages that show it', async (t) => {
  const { site, dir } = await picturePages(t, { images: true });
  const [logo, photo] = [site.web.url('/logo.png'), site.web.url('/photo.jpg')];
  site.set('/photo.jpg', jpegOf(120, 90, torn, { quantum: 2 }), 'image/jpeg');
  await refreshHere(dir);
  await reading(dir, async (store) => {
    const history = await readHistory(store, dir, photo, 10);
    assert.deepEqual(
      history.looks.map(({ found, image }) => [found, image?.looksSame]),
      [
        ['changed', false],
        ['first', undefined],
      ],
    );
    assert.deepEqual(history.shownOn, [site.web.url('/page/3')]);
    const { shownOn } = await readHistory(store, dir, logo, 10);
    assert.equal(shownOn.length, 10);
    assert.ok(!shownOn.includes(site.web.url('/page/3')));
    assert.deepEqual((await readHistory(store, dir, site.web.url('/'), 10)).shownOn, []);
    const diff = await readDiff(store, dir, photo, { fromMs: null, toMs: null, of: 'text' });
    assert.deepEqual([diff!.diff, diff!.image], [null, history.looks[0]!.image]);
  });
});

test('an image that is no longer an image file has changed, without further facts', async (t) => {
  const { site, dir } = await picturePages(t, { images: true });
  site.set('/photo.jpg', Buffer.from('\xff\xd8\xff\xe0 broken', 'latin1'), 'image/jpeg');
  await refreshHere(dir);
  const { kinds, image } = await changeOf(dir, site.web.url('/photo.jpg'));
  assert.deepEqual([kinds, image?.looksSame, image?.codes.after, image?.width.before], [['images'], null, null, 120]);
});

for (const validators of ['etag', 'none'] as const) {
  test(`--images in a copy without images reads unchanged pages once for their images (${validators})`, async (t) => {
    const { site, dir } = await picturePages(t, {}, validators);
    assert.equal((await fatesOf(dir, site.web.origin))['/logo.png'], undefined);
    const first = await refreshHere(dir, { images: true });
    await assertSound(dir);
    assert.deepEqual([first.unchanged, first.reread, first.new, first.changed], [PAGES + 1, PAGES + 1, 3, 0]);
    assert.deepEqual(site.asked('/page/3'), [validators === 'etag' ? 304 : 200], 'the archive has what is not sent');
    assert.deepEqual((await told(dir, site.web.origin)).sort(), ['new /logo.png', 'new /moving.gif', 'new /photo.jpg']);
    await reading(dir, async (store) => {
      assert.equal((await readHistory(store, dir, site.web.url('/logo.png'), 1)).shownOn.length, 10);
      assert.deepEqual((await readHistory(store, dir, site.web.url('/photo.jpg'), 1)).shownOn, [
        site.web.url('/page/3'),
      ]);
    });
    // From now on the option is stored and need not be given, and no page is read twice.
    site.set('/logo.png', pngOf(120, 90, torn), 'image/png');
    const second = await refreshHere(dir);
    await assertSound(dir);
    assert.deepEqual([second.reread, second.changedBy, second.unchanged], [0, { images: 1 }, PAGES + 3]);
  });
}

test('if the budget is too small for all pages, the next refresh reads the others', async (t) => {
  const { dir } = await picturePages(t, {});
  const first = await refreshHere(dir, { images: true, budget: 6, weight: 'equal' });
  assert.ok(first.reread > 0 && first.reread <= 6, `${first.reread}`);
  const second = await refreshHere(dir);
  assert.equal(first.reread + second.reread, PAGES + 1);
  await assertSound(dir);
});

test('without --images, images are not visited; with --images again, pages are read again', async (t) => {
  const { site, dir } = await picturePages(t, { images: true });
  site.set('/page/5', page('five', shows('/new.png'), links('/')));
  site.set('/new.png', pngOf(20, 20, web), 'image/png');
  await refreshHere(dir, { images: false });
  assert.equal((await fatesOf(dir, site.web.origin))['/new.png'], undefined);
  const again = await refreshHere(dir, { images: true });
  assert.deepEqual([again.reread, again.new], [PAGES + 1, 1]);
  assert.equal((await fatesOf(dir, site.web.origin))['/new.png'], 'fetched');
  await assertSound(dir);
});
