import { isLockError } from '@holdfast/core';

/** Resolves to `refused` if a guard refused the token; rejects with every other error. */
export async function unlessRefused<T>(work: () => Promise<T>): Promise<T | 'refused'> {
  try {
    return await work();
  } catch (error) {
    if (isLockError(error, 'STALE_TOKEN')) return 'refused';
    throw error;
  }
}

/** Resolves to false if a guard refused the token; rejects with every other error. */
export async function isAdmitted(work: () => Promise<unknown>): Promise<boolean> {
  return (await unlessRefused(work)) !== 'refused';
}
