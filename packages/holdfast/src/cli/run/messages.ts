import type { EndingTimes, EndReason } from './ending.ts';
import type { Times } from './instants.ts';

/** What `holdfast run` sends to its guardian, a line of JSON each. */
export type Order =
  | StartOrder
  /** The pid is known to both: the command may run. */
  | { readonly kind: 'go' }
  /** The lease ends then. */
  | { readonly kind: 'deadline'; readonly deadline: Times }
  | { readonly kind: 'signal'; readonly signal: NodeJS.Signals }
  /** The lease is lost. */
  | { readonly kind: 'end' };

export interface StartOrder extends EndingTimes {
  readonly kind: 'start';
  readonly command: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly deadline: Times;
}

/** What the guardian sends. */
export type Report =
  | { readonly kind: 'started'; readonly pid: number }
  | { readonly kind: 'failed'; readonly message: string }
  | ({ readonly kind: 'ended' } & CommandEnd);

/** The end of a command and of all its processes. */
export interface CommandEnd {
  /** The exit status of the command itself; null if a signal ended it, or if it is not known. */
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** Present if it was ended, or what it had left running. */
  readonly reason?: EndReason | undefined;
}

/** A message as it is sent. */
export function lineOf(message: Order | Report): string {
  return `${JSON.stringify(message)}\n`;
}
