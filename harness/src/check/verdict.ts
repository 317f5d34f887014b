import type { HistoryEvent, PropertyId, Verdict } from '@holdfast/core/backend';

/** The property holds in this history; `message` says how much was compared, so that an empty claim shows. */
export function ok(property: PropertyId, message: string): Verdict {
  return { property, kind: 'ok', message, proof: [] };
}

export function violated(
  property: PropertyId,
  message: string,
  proof: readonly HistoryEvent[],
): Verdict {
  return { property, kind: 'violated', message, proof };
}

/** The history is not reliable, so there is no verdict. */
export function unknown(
  property: PropertyId,
  message: string,
  proof: readonly HistoryEvent[],
): Verdict {
  return { property, kind: 'unknown', message, proof };
}

/** Milliseconds for people, to the microsecond. */
export function shown(ms: number): string {
  return `${Number(ms.toFixed(3))} ms`;
}

/** The verdict as text: its sentence, and the events that prove it, one line each with a column for every client. */
export function explain({ property, kind, message, proof }: Verdict): string {
  const headline = `${property} ${kind}: ${message}`;
  if (proof.length === 0) return headline;
  const clients = [...new Set(proof.map(({ client }) => client))];
  const rows = proof.map((event) => [
    shown(event.atMs),
    ...clients.map((client) => (client === event.client ? eventText(event) : '')),
  ]);
  return `${headline}\n\n${table([['', ...clients], ...rows])}`;
}

function eventText(event: HistoryEvent): string {
  if (event.type === 'granted') return until(event) + withToken(event.token);
  if (event.type === 'renewed') return until(event);
  if (event.type === 'released') return `released: ${event.outcome}`;
  if (event.type === 'paused') return `paused until ${shown(event.untilMs)}`;
  if (event.type === 'write') return written(event);
  return 'reason' in event ? `${event.type}: ${event.reason}` : event.type;
}

function until(event: Extract<HistoryEvent, { readonly validUntilMs: number }>): string {
  return `${event.type} until ${shown(event.validUntilMs)}`;
}

function written(event: Extract<HistoryEvent, { readonly type: 'write' }>): string {
  const from = event.readValue === undefined ? '' : `${event.readValue} → `;
  const values = event.value === undefined ? '' : `, ${from}${event.value}`;
  const refused = event.accepted ? '' : ', refused';
  return `write to ${event.resource}${withToken(event.token)}${values}${refused}`;
}

function withToken(token: string | undefined): string {
  return token === undefined ? '' : `, token ${token}`;
}

/** Aligns times to the right, words to the left. */
function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, i) => Math.max(...rows.map((row) => row[i]?.length ?? 0)));
  const line = (row: readonly string[]): string =>
    row
      .map((cell, i) => (i === 0 ? cell.padStart(widths[0] ?? 0) : cell.padEnd(widths[i] ?? 0)))
      .join('   ')
      .trimEnd();
  return rows.map(line).join('\n');
}
