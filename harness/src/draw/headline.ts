import type { PropertyId, Verdict } from '@holdfast/core/backend';
import type { OutcomeId } from './notation.ts';
import type { Scene } from './scene.ts';

/** The result of a story in one line, with the outcome that sets its glyph and colour. */
export interface Headline {
  readonly outcome: OutcomeId;
  readonly text: string;
}

/** The worst verdict on the scene's own property; other properties count only if that one is `ok`. */
export function headlineOf(scene: Scene): Headline {
  const { property, verdicts, complaints = [], history, unproved } = scene;
  const isFenced = history.some((event) => event.type === 'write' && event.fenced);
  const own = verdicts.find((verdict) => verdict.property === property && verdict.kind !== 'ok');
  const worst = own ?? verdicts.find(({ kind }) => kind === 'violated');
  if (worst !== undefined) return verdictLine(worst, isFenced);
  if (complaints.length > 0) return { outcome: 'breaks', text: `LOCK STUCK: ${complaints[0]}` };
  const doubtful = verdicts.find(({ kind }) => kind === 'unknown');
  if (doubtful !== undefined) return verdictLine(doubtful, isFenced);
  if (unproved !== undefined) return { outcome: 'nothing', text: `PROVED NOTHING: ${unproved}` };
  return { outcome: 'holds', text: 'LOCK HOLDS: one holder at a time' };
}

function verdictLine({ kind, property, message }: Verdict, isFenced: boolean): Headline {
  if (kind === 'unknown') return { outcome: 'nothing', text: `NO VERDICT: ${message}` };
  return property === 'resource' && isFenced ? FENCE : VIOLATED[property];
}

const VIOLATED: Readonly<Record<PropertyId, Headline>> = {
  'server-state': { outcome: 'breaks', text: 'LOCK BROKEN: two owners in the store' },
  validity: { outcome: 'breaks', text: 'LOCK BROKEN: two valid holders' },
  ownership: {
    outcome: 'breaks',
    text: 'OWNERSHIP VIOLATED: an operation changed a hold it was not sent for',
  },
  answers: { outcome: 'breaks', text: 'FALSE REPORT: the lock reported something untrue' },
  belief: { outcome: 'late', text: 'LATE HOLDER: a client continued after its lease had ended' },
  resource: { outcome: 'breaks', text: 'RESOURCE DAMAGED: holders did not take turns' },
  fifo: { outcome: 'breaks', text: 'OUT OF ORDER: a client was served before its turn' },
};

const FENCE: Headline = {
  outcome: 'breaks',
  text: 'FENCE BROKEN: tokens do not keep holders in order',
};
