/**
 * A crawler that follows a site with `refresh --watch`, as a separate process. In: the folder of its copy, the interval
 * of its rounds and further settings as JSON. Out: a JSON line for each change when it is stored in the copy, and for
 * each event with a message.
 */
import { refresh } from '../../src/index.ts';

const [dir, every, more] = process.argv.slice(2) as [string, string, string];

const following = refresh({ dir, watch: true, every, due: '100%', ...(JSON.parse(more ?? '{}') as object) });
process.on('SIGTERM', () => process.exit(0));
for await (const event of following.events()) {
  if (event.type === 'change') {
    const { kind, url } = event.change;
    process.stdout.write(`${JSON.stringify({ kind, url, atMs: Date.now() })}\n`);
  } else if ('message' in event) process.stdout.write(`${JSON.stringify({ warning: event.message })}\n`);
}
