import { fault } from '../errors.ts';
import type { LuaValue } from '../values.ts';
import { classEnd, matchesClass, matchesSet, membersOf } from './character-classes.ts';

/** A match: the text lies in [from, to). */
export interface Match {
  readonly from: number;
  readonly to: number;
  readonly captures: readonly LuaValue[];
}

/** A capture is open until its end is known; a position capture has no length. */
interface Capture {
  from: number;
  length: number | 'open' | 'position';
}

const CAPTURES_MAX = 32;
const DEPTH_MAX = 200;

/** Lua 5.1's patterns, matched by backtracking as in its lstrlib.c. */
export class Pattern {
  readonly #pattern: string;
  readonly #text: string;
  readonly anchored: boolean;
  #captures: Capture[] = [];
  #depth = 0;

  constructor(pattern: string, text: string) {
    this.#pattern = pattern;
    this.#text = text;
    this.anchored = pattern.startsWith('^');
  }

  /** Returns the first match at `from` or, unless anchored, after it. */
  search(from: number): Match | undefined {
    for (let start = from; start <= this.#text.length; start++) {
      const found = this.matchAt(start);
      if (found !== undefined || this.anchored) return found;
    }
    return undefined;
  }

  matchAt(from: number): Match | undefined {
    this.#captures = [];
    this.#depth = 0;
    const to = this.#match(from, this.anchored ? 1 : 0);
    if (to === undefined) return undefined;
    return { from, to, captures: this.#captures.map((capture) => this.#captured(capture)) };
  }

  #captured({ from, length }: Capture): LuaValue {
    if (length === 'position') return from + 1;
    if (length === 'open') throw fault('unfinished capture');
    return this.#text.slice(from, from + length);
  }

  /** Returns the end of the match of the pattern from `p` on, if it starts at `s`. */
  #match(s: number, p: number): number | undefined {
    if (++this.#depth > DEPTH_MAX * 100) throw fault('pattern too complex');
    try {
      return this.#matchItem(s, p);
    } finally {
      this.#depth--;
    }
  }

  #matchItem(s: number, p: number): number | undefined {
    const pattern = this.#pattern;
    if (p >= pattern.length) return s;
    const char = pattern.charAt(p);
    if (char === '(') return this.#open(s, p);
    if (char === ')') return this.#close(s, p + 1);
    if (char === '$' && p + 1 === pattern.length) return s === this.#text.length ? s : undefined;
    if (char === '%') {
      const next = pattern.charAt(p + 1);
      if (next === 'b') return this.#balanced(s, p + 2);
      if (next === 'f') return this.#frontier(s, p + 2);
      if (/\d/.test(next)) return this.#repeated(s, p + 2, next);
    }
    return this.#single(s, p);
  }

  #single(s: number, p: number): number | undefined {
    const end = classEnd(this.#pattern, p);
    switch (this.#pattern.charAt(end)) {
      case '?': {
        const taken = this.#fits(s, p, end) ? this.#match(s + 1, end + 1) : undefined;
        return taken ?? this.#match(s, end + 1);
      }
      case '*':
        return this.#most(s, p, end, 0);
      case '+':
        return this.#most(s, p, end, 1);
      case '-':
        return this.#least(s, p, end);
      default:
        return this.#fits(s, p, end) ? this.#match(s + 1, end) : undefined;
    }
  }

  #fits(s: number, p: number, end: number): boolean {
    if (s >= this.#text.length) return false;
    const char = this.#text.charAt(s);
    switch (this.#pattern.charAt(p)) {
      case '.':
        return true;
      case '%':
        return matchesClass(char, this.#pattern.charAt(p + 1));
      case '[':
        return matchesSet(char, this.#pattern, p, end - 1);
      default:
        return this.#pattern.charAt(p) === char;
    }
  }

  #most(s: number, p: number, end: number, least: number): number | undefined {
    let count = this.#run(s, p, end);
    for (; count >= least; count--) {
      const to = this.#match(s + count, end + 1);
      if (to !== undefined) return to;
    }
    return undefined;
  }

  /** Number of characters from `s` on that fit the item. */
  #run(s: number, p: number, end: number): number {
    const text = this.#text;
    let at = s;
    if (end - p === 1) {
      while (this.#fits(at, p, end)) at++;
    } else {
      // Looked up instead of computed: owner values are read here.
      const members = membersOf(this.#pattern.slice(p, end));
      while (at < text.length && members[text.charCodeAt(at)] === 1) at++;
    }
    return at - s;
  }

  #least(from: number, p: number, end: number): number | undefined {
    for (let s = from; ; s++) {
      const to = this.#match(s, end + 1);
      if (to !== undefined) return to;
      if (!this.#fits(s, p, end)) return undefined;
    }
  }

  #open(s: number, p: number): number | undefined {
    if (this.#captures.length >= CAPTURES_MAX) throw fault('too many captures');
    const isPosition = this.#pattern.charAt(p + 1) === ')';
    this.#captures.push({ from: s, length: isPosition ? 'position' : 'open' });
    const to = this.#match(s, p + (isPosition ? 2 : 1));
    if (to === undefined) this.#captures.pop();
    return to;
  }

  #close(s: number, p: number): number | undefined {
    const capture = this.#captures.findLast(({ length }) => length === 'open');
    if (capture === undefined) throw fault('invalid pattern capture');
    capture.length = s - capture.from;
    const to = this.#match(s, p);
    if (to === undefined) capture.length = 'open';
    return to;
  }

  #balanced(s: number, p: number): number | undefined {
    const [open, close] = [this.#pattern.charAt(p), this.#pattern.charAt(p + 1)];
    if (close === '') throw fault('unbalanced pattern');
    if (this.#text.charAt(s) !== open || open === '') return undefined;
    let depth = 1;
    for (let at = s + 1; at < this.#text.length; at++) {
      const char = this.#text.charAt(at);
      if (char === close) {
        if (--depth === 0) return this.#match(at + 1, p + 2);
      } else if (char === open) depth++;
    }
    return undefined;
  }

  #frontier(s: number, p: number): number | undefined {
    if (this.#pattern.charAt(p) !== '[') throw fault("missing '[' after '%f' in pattern");
    const end = classEnd(this.#pattern, p);
    const before = s === 0 ? '\0' : this.#text.charAt(s - 1);
    const here = s < this.#text.length ? this.#text.charAt(s) : '\0';
    const crosses =
      !matchesSet(before, this.#pattern, p, end - 1) && matchesSet(here, this.#pattern, p, end - 1);
    return crosses ? this.#match(s, end) : undefined;
  }

  #repeated(s: number, p: number, digit: string): number | undefined {
    const capture = this.#captures[Number(digit) - 1];
    if (capture === undefined || capture.length === 'open') throw fault('invalid capture index');
    const length = capture.length === 'position' ? 0 : capture.length;
    const text = this.#text.slice(capture.from, capture.from + length);
    return this.#text.startsWith(text, s) ? this.#match(s + length, p) : undefined;
  }
}
