import { type Backend, ConfigError } from '@holdfast/core';

/** What each must be one of; see `Capabilities` of the port. */
const PROMISES: Readonly<Record<string, readonly string[]>> = {
  lease: ['per-call-ttl', 'session'],
  timeAuthority: ['server', 'client', 'leader', 'process'],
  consistency: ['cp', 'ap', 'none'],
  fencing: ['strict', 'best-effort', 'none'],
  queue: ['fifo', 'none'],
  wakeUp: ['push', 'poll'],
};

/**
 * What somebody else's `openBackend` returned, if it is a backend; closed, if it can be, where it is none.
 * @throws ConfigError naming the first part that is missing, or is something else
 */
export async function checkedBackend(opened: unknown, name: string): Promise<Backend> {
  if (isBackend(opened)) return opened;
  await closed(opened);
  throw new ConfigError(
    `"${name}" opened something that is not a backend: ${shapeError(opened)}; it has to be a Backend of @holdfast/core`,
    { backend: name },
  );
}

/** It may have connected. That it cannot be closed either is the lesser news. */
async function closed(opened: unknown): Promise<void> {
  try {
    if (isObject(opened) && typeof opened['close'] === 'function') await opened['close']();
  } catch {
    // Told by what is thrown next: that it is no backend.
  }
}

function isBackend(opened: unknown): opened is Backend {
  return shapeError(opened) === undefined;
}

function shapeError(opened: unknown): string | undefined {
  if (!isObject(opened)) return `it is ${typeof opened}, not an object`;
  for (const method of ['contend', 'close'])
    if (typeof opened[method] !== 'function') return `${method} is no function`;
  if (typeof opened['name'] !== 'string') return 'name is no string';
  const { capabilities } = opened;
  if (!isObject(capabilities)) return 'capabilities is no object';
  for (const [promise, words] of Object.entries(PROMISES))
    if (!words.includes(String(capabilities[promise])))
      return `capabilities.${promise} must be one of ${words.join(', ')}`;
  return undefined;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
