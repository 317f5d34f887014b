import { openLocks } from 'holdfast';
import { ask, onMessage, tell } from '../support/parent.ts';

/**
 * A process that works under one lock until a message ends it. Arguments: its configuration as JSON, the key, and its name.
 */
const [config = '{}', key = '', label = ''] = process.argv.slice(2);

const over = new AbortController();
onMessage(() => over.abort());

const locks = await openLocks(JSON.parse(config), { label });
while (!over.signal.aborted) {
  await locks.use(
    key,
    async ({ fencingToken }) => {
      await ask('enter', label, `${fencingToken}`);
      await ask('leave', label);
    },
    { waitMs: 30_000 },
  );
}
await locks.close();
tell({ over: label });
process.disconnect();
