/** One process whose callers want a key that others want too. */
import { WAITING } from '../candidates.ts';
import { answer } from '../child.ts';
import { isWork, workOn } from './work.ts';

const [name = '', url = ''] = process.argv.slice(2);
const candidate = WAITING.find((each) => each.name === name);
if (candidate === undefined) throw new Error(`no candidate ${name} waits`);

answer(async (message) => {
  if (!isWork(message)) throw new Error('a message that is no work');
  // A client of its own, so that closing it ends what waits: some libraries look for the key for many seconds more.
  const opened = await candidate.open(url);
  try {
    return await workOn(opened, message);
  } finally {
    await opened.close();
  }
});
