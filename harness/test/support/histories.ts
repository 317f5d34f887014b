import type { HistoryEvent } from '@holdfast/core/backend';

type Without<E, K extends PropertyKey> = E extends unknown ? Omit<E, K> : never;
/** An event in a few words: its place and time are those of its line, its hold that of its client. */
export type EventLine = Without<HistoryEvent, 'seq' | 'atMs' | 'key' | 'hold'>;

/** A history on one key, one event each millisecond; every client has one hold. */
export function historyFrom(lines: readonly EventLine[]): readonly HistoryEvent[] {
  return lines.map((line, seq): HistoryEvent => {
    const place = { seq, atMs: seq, key: 'k' };
    return line.type === 'paused' || line.type === 'crashed'
      ? { ...line, ...place }
      : { ...line, ...place, hold: `${line.client}/1` };
  });
}

/** `client` asks, is granted until `untilMs`, and enters. */
export function holding(client: string, untilMs: number): readonly EventLine[] {
  return [
    { type: 'acquire', client },
    { type: 'granted', client, validUntilMs: untilMs, token: '1' },
    { type: 'enter', client },
  ];
}

/** An update of the plain counter, and where it is `fenced` of the other one. */
export function update(
  client: string,
  readValue: number,
  fenced = false,
  accepted = true,
): EventLine {
  return {
    type: 'write',
    client,
    resource: fenced ? 'fenced counter' : 'counter',
    fenced,
    accepted,
    ...(fenced ? { token: '1' } : {}),
    value: readValue + 1,
    readValue,
  };
}
