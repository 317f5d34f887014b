import type { HistoryEvent, PropertyId, Verdict } from '@holdfast/core';
import { unknown } from './verdict.ts';

/** Why a history cannot be judged. */
export interface Flaw {
  readonly message: string;
  readonly events: readonly HistoryEvent[];
}

type HoldEvent = Extract<HistoryEvent, { readonly hold: string }>;
type Step = HoldEvent['type'];

/** What must have happened in a hold, and what must not, before a step of it makes sense. */
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
  // Also while the release is under way: whoever asks for it may only then look at the clock.
  lost: { after: 'granted', notAfter: ['lost'] },
  release: { after: 'granted', notAfter: ['release'] },
  released: { after: 'release', notAfter: ['released'] },
  enter: { after: 'granted', notAfter: ['enter'] },
  exit: { after: 'enter', notAfter: ['exit'] },
};

/**
 * The first reason why a history cannot be relied on, undefined when there is none: order, clocks, and what must
 * come before what. A writing needs no hold before it: the control without a lock has none, and what a process
 * sent may arrive after its death.
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

/** What a flaw makes of any judgement; undefined where there is none. */
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
    return { message: `${event.token} is no fencing token`, events: [event] };
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

/** The client's holds end here; when it comes back it opens new ones. */
function markCrashed(
  death: Extract<HistoryEvent, { readonly type: 'crashed' }>,
  steps: Map<string, HoldEvent[]>,
  deaths: Map<string, HistoryEvent>,
): void {
  for (const [hold, events] of steps)
    if (events[0]?.client === death.client) deaths.set(hold, death);
}
