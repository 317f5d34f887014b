import { ConfigError } from '@holdfast/core';
import type { HostPort } from '../adapters/clients.ts';
import type { SentinelAnswer, SentinelQuery } from './sentinel-query.ts';

export interface NamedAnswer {
  readonly query: SentinelQuery;
  readonly answer: SentinelAnswer;
}

type Found = Extract<SentinelAnswer, { readonly kind: 'master' }>;

/**
 * Returns the answer of the highest epoch; at one epoch, the most frequent one, then the first of the list.
 * @throws ConfigError if the list, the name or the log-in is wrong; Error if no sentinel could be reached
 */
export function chooseMaster(
  answers: readonly NamedAnswer[],
  { name, isFirst }: { readonly name: string; readonly isFirst: boolean },
): { readonly master: HostPort; readonly epoch: number } {
  const found = answers.flatMap(({ answer }) => (answer.kind === 'master' ? [answer] : []));
  // Only at first: later, one wrong entry must not keep the others from serving.
  if (isFirst || found.length === 0) rejectOthers(answers);
  const unaware = addressesOf(answers, 'unknown-name');
  if (unaware.length > found.length)
    throw new ConfigError(`no master is called "${name}" at the sentinels ${unaware.join(', ')}`);
  const best = found.toSorted((one, other) => compare(other, one, found))[0];
  if (best !== undefined) return best;
  rejectRefused(answers);
  const why = answers.map(({ query, answer }) =>
    'cause' in answer ? answer.cause.message : `${query.address}: ${answer.kind}`,
  );
  const [first] = answers.flatMap(({ answer }) => ('cause' in answer ? [answer.cause] : []));
  throw new Error(`no sentinel answered: ${why.join('; ')}`, { cause: first });
}

function rejectOthers(answers: readonly NamedAnswer[]): void {
  const [other] = addressesOf(answers, 'no-sentinel');
  if (other !== undefined)
    throw new ConfigError(
      `${other} is not a sentinel: it does not know the command SENTINEL; list sentinels, or use redis:// for a single server`,
    );
}

function rejectRefused(answers: readonly NamedAnswer[]): void {
  for (const { query, answer } of answers) {
    if (answer.kind !== 'refused') continue;
    throw new ConfigError(
      `the sentinel ${query.address} refused access: ${answer.cause.message} (sentinelUsername and sentinelPassword are apart from those of the data nodes)`,
      { cause: answer.cause },
    );
  }
}

function compare(one: Found, other: Found, all: readonly Found[]): number {
  const votes = (of: Found): number => all.filter((each) => isSame(each, of)).length;
  return one.epoch - other.epoch || votes(one) - votes(other);
}

function isSame(one: Found, other: Found): boolean {
  return one.master.host === other.master.host && one.master.port === other.master.port;
}

function addressesOf(answers: readonly NamedAnswer[], kind: SentinelAnswer['kind']): string[] {
  return answers.flatMap(({ query, answer }) => (answer.kind === kind ? [query.address] : []));
}
