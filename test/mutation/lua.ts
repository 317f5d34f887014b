import type { Edit } from './mutant.ts';
import type { Node } from './syntax.ts';

/** Replacements in a line of Lua. */
const SWAPS: readonly (readonly [RegExp, string])[] = [
  [/==/g, '~='],
  [/~=/g, '=='],
  [/>=/g, '>'],
  [/<=/g, '<'],
  [/(?<![<>=~])>(?!=)/g, '>='],
  [/(?<![<>=~])<(?!=)/g, '<='],
  [/\band\b/g, 'or'],
  [/\bor\b/g, 'and'],
  [/\bnot /g, ''],
  [/ \+ /g, ' - '],
  [/(?<=\w) - (?=\w)/g, ' + '],
  [/ \* /g, ' / '],
  [/ \/ /g, ' * '],
  [/(?<![\w[%.'-])0(?![\w.])/g, '1'],
  [/(?<![\w[%.'-])1(?![\w.])/g, '0'],
  [/(?<![\w[%.'-])[2-9]\d*(?![\w.])|(?<![\w[%.'-])1\d+(?![\w.])/g, '(2 * $&)'],
];

const COMMENT = /^\s*--/;
/** A statement of its own: to drop what opens or closes a block would not compile. */
const OPENS_OR_CLOSES = /^\s*(?:else|elseif|end|until|repeat)\b|\b(?:then|do|else|repeat)\s*$/;
const CONDITION = /^(\s*(?:if|elseif) )(.+?)( then\b.*)$/;

/** True if a node is the source of a script. */
export function isLua({ type }: Node, text: string): boolean {
  return type === 'TemplateLiteral' && text.includes('redis.call');
}

/** Line by line: drops a statement, negates a condition, swaps a comparison, a connective, a constant. */
export function luaEdits(text: string, from: number): readonly Edit[] {
  let at = from;
  return text.split('\n').flatMap((line) => {
    const start = at;
    at += line.length + 1;
    return COMMENT.test(line) || line.trim() === '`' ? [] : lineEdits(line, start);
  });
}

function lineEdits(line: string, start: number): readonly Edit[] {
  const edits = SWAPS.flatMap(([pattern, by]) =>
    [...line.matchAll(pattern)].map((match): Edit => {
      const at = start + match.index;
      const text = by.replace('$&', match[0]);
      return { what: shown(match[0], text), start: at, end: at + match[0].length, text };
    }),
  );
  const [, before, condition, after] = CONDITION.exec(line) ?? [];
  const whole = (what: string, text: string): Edit => ({
    what,
    start,
    end: start + line.length,
    text,
  });
  if (condition !== undefined)
    edits.push(whole('negate the condition', `${before}not (${condition})${after}`));
  if (line.trim() !== '' && !OPENS_OR_CLOSES.test(line) && !line.includes('`'))
    edits.push(whole('drop the line', ''));
  return edits;
}

function shown(right: string, wrong: string): string {
  return wrong === '' ? `drop ${right.trim()}` : `${wrong.trim()} for ${right.trim()}`;
}
