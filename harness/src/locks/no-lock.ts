import type { LockUnderTest } from './lock.ts';

export const noLock: LockUnderTest = {
  name: 'no-lock',
  kind: 'control',
  needs: 'nothing',
  on: [
    {
      id: 'no-lock',
      nodes: 0,
      real: ['none'],
      meaning: 'the control, no lock: if it loses nothing, the run proves nothing',
    },
  ],
  promises: { renews: true, tokens: false },
  style: { glyph: '∅', variant: '∅', colour: 'gray', shape: 'circle' },
};
