import type { Candidate } from './candidate.ts';

/**
 * Nothing is timed that does not lock: a second client must be refused while the first holds, and get in afterwards.
 * @throws Error naming the contender that does not
 */
export async function assertExcludes(contender: Candidate, url: string): Promise<void> {
  const title = `${contender.name} over ${contender.client}`;
  const [first, second] = [await contender.open(url), await contender.open(url)];
  try {
    const giveBack = await first.acquire('really');
    if (giveBack === undefined) throw new Error(`${title} does not get a free key`);
    if ((await second.acquire('really')) !== undefined) throw new Error(`${title} does not lock`);
    await giveBack();
    const next = await second.acquire('really');
    if (next === undefined) throw new Error(`${title} does not give its key back`);
    await next();
  } finally {
    await Promise.all([first.close(), second.close()]);
  }
}
