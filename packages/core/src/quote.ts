/** What an error message may quote: an address without its password, and the name that was probably meant. */

/**
 * Splits at the last `@`, since a password may contain one unescaped; the `@` of a package's scope does not end
 * credentials.
 */
const TO_LAST_AT = /^([^]*)(?<!node_modules[/\\])((?:@|%40)[^]*)$/i;
/**
 * A scheme, its slashes, or the start of a path: the text that may come before a user, also with a typing error in it.
 */
const BEFORE_USER = /^(?:(?:(?!%3a)[^:])*?:?\/{2,}|[a-z][a-z0-9+.-]*:\/?|[./\\]+)/i;
const COLON = /:|%3a/i;
/** A Windows drive, whose colon does not separate a user from a password. */
const DRIVE = /^\(?[a-z]:\\/i;
const DRIVE_OF_FILE = /^[a-z]:\//i;
/** Within a sentence, a URL whose password contains blanks or quotes; a port is not a password. */
const BROKEN_WITHIN =
  /(?<![a-z0-9+.-])(?!file:|https?:)([a-z][a-z0-9+.-]{0,20}:\/{2,})[^\s/:@"'`]{0,200}:(?!\d{1,5}(?:[\s/,;)"'`?#\]]|$))[^\n]{0,200}?@(?:\S{0,200}@)?(?=\S)/gi;
const WORD = /[^\s"'`]+/g;
/** A URL without `@` whose port is not a number: a password without its host. */
const NO_HOST =
  /^([^]*?(?<![a-z0-9+.-])(?!file:|https?:)[a-z][a-z0-9+.-]{0,20}(?::\/{1,3}|\/{2}))([^/?#]*)([^]*)$/i;
const IN_BRACKETS = /\[[\da-f:.]+\]/gi;
/** A colon that does not start a port. A port is followed by the next host or the end of a sentence. */
const NO_PORT = /(?::|%3a)(?!\d{0,5}(?:[,:]|[;.)]*$))/i;
/** Secrets in a query parameter. */
const SECRET_PARAMETERS =
  /([?&](?:sentinel)?(?:pass|password|passwd|passphrase|pwd|pw|token|secret|auth)=)[^&\s"'`]*/gi;

/** An exported lease: who has the text can take the lease. */
const EXPORTED_LEASE = /(holdfast-lease:\d+:)[\w-]+/gi;

/**
 * Replaces text like `user:password@` in a quoted input by `***@`, even if it is misspelt. It hides too much rather
 * than too little.
 * @example
 * ```ts
 * redactUrl('redis://app:secret@localhost'); // 'redis://***@localhost'
 * ```
 */
export function redactUrl(input: string): string {
  const [, before = '', rest = ''] = TO_LAST_AT.exec(input) ?? [];
  const prefix = BEFORE_USER.exec(before)?.[0] ?? '';
  const isSecret = mayHoldSecret(prefix, before.slice(prefix.length));
  const shown = isSecret ? `${prefix}***${rest}` : withoutHostless(input);
  return shown.replaceAll(SECRET_PARAMETERS, '$1***').replaceAll(EXPORTED_LEASE, '$1***');
}

/** Hides `redis://user:password` to the last character, since the end of the password is unknown. */
function withoutHostless(input: string): string {
  const [, prefix = '', authority = '', rest = ''] = NO_HOST.exec(input) ?? [];
  const names = authority.replaceAll(IN_BRACKETS, '');
  const hasPassword = NO_PORT.test(names) || (names.endsWith(':') && rest !== '');
  return hasPassword && !input.includes('@') ? `${prefix}***` : input;
}

/**
 * Replaces credentials in a foreign message or stack by `***`.
 * @example
 * ```ts
 * redactText('cannot reach redis://app:secret@localhost'); // 'cannot reach redis://***@localhost'
 * ```
 */
export function redactText(text: string): string {
  return text.replaceAll(BROKEN_WITHIN, '$1***@').replaceAll(WORD, redactUrl);
}

function mayHoldSecret(prefix: string, credentials: string): boolean {
  if (credentials === '') return false;
  const isFile = /file:\/+$/i.test(prefix);
  const drive = isFile ? DRIVE_OF_FILE : DRIVE;
  if (COLON.test(credentials.replace(drive, ''))) return true;
  // A password or a user alone counts before the host of a URL, but not in the path of a page or a file.
  if (prefix.includes('//'))
    return !isFile && !(/https?:\/+$/i.test(prefix) && credentials.includes('/'));
  return prefix.includes(':') && !credentials.startsWith('\\');
}

/**
 * The number of edits between two words: insert, delete, replace, swap neighbours
 * (Wagner and Fischer 1974, with the transposition of Damerau 1964 restricted to neighbours).
 */
export function editDistance(from: string, to: string): number {
  let older: number[] = [];
  let old = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row++) {
    const next = [row];
    for (let column = 1; column <= to.length; column++) {
      const same = from[row - 1] === to[column - 1];
      const swapped = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      next.push(
        Math.min(
          (old[column] ?? 0) + 1,
          (next[column - 1] ?? 0) + 1,
          (old[column - 1] ?? 0) + (same ? 0 : 1),
          swapped && column > 1 && row > 1 ? (older[column - 2] ?? 0) + 1 : Infinity,
        ),
      );
    }
    older = old;
    old = next;
  }
  return old[to.length] ?? 0;
}

/**
 * The probable meaning of `word`: the nearest of `known`, or undefined if none is near.
 * @example
 * ```ts
 * nearest('waitSm', ['ttlMs', 'waitMs']); // 'waitMs'
 * ```
 */
export function nearest(word: string, known: readonly string[]): string | undefined {
  const lower = word.toLowerCase();
  const begun = known.filter((name) => name.toLowerCase().startsWith(lower));
  if (lower.length > 2 && begun.length === 1) return begun[0];
  const ranked = known
    .map((name) => ({ name, distance: editDistance(lower, name.toLowerCase()) }))
    .toSorted((a, b) => a.distance - b.distance);
  const [best] = ranked;
  // Up to a third of the letters may be wrong; with more it is another word.
  const limit = Math.max(2, Math.floor(lower.length / 3));
  return best !== undefined && best.distance <= limit && best.distance < lower.length
    ? best.name
    : undefined;
}

/**
 * ` Did you mean "x"?`, or an empty text; for the end of a message.
 * @example
 * ```ts
 * const hint = didYouMean('waitSm', ['ttlMs', 'waitMs']); // ' Did you mean "waitMs"?'
 * throw new ConfigError(`unknown option "waitSm".${hint}`);
 * ```
 */
export function didYouMean(word: string, known: readonly string[]): string {
  const name = nearest(word, known);
  return name === undefined ? '' : ` Did you mean "${name}"?`;
}

/** The message for a name that is none of `known`, with the nearest of them. */
export function unknownName(what: string, name: string, known: readonly string[]): string {
  const hint = didYouMean(name, known);
  return `unknown ${what} '${redactUrl(name)}'; use one of ${known.join(', ')}${hint === '' ? '' : `.${hint}`}`;
}
