import type { HistoryEvent } from '@holdfast/core';

/** A token behind some words; nothing where there is no token. */
export type ShortToken = (token: string | undefined, before: string) => string;

const SHORTEST = 4;

/** Tokens of sixteen digits differ only in the last few: what all share is left out. */
export function shortTokens(history: readonly HistoryEvent[]): ShortToken {
  const tokens = [
    ...new Set(
      history.flatMap((event) =>
        'token' in event && event.token !== undefined ? [event.token] : [],
      ),
    ),
  ];
  const shared = Math.min(sharedLength(tokens), ...tokens.map(({ length }) => length - SHORTEST));
  return (token, before) => {
    if (token === undefined) return '';
    return shared > 1 ? `${before}…${token.slice(shared)}` : `${before}${token}`;
  };
}

function sharedLength(tokens: readonly string[]): number {
  const [first = '', ...rest] = tokens;
  if (rest.some(({ length }) => length !== first.length)) return 0;
  let length = 0;
  while (length < first.length && rest.every((token) => token[length] === first[length])) length++;
  return length;
}
