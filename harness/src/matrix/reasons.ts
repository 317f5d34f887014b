/** A reason that is written once, under its name in `reasons`. */
const NAMED = /^@([a-z-]+)$/;

/**
 * Writes out the reasons that cells only name: `"why": "@two-holders"`. Other values stay as they are, so that the schema
 * can judge them.
 * @throws RangeError for an unknown name
 */
export function withReasons(value: unknown): unknown {
  if (!isRecord(value)) return value;
  const { reasons, ...matrix } = value;
  return isRecord(reasons) ? writtenOut(matrix, reasons) : value;
}

function writtenOut(value: unknown, reasons: Readonly<Record<string, unknown>>): unknown {
  if (Array.isArray(value)) return value.map((each) => writtenOut(each, reasons));
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [
      key,
      key === 'why' ? reasonOf(each, reasons) : writtenOut(each, reasons),
    ]),
  );
}

function reasonOf(why: unknown, reasons: Readonly<Record<string, unknown>>): unknown {
  const [, name] = typeof why === 'string' ? (NAMED.exec(why) ?? []) : [];
  if (name === undefined) return why;
  if (!Object.hasOwn(reasons, name)) throw new RangeError(`unknown reason "@${name}"`);
  return reasons[name];
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
