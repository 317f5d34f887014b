import type { PlayResult } from '@holdfast/harness/simulator';

/** What one client told a server to do with a stamp, and what stood there. */
export interface Exchange {
  readonly by: string;
  /** When the server did it. */
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
