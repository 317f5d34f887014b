import type { HistoryEvent, Verdict } from '@holdfast/core';
import { ok, shown, violated } from './verdict.ts';

/** What was sent for one hold, and changed a key while another's value stood there; known in the simulator alone. */
export interface KeyChange {
  /** On the judge's clock. */
  readonly atMs: number;
  readonly client: string;
  /** What was sent: a renewal, a release, an undo. */
  readonly label: string;
  readonly node: string;
  readonly key: string;
  readonly how: 'deleted' | 'overwritten' | 'prolonged' | 'shortened';
  /** Whose value stood there. */
  readonly of: string;
}

/**
 * Whether every renewal, release and undo reached the hold alone that it was sent for, whatever came of it. Apart from
 * validity: whoever prolongs the hold of another makes waiters wait, and nobody is ever seen to hold beside it.
 */
export function ownership(
  history: readonly HistoryEvent[],
  touches: readonly KeyChange[],
): Verdict {
  const [first] = touches;
  if (first === undefined) return ok('ownership', 'nobody reached beyond its own hold');
  return violated(
    'ownership',
    describe(first),
    history.filter((event) => isAbout(event, first)),
  );
}

function describe({ atMs, client, label, node, key, how, of }: KeyChange): string {
  const whose = of === client ? 'another hold of its own' : `a hold of ${of}`;
  return `${label} of ${client} ${how} ${key} on ${node} at ${shown(atMs)}, where ${whose} stood`;
}

/** What the two had been granted and had given back by then. */
function isAbout(event: HistoryEvent, { atMs, client, of }: KeyChange): boolean {
  const isStep = event.type === 'granted' || event.type === 'release' || event.type === 'lost';
  return isStep && event.atMs <= atMs && (event.client === client || event.client === of);
}
