import assert from 'node:assert/strict';
import { registerHooks } from 'node:module';
import { test } from 'node:test';

test('the image decoders are loaded with the first image that changed, and not before', async () => {
  const loaded: string[] = [];
  registerHooks({
    load(url, context, next) {
      loaded.push(url);
      return next(url, context);
    },
  });
  const isDecoderLoaded = (): boolean => loaded.some((url) => /\/(?:picture|gif|jpeg|png)[a-z-]*\.ts$/.test(url));
  await import('../../../src/crawl/unit/change/change-judge.ts');
  const { compareImages } = await import('../../../src/change/image/compare-pictures.ts');
  assert.ok(loaded.some((url) => url.endsWith('/compare-pictures.ts')));
  assert.equal(isDecoderLoaded(), false);
  await compareImages(Buffer.from('no picture'), Buffer.from('no picture either'));
  assert.equal(isDecoderLoaded(), true);
});
