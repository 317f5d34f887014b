import type { BackendUnderTest } from '@holdfast/conformance';
import { type Backend, MemoryStore, openMemory } from '@holdfast/core/backend';
import { openMoving } from '@holdfast/moving';
import { memorySubject } from '../../packages/conformance/test/kit.ts';

/** A move between two stores in memory, which are one network away and share its faults. */
export function movingSubject(): BackendUnderTest {
  let to: MemoryStore | undefined;
  const keys = new Set<string>();
  const subject = memorySubject({
    store: (nowMs) => {
      to = new MemoryStore(nowMs);
      return new MemoryStore(nowMs);
    },
    open: async ({ store, link }, host) => {
      const from = { backend: await openMemory({ store, link }, host) };
      const next = { backend: await openMemory({ store: to, link }, host), fencingEpoch: 1 };
      return withOwnMethods(await openMoving({ from, to: next }, host), keys);
    },
  });
  const restartEmpty = async (): Promise<void> => {
    await subject.faults?.restartEmpty?.();
    for (const key of keys) to?.force(key);
  };
  const capabilities = { ...subject.capabilities, modes: undefined };
  return { ...subject, capabilities, faults: { ...subject.faults, restartEmpty } };
}

/** A backend that can be spread, which a class cannot; notes the keys. */
function withOwnMethods(backend: Backend, keys: Set<string>): Backend {
  return {
    name: backend.name,
    capabilities: backend.capabilities,
    contend: (request) => {
      keys.add(request.key);
      return backend.contend(request);
    },
    inspect: async (key) => (await backend.inspect?.(key)) ?? { key, held: false },
    forceRelease: async (key) => (await backend.forceRelease?.(key)) ?? { kind: 'not-held' },
    heldKeys: () => backend.heldKeys?.() ?? noKeys(),
    health: async () => (await backend.health?.()) ?? { ok: false, nodes: [] },
    close: (options) => backend.close(options),
  };
}

async function* noKeys(): AsyncGenerator<readonly string[]> {
  // The backend cannot list them, and so none is listed.
}
