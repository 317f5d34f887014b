/** Of the greatest rate: from 1 at the first server to -1 at the last. One alone is the first. */
export function shareOf(place: number, servers: number): number {
  return servers === 1 ? 1 : 1 - (2 * place) / (servers - 1);
}
