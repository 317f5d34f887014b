import { setTimeout as sleep } from 'node:timers/promises';
import type { OwnGrounds } from '../servers/own.ts';

/** What clients have sent before they were ended arrives first. */
const SETTLE_MS = 50;

/** Takes away all that was written under our name on servers of the user's; says what it had to leave. */
export async function leave(own: OwnGrounds): Promise<string | undefined> {
  await sleep(SETTLE_MS);
  try {
    await Promise.all(own.servers.map((servers) => servers.sweep(own.namespace)));
    return undefined;
  } catch (error) {
    return leftText(own, error instanceof Error ? error.message : String(error));
  }
}

export function leftText({ namespace }: OwnGrounds, why: string): string {
  return `what is named ${namespace} was left on your servers (${why}): on Redis it expires within a day, on ZooKeeper it is to be deleted by hand`;
}
