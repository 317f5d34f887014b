import type { Host } from '@holdfast/core/backend';
import { NAME } from './identity.ts';
import type { ServerStatus } from './port.ts';

/** The first release of each series whose leader checks that it still leads before it revokes leases that expired. */
const CURED: Readonly<Record<string, number>> = { '3.4': 31, '3.5': 13 };
const FIRST_CURED_SERIES = [3, 6] as const;

/**
 * True if a leader of this version that was paused and replaced has the leases revoked that its successor had
 * renewed (https://github.com/etcd-io/etcd/issues/15247, cured by pull request 16822 and its backports). Also true for a
 * version that cannot be read.
 */
export function revokesOthersLeases(version: string): boolean {
  const [, major, minor, patch] = /^(\d+)\.(\d+)\.(\d+)/.exec(version) ?? [];
  if (major === undefined) return true;
  const cured = CURED[`${major}.${minor}`];
  if (cured !== undefined) return Number(patch) < cured;
  const [firstMajor, firstMinor] = FIRST_CURED_SERIES;
  return Number(major) < firstMajor || (Number(major) === firstMajor && Number(minor) < firstMinor);
}

/** Warns of servers that can end a lease too early. */
export function warnOldServers(host: Host, servers: readonly ServerStatus[]): void {
  const old = servers.flatMap(({ node, version }) =>
    version !== undefined && revokesOthersLeases(version) ? [`${node} runs ${version}`] : [],
  );
  if (old.length === 0) return;
  const message = `${NAME}: ${old.join(', ')}: a leader of such a version that is paused and replaced can revoke leases that its successor has renewed, so a lease may end while its holder relies on it (etcd#15247). Use 3.4.31, 3.5.13, 3.6 or later`;
  host.emit({ type: 'warning', backend: NAME, code: 'old-server', message });
}
