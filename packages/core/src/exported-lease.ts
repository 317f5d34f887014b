import { InvalidOptionError } from './errors.ts';
import { shown } from './options.ts';
import { TTL_MS_MAX, TTL_MS_MIN } from './validity.ts';

/** A lease that its holder exported: enough to recognise its hold in the store, and no reading of a clock. */
export interface ExportedLease {
  readonly key: string;
  readonly backend: string;
  /** The value of `Grant.export`. */
  readonly owner: string;
  /** The ttl of its renewals. */
  readonly ttlMs: number;
}

const encoder = new TextEncoder();
const strictDecoder = new TextDecoder('utf-8', { fatal: true });
const EXPORT_VERSION = 1;
const EXPORTED = /^holdfast-lease:(\d{1,9}):([\w-]+)$/;

/** `holdfast-lease:‹version›:‹base64url of JSON›`. Whoever has it can take the lease: it is never logged. */
export function exportedText({ key, backend, owner, ttlMs }: ExportedLease): string {
  const bytes = encoder.encode(JSON.stringify({ key, backend, owner, ttlMs }));
  const base64 = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
  const body = base64.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
  return `holdfast-lease:${EXPORT_VERSION}:${body}`;
}

/**
 * Parses the text of `exportedText`.
 * @throws InvalidOptionError for any other text, another version, or a lease of another backend; it never quotes the text
 */
export function parseExported(text: unknown, backend: string): ExportedLease {
  const reject = (what: string): never => {
    throw new InvalidOptionError(`${backend} cannot adopt this lease: ${what}`, { backend });
  };
  const [, version, body = ''] = (typeof text === 'string' ? EXPORTED.exec(text) : null) ?? [];
  if (version === undefined) return reject('it is not a text that lease.export() returned');
  if (Number(version) !== EXPORT_VERSION)
    return reject(`its format is version ${version}, and this library reads ${EXPORT_VERSION}`);
  const lease = exportedIn(body);
  if (lease === undefined) return reject('the text is damaged');
  if (lease.backend === backend) return lease;
  return reject(`it was exported from ${shown(lease.backend)}`);
}

function exportedIn(body: string): ExportedLease | undefined {
  try {
    const binary = atob(body.replaceAll('-', '+').replaceAll('_', '/'));
    const bytes = Uint8Array.from(binary, (char) => char.charCodeAt(0));
    const { key, backend, owner, ttlMs } = JSON.parse(strictDecoder.decode(bytes));
    const areStrings = [key, backend, owner].every(
      (each) => typeof each === 'string' && each !== '',
    );
    const isTtl = Number.isInteger(ttlMs) && ttlMs >= TTL_MS_MIN && ttlMs <= TTL_MS_MAX;
    return areStrings && isTtl ? { key, backend, owner, ttlMs } : undefined;
  } catch {
    return undefined;
  }
}
