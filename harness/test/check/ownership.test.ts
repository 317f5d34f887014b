import { expect, test } from 'vitest';
import { type KeyChange, ownership } from '../../src/check/index.ts';
import { granted, merged } from './support/story.ts';

const history = merged(
  granted('a1', 0, 988),
  granted('b1', 1_001, 1_989),
  granted('c1', 3_000, 4_000),
);

function touch(more: Partial<KeyChange> = {}): KeyChange {
  return {
    atMs: 1_500,
    client: 'a',
    label: 'renew',
    node: 'n1',
    key: 'k',
    how: 'prolonged',
    of: 'b',
    ...more,
  };
}

test('where nothing reaches beyond its own hold there is nothing to object to', () => {
  expect(ownership(history, [])).toMatchObject({ property: 'ownership', kind: 'ok', proof: [] });
});

test('a renewal that prolongs the hold of another is reported with both grants', () => {
  const { kind, message, proof } = ownership(history, [touch()]);

  expect(kind).toBe('violated');
  expect(message).toBe('renew of a prolonged a hold of b: k on n1 at 1500 ms');
  expect(proof.map(({ client, type }) => `${client} ${type}`)).toEqual(['a granted', 'b granted']);
});

test('an operation for another hold of the same client is reported as such', () => {
  expect(ownership(history, [touch({ of: 'a', how: 'deleted', label: 'undo' })]).message).toBe(
    'undo of a deleted another hold of its own: k on n1 at 1500 ms',
  );
});
