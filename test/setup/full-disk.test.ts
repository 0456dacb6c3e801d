import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import postgres from 'postgres';
import { startOnSmallDisk } from './full-disk.ts';
import { noPostgres } from './postgres.ts';

test('a full disk refuses new data, keeps committed data, and works again when there is space', {
  skip: noPostgres,
}, async (t) => {
  let folder = '';
  await t.test('on a small disk', async (inner) => {
    const disk = await startOnSmallDisk(inner);
    if (typeof disk === 'string') return inner.skip(disk);
    const { server } = disk;
    folder = server.folder;
    await server.createDatabase('full');
    const sql = postgres(server.url('full'), { max: 1, onnotice: () => {} });
    try {
      await sql`create table page as select 1 as id, repeat('x', 1000) as body`;
      const pid = server.serverPid;
      disk.fill();
      const more = () => sql`insert into page select n, repeat('x', 1000) from generate_series(1, 2000) n`;
      await assert.rejects(more(), { code: '53100' });
      assert.equal((await sql`select count(*)::int as n from page`)[0]!.n, 1);
      disk.empty();
      await more();
      assert.equal((await sql`select count(*)::int as n from page`)[0]!.n, 2001);
      assert.equal(server.serverPid, pid);
    } finally {
      await sql.end();
    }
  });
  if (folder !== '') assert.ok(!readFileSync('/proc/mounts', 'utf8').includes(folder), 'it is still mounted');
});
