import { readFileSync } from 'node:fs';
import { edited, type Mutable, type Mutant } from './mutant.ts';
import { sourceOf } from './targets.ts';

/** Why nobody can tell a mutant from the right lock. */
interface Reason {
  readonly in: `${Mutable}/${string}`;
  /** The line that it changes, trimmed. */
  readonly line: string;
  /** What stands there instead; a dropped statement leaves `;`. */
  readonly wrong: string;
  readonly because: string;
}

const SAME_EXPIRY = 'what has exactly the ttl left is given the expiry that it has';
const WAKES_ONCE =
  'a wait that is over resolves no second time, and the set ends with its contender';
const NEVER_ASKED = 'nobody asks whether it is live: idle and closed are all that matters';

const REASONS: readonly Reason[] = [
  ...(['redis-simple', 'redlock'] as const).map((of) => ({
    in: `${of}/scripts/renew.ts` as const,
    line: "if redis.call('PTTL', KEYS[1]) < tonumber(ARGV[2]) then",
    wrong: "if redis.call('PTTL', KEYS[1]) <= tonumber(ARGV[2]) then",
    because: SAME_EXPIRY,
  })),
  {
    in: 'redis-simple/grant.ts',
    line: 'if (life.ms > leftMs(this.#life, this.#store.host.runtime)) this.#life = life;',
    wrong: 'if (life.ms >= leftMs(this.#life, this.#store.host.runtime)) this.#life = life;',
    because: 'of two lives that end at the same moment either may be kept',
  },
  {
    in: 'redis-simple/wake-up.ts',
    line: 'this.#waits.delete(wake);',
    wrong: ';',
    because: WAKES_ONCE,
  },
  {
    in: 'redlock/wake-up.ts',
    line: 'this.#waits.delete(wake);',
    wrong: ';',
    because: WAKES_ONCE,
  },
  {
    in: 'redis-simple/wake-up.ts',
    line: 'this.#subscription = undefined;',
    wrong: ';',
    because: 'a subscription that is closed once more stays closed',
  },
  {
    in: 'redis-simple/wake-up.ts',
    line: "this.#state = 'live';",
    wrong: ';',
    because: NEVER_ASKED,
  },
];

export function reasonOf(mutant: Mutant): string | undefined {
  const { right, wrong } = linesOf(mutant);
  const at = `${mutant.package}/${mutant.file}`;
  return REASONS.find(
    (reason) =>
      reason.in === at && reason.line === oneLine(right) && reason.wrong === oneLine(wrong),
  )?.because;
}

/** The lines that a mutant changes, before and after. */
export function linesOf(mutant: Mutant): { right: readonly string[]; wrong: readonly string[] } {
  const text = readFileSync(sourceOf(mutant.package, mutant.file), 'utf8');
  const from = text.lastIndexOf('\n', mutant.start - 1) + 1;
  const end = text.indexOf('\n', mutant.end);
  const to = end < 0 ? text.length : end;
  const after = edited(text, mutant);
  return {
    right: text.slice(from, to).split('\n'),
    wrong: after.slice(from, to + after.length - text.length).split('\n'),
  };
}

export function oneLine(lines: readonly string[]): string {
  return lines
    .map((line) => line.trim())
    .join(' ')
    .trim();
}
