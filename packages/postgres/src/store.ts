import type { Host } from '@holdfast/core/backend';
import { outcomeOf } from './failures.ts';
import { NAME } from './identity.ts';
import type { Batches } from './modes/batches.ts';
import type { Places } from './modes/places.ts';
import type { ModeStatements } from './modes/statements.ts';
import type { Turns } from './modes/turns.ts';
import type { PendingReleases } from './pending-releases.ts';
import type { PostgresDatabase } from './port.ts';
import type { Statements } from './statements.ts';
import type { Releases } from './wake-up.ts';

/** The objects that all contenders and grants of one backend share. */
export interface Store {
  readonly database: PostgresDatabase;
  readonly host: Host;
  readonly statements: Statements;
  /** Those of readers, writers and semaphores. */
  readonly modes: ModeStatements;
  /** The places of those that wait in line. */
  readonly places: Places;
  /** In which calls about the members of a key run. */
  readonly turns: Turns;
  /** Calls that wait for the same turn. */
  readonly batches: Batches;
  readonly namespace: string;
  readonly pendingReleases: PendingReleases;
  /** The notifications of releases. */
  readonly releases: Releases;
  /** True: nothing is granted unless a standby has it. */
  readonly isSynchronous: boolean;
}

/** The payload of the notification that a key is free. No namespace has a line break, so it names one key. */
export function payloadOf({ namespace }: Pick<Store, 'namespace'>, key: string): string {
  return `${namespace}\n${key}`;
}

/** What stands before a contender in the payload of its own notification. */
export function prefixOf(store: Pick<Store, 'namespace'>, key: string): string {
  return `${payloadOf(store, key)}\n`;
}

/** Reports that the server did not serve a call, so that an operator sees one that is slow, down or refusing. */
export function reportNode(
  {
    database,
    host,
  }: { readonly database: Pick<PostgresDatabase, 'address'> } & Pick<Store, 'host'>,
  key: string,
  cause: unknown,
): void {
  const outcome = outcomeOf(cause);
  host.emit({ type: 'node', backend: NAME, node: database.address, outcome, key, cause });
}
