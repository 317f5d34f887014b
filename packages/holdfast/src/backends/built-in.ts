import type { BackendModule } from './module.ts';

/** Loads a backend that comes with this package; nothing is loaded that is not used. */
type Load = () => Promise<BackendModule>;

const BUILT_IN: { readonly [name: string]: Load } = {
  memory: async () => (await import('./memory.ts')).memoryModule,
  'redis-simple': async () => (await import('./redis-simple.ts')).redisSimpleModule,
  'redis-getset': async () => (await import('./redis-getset.ts')).redisGetsetModule,
  redlock: async () => (await import('./redlock.ts')).redlockModule,
  zk: async () => (await import('./zk.ts')).zkModule,
};

/** The names of the backends that come with this package. */
export const BUILT_IN_NAMES: readonly string[] = Object.keys(BUILT_IN);

/** The backend of that name, or undefined where it is somebody else's. */
export async function builtIn(name: string): Promise<BackendModule | undefined> {
  return Object.hasOwn(BUILT_IN, name) ? await BUILT_IN[name]?.() : undefined;
}
