import type { HistoryEvent, PropertyId, Verdict } from '@holdfast/core';

/** It holds in this history; `message` says how much was compared, so that an empty claim shows. */
export function ok(property: PropertyId, message: string): Verdict {
  return { property, kind: 'ok', message, proof: [] };
}

export function violated(
  property: PropertyId,
  message: string,
  proof: readonly HistoryEvent[],
): Verdict {
  return { property, kind: 'violated', message, proof };
}

/** The history itself cannot be relied on, so neither can any claim about it. */
export function unknown(
  property: PropertyId,
  message: string,
  proof: readonly HistoryEvent[],
): Verdict {
  return { property, kind: 'unknown', message, proof };
}

/** Milliseconds for people, to the microsecond. */
export function shown(ms: number): string {
  return `${Number(ms.toFixed(3))} ms`;
}
