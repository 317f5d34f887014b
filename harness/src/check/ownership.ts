import type { HistoryEvent, Verdict } from '@holdfast/core/backend';
import { ok, shown, violated } from './verdict.ts';

/** An operation for one hold that changed a key while another hold was stored there; known only in the simulator. */
export interface KeyChange {
  /** On the judge's clock. */
  readonly atMs: number;
  readonly client: string;
  /** The operation: a renewal, a release, an undo. */
  readonly label: string;
  readonly node: string;
  readonly key: string;
  readonly how: 'deleted' | 'overwritten' | 'prolonged' | 'shortened';
  /** The client whose hold was stored there. */
  readonly of: string;
}

/**
 * Judges if every renewal, release and undo changed only the hold that it was sent for. Validity does not show this: a
 * client that prolongs the hold of another only delays the waiters.
 */
export function ownership(
  history: readonly HistoryEvent[],
  changes: readonly KeyChange[],
): Verdict {
  const [first] = changes;
  if (first === undefined)
    return ok('ownership', 'no operation changed a hold that it was not sent for');
  return violated(
    'ownership',
    describe(first),
    history.filter((event) => isAbout(event, first)),
  );
}

function describe({ atMs, client, label, node, key, how, of }: KeyChange): string {
  const whose = of === client ? 'another hold of its own' : `a hold of ${of}`;
  return `${label} of ${client} ${how} ${whose}: ${key} on ${node} at ${shown(atMs)}`;
}

/** True for the grants and releases of the two clients up to then. */
function isAbout(event: HistoryEvent, { atMs, client, of }: KeyChange): boolean {
  const isStep = event.type === 'granted' || event.type === 'release' || event.type === 'lost';
  return isStep && event.atMs <= atMs && (event.client === client || event.client === of);
}
