/** Up to the last `@`, since a password may hold one unescaped; that of a package's scope ends no credentials. */
const TO_LAST_AT = /^([^]*)(?<!node_modules[/\\])((?:@|%40)[^]*)$/i;
/** A scheme, its slashes, or the begin of a path: what may stand before a user, also with a slip of the finger in it. */
const BEFORE_USER = /^(?:(?:(?!%3a)[^:])*?:?\/{2,}|[a-z][a-z0-9+.-]*:\/?|[./\\]+)/i;
const COLON = /:|%3a/i;
/** A drive of Windows, whose colon parts no user from a password. */
const DRIVE = /^\(?[a-z]:\\/i;
const DRIVE_OF_FILE = /^[a-z]:\//i;
/** Within a sentence, a URL whose password holds blanks or quotes; a port is no password. */
const BROKEN_WITHIN =
  /(?<![a-z0-9+.-])(?!file:|https?:)([a-z][a-z0-9+.-]{0,20}:\/{2,})[^\s/:@"'`]{0,200}:(?!\d{1,5}(?:[\s/,;)"'`?#\]]|$))[^\n]{0,200}?@(?:\S{0,200}@)?(?=\S)/gi;
const WORD = /[^\s"'`]+/g;
/** A URL without an `@` whose port is none: a password, whose host was forgotten. */
const NO_HOST =
  /^([^]*?(?<![a-z0-9+.-])(?!file:|https?:)[a-z][a-z0-9+.-]{0,20}(?::\/{1,3}|\/{2}))([^/?#]*)([^]*)$/i;
const IN_BRACKETS = /\[[\da-f:.]+\]/gi;
/** Behind a port comes the next host, or what ends a sentence. */
const NO_PORT = /(?::|%3a)(?!\d{0,5}(?:[,:]|[;.)]*$))/i;
/** Secrets handed over as a query parameter. */
const SECRET_PARAMETERS =
  /([?&](?:pass|password|passwd|passphrase|pwd|pw|token|secret|auth)=)[^&\s"'`]*/gi;

/**
 * An input that is quoted, with what looks like `user:password@` replaced by `***@`, however it is misspelt; rather too
 * much hidden than too little.
 */
export function redactUrl(input: string): string {
  const [, before = '', rest = ''] = TO_LAST_AT.exec(input) ?? [];
  const prefix = BEFORE_USER.exec(before)?.[0] ?? '';
  const isSecret = mayHoldSecret(prefix, before.slice(prefix.length));
  const shown = isSecret ? `${prefix}***${rest}` : withoutHostless(input);
  return shown.replaceAll(SECRET_PARAMETERS, '$1***');
}

/** `redis://user:password`, whose end nobody knows, is hidden to the last letter. */
function withoutHostless(input: string): string {
  const [, prefix = '', authority = '', rest = ''] = NO_HOST.exec(input) ?? [];
  const names = authority.replaceAll(IN_BRACKETS, '');
  const hasPassword = NO_PORT.test(names) || (names.endsWith(':') && rest !== '');
  return hasPassword && !input.includes('@') ? `${prefix}***` : input;
}

/** A message or stack of somebody else with the credentials in it replaced by `***`. */
export function redactText(text: string): string {
  return text.replaceAll(BROKEN_WITHIN, '$1***@').replaceAll(WORD, redactUrl);
}

function mayHoldSecret(prefix: string, credentials: string): boolean {
  if (credentials === '') return false;
  const isFile = /file:\/+$/i.test(prefix);
  const drive = isFile ? DRIVE_OF_FILE : DRIVE;
  if (COLON.test(credentials.replace(drive, ''))) return true;
  // A password alone, or a user: before the host of a URL, but not in the path of a page or a file.
  if (prefix.includes('//'))
    return !isFile && !(/https?:\/+$/i.test(prefix) && credentials.includes('/'));
  return prefix.includes(':') && !credentials.startsWith('\\');
}
