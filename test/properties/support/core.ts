/** The parts of core that a run needs, so that a mutant can take their place. */
export type Core = Pick<
  typeof import('@holdfast/core'),
  'createHost' | 'createLocks' | 'MemoryStore' | 'openMemory'
>;
