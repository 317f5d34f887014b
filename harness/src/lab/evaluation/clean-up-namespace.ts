import { setTimeout as sleep } from 'node:timers/promises';
import type { OwnServersScope } from '../servers/own-servers.ts';

/** What clients have sent before they were ended arrives first. */
const SETTLE_MS = 50;

/** Takes away all that was written under our name on servers of the user's; says what it had to leave. */
export async function cleanUpNamespace(own: OwnServersScope): Promise<string | undefined> {
  await sleep(SETTLE_MS);
  try {
    await Promise.all(own.servers.map((servers) => servers.removeNamespace(own.namespace)));
    return undefined;
  } catch (error) {
    return leftoverText(own, error instanceof Error ? error.message : String(error));
  }
}

export function leftoverText({ namespace }: OwnServersScope, why: string): string {
  return `what is named ${namespace} was left on your servers (${why}): on Redis it expires within a day, on ZooKeeper it is to be deleted by hand`;
}
