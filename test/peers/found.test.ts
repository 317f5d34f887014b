import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { COLUMNS, counterpartOf, PEERS } from './columns.ts';
import {
  type Cell,
  fencedOutcomeOf,
  foundFile,
  foundText,
  outcomeOf,
  readFound,
  type Violated,
} from './found.ts';

const violated: Violated = { times: 1, first: 7, message: 'a and b' };

function cell(more: Partial<Cell>): Cell {
  return {
    fault: 'pause',
    column: 'a lock',
    schedules: 100,
    effective: 50,
    ops: 500,
    accepted: 500,
    violated: {},
    ...more,
  };
}

test('what was found counts, however few schedules were to the point', () => {
  expect(outcomeOf(cell({ effective: 1, violated: { validity: violated } }))).toBe('breaks');
  expect(outcomeOf(cell({ effective: 1, violated: { belief: violated } }))).toBe('late');
  expect(outcomeOf(cell({ violated: { validity: violated, belief: violated } }))).toBe('breaks');
  expect(fencedOutcomeOf(cell({ violated: { fenced: violated } }))).toBe('breaks');
});

test('an update that is lost without a late holder is a violation of the lock', () => {
  expect(outcomeOf(cell({ violated: { open: violated } }))).toBe('breaks');
});

test('finding nothing counts only where the fault took effect and the work was done', () => {
  expect(outcomeOf(cell({}))).toBe('holds');
  expect(outcomeOf(cell({ effective: 19 }))).toBe('nothing');
  expect(outcomeOf(cell({ accepted: 249 }))).toBe('nothing');
  expect(outcomeOf(cell({ effective: 0 }))).toBe('inert');
  expect(fencedOutcomeOf(cell({ accepted: 249 }))).toBe('nothing');
});

test.each(PEERS)('ours is played by the schedules of $name', (peer) => {
  expect(counterpartOf(peer).setups).toContainEqual(peer.setups[0]);
});

test.each(COLUMNS)('what is kept of $name is written as it is read', ({ name }) => {
  const found = readFound([name]);

  expect(found.cells.every(({ column }) => column === name)).toBe(true);
  expect(foundText(found)).toBe(readFileSync(foundFile(name), 'utf8'));
});
