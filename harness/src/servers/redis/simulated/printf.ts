/** C's number formats, which Redis and Lua both use. */

/** `%.‹digits›g` */
export function formatGeneral(value: number, digits: number): string {
  if (Number.isInteger(value) && Math.abs(value) < 1e14 && digits >= 14) return integral(value);
  if (!Number.isFinite(value)) return special(value);
  const precision = Math.max(1, digits);
  const exponent = exponentOf(value, precision);
  const plain = exponent >= -4 && exponent < precision;
  if (plain) return trimmed(formatFixed(value, precision - 1 - exponent));
  const [mantissa = '', power = ''] = formatExponential(value, precision - 1).split('e');
  return `${trimmed(mantissa)}e${power}`;
}

/** `%.‹digits›f` */
export function formatFixed(value: number, digits: number): string {
  if (!Number.isFinite(value)) return special(value);
  const sign = isNegative(value) ? '-' : '';
  const size = Math.abs(value);
  if (digits === 0 && Number.isSafeInteger(size)) return `${sign}${size}`;
  if (size >= 1e21) return `${sign}${BigInt(size)}${digits > 0 ? `.${'0'.repeat(digits)}` : ''}`;
  return sign + (evenTie(size, digits) ?? size.toFixed(digits));
}

/** `%.‹digits›e` */
export function formatExponential(value: number, digits: number): string {
  if (!Number.isFinite(value)) return special(value);
  const sign = isNegative(value) ? '-' : '';
  const [mantissa = '', power = ''] = Math.abs(value).toExponential(digits).split('e');
  return `${sign}${mantissa}e${power.charAt(0)}${power.slice(1).padStart(2, '0')}`;
}

function special(value: number): string {
  // The NaN that 0/0 makes on x86 has its sign bit set, and C prints it.
  if (Number.isNaN(value)) return '-nan';
  return value > 0 ? 'inf' : '-inf';
}

function isNegative(value: number): boolean {
  return value < 0 || Object.is(value, -0);
}

function integral(value: number): string {
  return Object.is(value, -0) ? '-0' : `${value}`;
}

/** The exponent after rounding to `precision` digits: 9.99 to two digits is 1.0e1. */
function exponentOf(value: number, precision: number): number {
  return value === 0 ? 0 : Number(value.toExponential(precision - 1).split('e')[1]);
}

function trimmed(text: string): string {
  return text.includes('.') ? text.replace(/\.?0+$/, '') : text;
}

/** C rounds a tie to the even digit, JavaScript upwards. Only a multiple of 2^-(digits+1) can be a tie. */
function evenTie(size: number, digits: number): string | undefined {
  if (digits > 50 || !Number.isInteger(size * 2 ** (digits + 1))) return undefined;
  const exact = size.toFixed(digits + 1);
  if (!exact.endsWith('5')) return undefined;
  const down = digits === 0 ? exact.slice(0, -2) : exact.slice(0, -1);
  return '02468'.includes(down.charAt(down.length - 1)) ? down : size.toFixed(digits);
}
