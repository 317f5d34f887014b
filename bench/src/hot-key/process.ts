/** One process whose callers want a key that others want too. */
import { WAITING } from '../candidates.ts';
import { answer } from '../child.ts';
import { isWork, workOn } from './work.ts';

const [name = '', url = ''] = process.argv.slice(2);
const candidate = WAITING.find((each) => each.name === name);
if (candidate === undefined) throw new Error(`no candidate ${name} waits`);
const opened = await candidate.open(url);

answer(async (message) => {
  if (!isWork(message)) throw new Error('a message that is no work');
  return await workOn(opened, message);
});
