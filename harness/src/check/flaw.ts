import type { HistoryEvent, PropertyId, Verdict } from '@holdfast/core/backend';
import { unknown } from './verdict.ts';

/** The reason why a history cannot be judged. */
export interface Flaw {
  readonly message: string;
  readonly events: readonly HistoryEvent[];
}

type HoldEvent = Extract<HistoryEvent, { readonly hold: string }>;
type Step = HoldEvent['type'];

/** The steps that must, and must not, precede a step of the same hold. */
interface Grammar {
  readonly after?: Step;
  readonly notAfter: readonly Step[];
}

const OUTCOMES = ['granted', 'denied'] as const;
const GRAMMAR: Record<Exclude<Step, 'write'>, Grammar> = {
  acquire: { notAfter: ['acquire'] },
  granted: { after: 'acquire', notAfter: OUTCOMES },
  denied: { after: 'acquire', notAfter: OUTCOMES },
  doubt: { after: 'acquire', notAfter: OUTCOMES },
  renewed: { after: 'granted', notAfter: ['release', 'lost'] },
  // Also during the release: its caller may read the clock only then.
  lost: { after: 'granted', notAfter: ['lost'] },
  release: { after: 'granted', notAfter: ['release'] },
  released: { after: 'release', notAfter: ['released'] },
  enter: { after: 'granted', notAfter: ['enter'] },
  exit: { after: 'enter', notAfter: ['exit'] },
};

/**
 * The first reason why a history is not reliable, or undefined: its order, its clocks, or a step without the one it
 * needs. A write needs no hold before it: the control without a lock has none, and a message may arrive after the crash
 * of its sender.
 */
export function flawOf(history: readonly HistoryEvent[]): Flaw | undefined {
  const steps = new Map<string, HoldEvent[]>();
  const deaths = new Map<string, HistoryEvent>();
  let last: HistoryEvent | undefined;
  for (const event of history) {
    const flaw = orderFlaw(last, event) ?? timeFlaw(event) ?? stepFlaw(steps, deaths, event);
    if (flaw !== undefined) return flaw;
    if (event.type === 'crashed') markCrashed(event, steps, deaths);
    last = event;
  }
  return undefined;
}

/** The verdict `unknown` on a history with a flaw; undefined without a flaw. */
export function doubted(flaw: Flaw | undefined, property: PropertyId): Verdict | undefined {
  return flaw === undefined ? undefined : unknown(property, flaw.message, flaw.events);
}

function orderFlaw(last: HistoryEvent | undefined, event: HistoryEvent): Flaw | undefined {
  if (last === undefined) return undefined;
  if (event.seq <= last.seq) return { message: 'seq does not grow', events: [last, event] };
  if (event.atMs < last.atMs) return { message: 'time runs backwards', events: [last, event] };
  return undefined;
}

function timeFlaw(event: HistoryEvent): Flaw | undefined {
  if (!Number.isFinite(event.atMs)) return { message: 'an event has no time', events: [event] };
  if ('validUntilMs' in event && Number.isNaN(event.validUntilMs))
    return { message: 'a validity has no end', events: [event] };
  if ('token' in event && event.token !== undefined && !/^\d+$/.test(event.token))
    return { message: `"${event.token}" is not a fencing token`, events: [event] };
  return undefined;
}

function stepFlaw(
  steps: Map<string, HoldEvent[]>,
  deaths: Map<string, HistoryEvent>,
  event: HistoryEvent,
): Flaw | undefined {
  if (!('hold' in event) || event.type === 'write') return undefined;
  const before = steps.get(event.hold) ?? [];
  const death = deaths.get(event.hold);
  if (death !== undefined)
    return { message: `hold ${event.hold} continues after a crash`, events: [death, event] };
  const flaw = foreignFlaw(before[0], event) ?? grammarFlaw(before, event);
  before.push(event);
  steps.set(event.hold, before);
  return flaw;
}

/** One hold belongs to one client and one key. */
function foreignFlaw(first: HoldEvent | undefined, event: HoldEvent): Flaw | undefined {
  if (first === undefined || (first.client === event.client && first.key === event.key))
    return undefined;
  return { message: `hold ${event.hold} changes hands`, events: [first, event] };
}

function grammarFlaw(before: readonly HoldEvent[], event: HoldEvent): Flaw | undefined {
  if (event.type === 'write') return undefined;
  const { after, notAfter } = GRAMMAR[event.type];
  if (after !== undefined && !before.some(({ type }) => type === after))
    return { message: `${event.type} without ${after} in hold ${event.hold}`, events: [event] };
  const wrong = before.find(({ type }) => notAfter.includes(type));
  if (wrong === undefined) return undefined;
  return {
    message: `${event.type} after ${wrong.type} in hold ${event.hold}`,
    events: [wrong, event],
  };
}

/** Ends the holds of a client at its crash; after a restart it opens new ones. */
function markCrashed(
  death: Extract<HistoryEvent, { readonly type: 'crashed' }>,
  steps: Map<string, HoldEvent[]>,
  deaths: Map<string, HistoryEvent>,
): void {
  for (const [hold, events] of steps)
    if (events[0]?.client === death.client) deaths.set(hold, death);
}
