import { RequestError } from './errors.ts';

/**
 * The characters that ZooKeeper's own `PathUtils` refuses: control characters, surrogates, private use, specials. It checks
 * UTF-16 code units, so it refuses a character outside the basic plane for its surrogates.
 */
// oxlint-disable-next-line no-control-regex -- they are what is looked for
const REFUSED = /[\u0000-\u001f\u007f-\u009f\ud800-\uf8ff\ufff0-\uffff]/;
/** Matches nearly all paths quickly. */
const PLAIN = /^(?:\/[\w-][\w.-]*)+$/;

/** Returns the reason why ZooKeeper would refuse the path, or undefined. */
export function pathFault(path: string): string | undefined {
  if (typeof path !== 'string') return 'is not a string';
  if (PLAIN.test(path)) return undefined;
  if (!path.startsWith('/')) return 'does not start with /';
  if (path === '/') return undefined;
  if (path.endsWith('/')) return 'ends with /';
  const parts = path.slice(1).split('/');
  if (parts.includes('')) return 'has an empty name in it';
  if (parts.some((part) => part === '.' || part === '..')) return "has '.' or '..' in it";
  return REFUSED.test(path) ? 'has a character that ZooKeeper refuses' : undefined;
}

/** Converts absolute paths of a client below a chroot to and from the server's paths. */
export class Chroot {
  /** Empty when there is none. */
  readonly path: string;

  constructor(path: string) {
    this.path = path === '/' ? '' : path;
  }

  /** Throws {@link RequestError}. */
  full(path: string): string {
    const fault = pathFault(path);
    if (fault !== undefined) throw new RequestError('BAD_PATH', `${JSON.stringify(path)} ${fault}`);
    return path === '/' && this.path !== '' ? this.path : this.path + path;
  }

  /** The server appends a number, so the name may be empty. */
  fullSequential(path: string): string {
    return this.full(`${path}0`).slice(0, -1);
  }

  below(full: string): string {
    if (this.path === '') return full;
    return full === this.path ? '/' : full.slice(this.path.length);
  }
}
