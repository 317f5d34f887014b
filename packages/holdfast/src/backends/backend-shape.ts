import { ConfigError } from '@holdfast/core';
import { type Backend } from '@holdfast/core/backend';

/** The values that each capability may have; see `Capabilities` of the port. */
const PROMISES: Readonly<Record<string, readonly string[]>> = {
  lease: ['per-call-ttl', 'session'],
  timeAuthority: ['server', 'client', 'leader', 'process'],
  consistency: ['cp', 'ap', 'none'],
  fencing: ['strict', 'best-effort', 'none'],
  queue: ['fifo', 'none'],
  wakeUp: ['push', 'poll'],
};

/**
 * Checks the result of an imported `openBackend`. If it is not a backend, it is closed, if possible.
 * @throws ConfigError with the first part that is missing or wrong
 */
export async function checkedBackend(opened: unknown, name: string): Promise<Backend> {
  if (isBackend(opened)) return opened;
  await closed(opened);
  throw new ConfigError(
    `"${name}" opened something that is not a backend: ${shapeError(opened)}; return a Backend of @holdfast/core/backend`,
    { backend: name },
  );
}

/** Closes what may have connected. An error of this is less important than the wrong shape. */
async function closed(opened: unknown): Promise<void> {
  try {
    if (isObject(opened) && typeof opened['close'] === 'function') await opened['close']();
  } catch {
    // The caller throws next: the result is not a backend.
  }
}

function isBackend(opened: unknown): opened is Backend {
  return shapeError(opened) === undefined;
}

function shapeError(opened: unknown): string | undefined {
  if (!isObject(opened)) return `it is ${typeof opened}, not an object`;
  for (const method of ['contend', 'close'])
    if (typeof opened[method] !== 'function') return `${method} is not a function`;
  if (typeof opened['name'] !== 'string') return 'name is not a string';
  const { capabilities } = opened;
  if (!isObject(capabilities)) return 'capabilities is not an object';
  for (const [promise, words] of Object.entries(PROMISES))
    if (!words.includes(String(capabilities[promise])))
      return `capabilities.${promise} must be one of ${words.join(', ')}`;
  if (!['string', 'undefined'].includes(typeof opened['evicts']) && opened['evicts'] !== false)
    return 'evicts is neither false nor a text';
  const { survives = [] } = capabilities;
  if (!Array.isArray(survives) || survives.some((fault) => typeof fault !== 'string'))
    return 'capabilities.survives is not a list of faults';
  return undefined;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
