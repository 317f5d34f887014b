import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';

/** Commands that a server executed. */
export interface Commands {
  /** Those inside of scripts included. */
  readonly all: number;
  readonly scripts: number;
}

/** The commands of each of `spans` spans of `spanMs`, from `afterMs` on. */
export async function commandsBySpan(
  port: number,
  { afterMs = 0, spans = 1, spanMs }: { afterMs?: number; spans?: number; spanMs: number },
): Promise<readonly Commands[]> {
  const client = new Redis(port, '127.0.0.1');
  try {
    await client.ping();
    await sleep(afterMs);
    const counts: Commands[] = [];
    let before = await executed(client);
    for (let i = 0; i < spans; i++) {
      await sleep(spanMs);
      const now = await executed(client);
      counts.push({ all: now.all - before.all, scripts: now.scripts - before.scripts });
      before = now;
    }
    return counts;
  } finally {
    client.disconnect();
  }
}

/** All calls by INFO since the server started, less those that ask for it. */
export async function executed(client: Redis): Promise<Commands> {
  const stats = await client.info('commandstats');
  const sum = (of: RegExp): number =>
    [...stats.matchAll(of)].reduce((total, [, count]) => total + Number(count), 0);
  return {
    all: sum(/^cmdstat_(?!info)\S+?:calls=(\d+)/gm),
    scripts: sum(/^cmdstat_eval\S*?:calls=(\d+)/gm),
  };
}
