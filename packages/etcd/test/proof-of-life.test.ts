import { describe, expect, test } from 'vitest';
import type { Header } from '../src/port.ts';
import { isProof } from '../src/proof-of-life.ts';

const at = (memberId: bigint, raftTerm: bigint): Header => ({ memberId, raftTerm, revision: 7n });

describe('a keep-alive', () => {
  test('between two replies of one server in one term is a proof', () => {
    expect(isProof(at(1n, 4n), at(1n, 4n), at(1n, 4n))).toBe(true);
  });

  test.each([
    ['before a new leader was elected', [at(1n, 4n), at(1n, 4n), at(1n, 5n)]],
    ['through another server than the reply before', [at(2n, 4n), at(1n, 4n), at(1n, 4n)]],
    ['through another server than the reply behind', [at(1n, 4n), at(1n, 4n), at(2n, 4n)]],
    ['that itself went to a third server', [at(1n, 4n), at(2n, 4n), at(1n, 4n)]],
  ] as const)('%s is none', (_, [before, kept, after]) => {
    expect(isProof(before, kept, after)).toBe(false);
  });
});
