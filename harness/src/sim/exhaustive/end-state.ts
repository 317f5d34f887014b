import type { HistoryEvent } from '@holdfast/core/backend';
import type { Cluster } from '../schedule/cluster.ts';
import type { RoundClient } from './round-client.ts';

/**
 * Describes the end of a run: the contents of each server with their expiry, the outcome of each client, and the
 * order of grants. Tokens are numbered, since they are times of day, and a step takes a microsecond.
 */
export function endStateOf(
  cluster: Cluster,
  clients: readonly RoundClient[],
  history: readonly HistoryEvent[],
): string {
  const tokens = history.flatMap((event) => (event.type === 'granted' ? (event.token ?? []) : []));
  const number = (value: string): string => {
    const at = tokens.indexOf(value);
    return at < 0 ? value : `token ${at + 1}`;
  };
  const outcomes = clients.map(({ id, outcome }) => `${id}: ${outcome}`);
  const granted = history.filter(({ type }) => type === 'granted').map(({ client }) => client);
  return [`granted ${granted.join(' ')}`, ...outcomes, ...cluster.contents(number)].join('\n');
}
