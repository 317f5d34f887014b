import { expect, test } from 'vitest';
import { EventQueue, RANK, type SimEvent } from '../../src/sim/event-queue.ts';
import { random } from '../../src/simulator/index.ts';

const RANKS = Object.values(RANK);

function eventsOf(seed: number): SimEvent[] {
  const source = random(seed);
  return Array.from({ length: 200 }, (_, seq) => ({
    atUs: source.below(10),
    rank: RANKS[source.below(RANKS.length)] ?? RANK.act,
    dueUs: source.below(5),
    seq,
    owner: undefined,
    channel: undefined,
    cause: -1,
    run: () => false,
    cancelled: false,
  }));
}

function inOrder(a: SimEvent, b: SimEvent): number {
  return a.atUs - b.atUs || a.rank - b.rank || a.dueUs - b.dueUs || a.seq - b.seq;
}

test('events come out by time, then rank, then when they were due, then in the order they went in', () => {
  for (let seed = 0; seed < 50; seed++) {
    const events = eventsOf(seed);
    const queue = new EventQueue();
    for (const event of events) queue.push(event);

    const out = Array.from(events, () => queue.pop());

    expect(out).toEqual(events.toSorted(inOrder));
    expect(queue.pop()).toBeUndefined();
  }
});

test('events that were cancelled or belong to a crashed owner do not come out; those of a paused owner come later', () => {
  const queue = new EventQueue();
  const [cancelled, dead, asleep, awake] = eventsOf(1);
  const at = (event: SimEvent | undefined, more: Partial<SimEvent>): SimEvent =>
    Object.assign(event ?? eventsOf(2)[0]!, { atUs: 1 }, more);
  queue.push(at(cancelled, { cancelled: true }));
  queue.push(at(dead, { owner: { readyAtUs: 0, crashed: true } }));
  queue.push(at(asleep, { owner: { readyAtUs: 100, crashed: false } }));
  queue.push(at(awake, { atUs: 50 }));

  const out: (number | undefined)[] = [];
  while (queue.peek() !== undefined) out.push(queue.pop()?.atUs);

  expect(out).toEqual([50, 100]);
});
