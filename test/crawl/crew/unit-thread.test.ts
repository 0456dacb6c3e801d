import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UnitThread } from '../../../src/crawl/crew/unit-thread.ts';

test('a unit that ended before it was started is reported as dead, so that no crawl waits for it', async () => {
  const unit = new UnitThread('early');
  unit.kill('its code could not be loaded');
  await unit.gone;
  const { promise: cause, resolve } = Promise.withResolvers<string>();
  const setup = {} as Parameters<UnitThread['start']>[0];
  unit.start(
    setup,
    () => {},
    (_, why) => resolve(why),
  );
  assert.equal(await cause, 'its code could not be loaded');
});
