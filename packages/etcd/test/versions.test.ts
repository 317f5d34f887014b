import { expect, test } from 'vitest';
import { revokesOthersLeases } from '../src/versions.ts';

test.each(['3.3.27', '3.4.23', '3.4.30', '3.5.0', '3.5.12', '2.3.8', 'unknown'])(
  'a deposed leader of %s may revoke what its successor renewed',
  (version) => {
    expect(revokesOthersLeases(version)).toBe(true);
  },
);

test.each(['3.4.31', '3.5.13', '3.5.21', '3.6.0', '3.6.0-rc.1', '3.7.0', '4.0.0'])(
  'a leader of %s checks that it still leads',
  (version) => {
    expect(revokesOthersLeases(version)).toBe(false);
  },
);
