/**
 * A crawler that follows a site with `refresh --watch`: a process of its own. In: the folder of its copy, the interval
 * of its rounds and
 * further settings as JSON. Out: a JSON line for each round it has begun to tell of, and for each change when it is in
 * the copy.
 */
import { refresh } from '../../../src/index.ts';

const [dir, every, more] = process.argv.slice(2) as [string, string, string];

const following = refresh({ dir, watch: true, every, due: '100%', ...(JSON.parse(more ?? '{}') as object) });
process.on('SIGTERM', () => process.exit(0));
for await (const event of following.events()) {
  if (event.type === 'change') {
    const { kind, url } = event.change;
    process.stdout.write(`${JSON.stringify({ kind, url, atMs: Date.now() })}\n`);
  } else if ('message' in event) process.stdout.write(`${JSON.stringify({ warning: event.message })}\n`);
}
