import type { HistoryEvent } from '@holdfast/core';
import type { Cluster } from '../schedule/cluster.ts';
import type { RoundClient } from './round-client.ts';

/**
 * What there is when a run is over: what each server keeps and until when, what became of each client, and what each
 * was granted in which order. Tokens are numbered, since they are times of day, and a step takes a microsecond.
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
