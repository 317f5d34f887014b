import { UsageError } from './usage-error.ts';

const MS_OF: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

/**
 * Reads a duration with its unit: `500ms`, `30s`, `5m`, `1h`. Returns whole ms.
 * @throws UsageError naming the option
 */
export function durationMs(option: string, text: string): number {
  const [, digits = '', unit = ''] = /^(\d{1,9}(?:\.\d{1,3})?)(ms|s|m|h)$/.exec(text) ?? [];
  const ms = Math.round(Number(digits) * (MS_OF[unit] ?? Number.NaN));
  if (digits !== '' && Number.isSafeInteger(ms)) return ms;
  throw new UsageError(
    `--${option} needs a duration with its unit, not "${text}"`,
    'Write it like 500ms, 30s, 5m or 1h.',
  );
}
