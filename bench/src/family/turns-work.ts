/** As many hold at once. */
export const PERMITS = 100;

export interface TurnsWork {
  readonly key: string;
  readonly callers: number;
  readonly warmUpMs: number;
  readonly countedMs: number;
  readonly insideMs: number;
}

export interface TurnsCounts {
  /** Of each caller. */
  readonly turns: readonly number[];
  /** How much later a request was made that was served while an earlier one waited; over all keys, in requests. */
  readonly overtakenMax: number;
}

export function isTurnsWork(message: unknown): message is TurnsWork {
  return typeof message === 'object' && message !== null && 'insideMs' in message;
}

export function isTurnsCounts(message: unknown): message is TurnsCounts {
  return typeof message === 'object' && message !== null && 'overtakenMax' in message;
}
