/** The number of hash slots of every Redis Cluster. */
export const SLOTS = 16_384;

/** The polynomial of CRC16/XMODEM, which the Redis Cluster specification prescribes. */
const POLYNOMIAL = 0x10_21;
const TABLE: readonly number[] = Array.from({ length: 256 }, (_, byte) => {
  let rest = byte << 8;
  for (let bit = 0; bit < 8; bit++)
    rest = (rest & 0x80_00) === 0 ? rest << 1 : (rest << 1) ^ POLYNOMIAL;
  return rest & 0xff_ff;
});
const UTF8 = new TextEncoder();

/**
 * Returns the slot of a key or of a shard channel: CRC16 of its hash tag, or of all of it if it has none.
 * @example
 * ```ts
 * slotOf('{orders}/42') === slotOf('{orders}/43'); // true: they have one hash tag
 * ```
 */
export function slotOf(key: string): number {
  let crc = 0;
  for (const byte of UTF8.encode(hashTag(key)))
    crc = ((crc << 8) & 0xff_ff) ^ (TABLE[(crc >> 8) ^ byte] ?? 0);
  return crc % SLOTS;
}

/** The text between the first `{` and the next `}`, unless it is empty. */
function hashTag(key: string): string {
  const from = key.indexOf('{') + 1;
  if (from === 0) return key;
  const end = key.indexOf('}', from);
  return end > from ? key.slice(from, end) : key;
}
