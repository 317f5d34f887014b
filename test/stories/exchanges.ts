import type { PlayResult } from '@holdfast/harness/simulator';

/** One command of a client about a stamp, and the stored value. */
export interface Exchange {
  readonly by: string;
  /** The time at which the server executed it. */
  readonly atMs: number;
  /** NaN for a command that writes none. */
  readonly stamp: number;
  /** As the trace has it; undefined for one that never arrived. */
  readonly answer: string | undefined;
}

/** All calls of one command that a server executed, in that order, from a traced run. */
export function exchanges({ trace }: PlayResult, command: string): readonly Exchange[] {
  return trace.flatMap(({ kind, label, seq, cause, atUs }) => {
    const sent = trace[cause];
    if (kind !== 'exec' || label !== command || sent === undefined) return [];
    const answered = trace.find((record) => record.cause === seq && record.kind === 'recv');
    const stamp = Number(sent.detail?.split(' ').at(-1));
    return [{ by: sent.process, atMs: atUs / 1000, stamp, answer: answered?.detail }];
  });
}
