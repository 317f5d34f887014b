import type { HoldMode } from '@holdfast/core/backend';

/** The mode in the name of a contender's node; undefined: exclusive, also for a writer among readers. */
export type NodeMode = Exclude<HoldMode, { readonly kind: 'exclusive' }> | undefined;

/** No contender id has a `:`, and no other library writes these words. */
const MODE = /^([^:]+):(?:(shared)|permits:(\d{1,7}):(\d{1,7}))$/;
const SHARED = { kind: 'shared' } as const;

export function nodeModeOf(mode: HoldMode | undefined): NodeMode {
  return mode?.kind === 'exclusive' ? undefined : mode;
}

/**
 * The part of a node's name in front of `-lock-`. Releases that know no modes take it for the id of a contender, and wait
 * behind the node as behind any other.
 */
export function stemOf(contender: string, mode: NodeMode): string {
  if (mode === undefined) return contender;
  const { kind } = mode;
  return kind === 'shared'
    ? `${contender}:shared`
    : `${contender}:permits:${mode.permits}:${mode.of}`;
}

/** Reverses {@link stemOf}. A mode that is unknown here counts as exclusive. */
export function parseStem(stem: string): { readonly contender: string; readonly mode: NodeMode } {
  const [, contender, shared, permits, of] = MODE.exec(stem) ?? [];
  if (contender === undefined) return { contender: stem, mode: undefined };
  if (shared !== undefined) return { contender, mode: SHARED };
  return { contender, mode: { kind: 'permits', permits: Number(permits), of: Number(of) } };
}
