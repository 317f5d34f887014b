/**
 * True if the name matches a pattern of KEYS or SCAN: `*`, `?`, `[a-c]`, `[^a]`, and `\` before a literal character.
 */
export function matchesGlob(glob: string, name: string): boolean {
  return glob === '*' || compiled(glob).test(name);
}

const patterns = new Map<string, RegExp>();

function compiled(glob: string): RegExp {
  let pattern = patterns.get(glob);
  if (pattern === undefined) {
    pattern = new RegExp(`^${[...parts(glob)].join('')}$`, 's');
    if (patterns.size > 1000) patterns.clear();
    patterns.set(glob, pattern);
  }
  return pattern;
}

function* parts(glob: string): Generator<string> {
  for (let at = 0; at < glob.length; at++) {
    const char = glob.charAt(at);
    if (char === '*') yield '.*';
    else if (char === '?') yield '.';
    else if (char === '\\' && at + 1 < glob.length) yield literal(glob.charAt(++at));
    else if (char === '[') {
      const end = endOfClass(glob, at + 1);
      yield classPattern(glob.slice(at + 1, end));
      at = end;
    } else yield literal(char);
  }
}

/** An unfinished class ends where the pattern ends. */
function endOfClass(glob: string, from: number): number {
  for (let at = from; at < glob.length; at++) {
    if (glob.charAt(at) === '\\') at++;
    else if (glob.charAt(at) === ']') return at;
  }
  return glob.length;
}

function classPattern(inside: string): string {
  const negated = inside.startsWith('^');
  const members = [...membersOf(negated ? inside.slice(1) : inside)].join('');
  if (members === '') return negated ? '.' : '(?!)';
  return `[${negated ? '^' : ''}${members}]`;
}

function* membersOf(inside: string): Generator<string> {
  for (let at = 0; at < inside.length; at++) {
    const char = inside.charAt(at);
    if (char === '\\' && at + 1 < inside.length) yield literal(inside.charAt(++at));
    else if (inside.charAt(at + 1) === '-' && at + 2 < inside.length) {
      const [low = '', high = ''] = [char, inside.charAt(at + 2)].toSorted();
      yield `${literal(low)}-${literal(high)}`;
      at += 2;
    } else yield literal(char);
  }
}

function literal(char: string): string {
  return /[\w\s]/.test(char) ? char : `\\x${char.charCodeAt(0).toString(16).padStart(2, '0')}`;
}
