/** What the fragment of the page's address carries: all of its state. */
export interface PageState {
  /** A replay string, as `holdfast replay` takes it. */
  readonly story: string | undefined;
  /** The locks beside which it is shown. */
  readonly on: readonly string[];
  /** The time at which it is shown, in ms. */
  readonly atMs: number | undefined;
}

/** `r1.…`, then `&on=` with names and `&at=` with a time. */
export function writeFragment({ story, on, atMs }: PageState): string {
  const more = [
    ...(on.length === 0 ? [] : [`on=${on.map(encodeURIComponent).join(',')}`]),
    ...(atMs === undefined ? [] : [`at=${Math.round(atMs * 1000) / 1000}`]),
  ];
  return [story ?? '', ...more].join('&');
}

/** Reads what {@link writeFragment} wrote; the story is checked where it is played. */
export function readFragment(hash: string): PageState {
  const [story = '', ...more] = hash.replace(/^#/, '').split('&');
  const values = new Map(
    more.map((part) => part.split('=', 2)).map(([name = '', value]) => [name, value]),
  );
  const at = Number(values.get('at') ?? Number.NaN);
  return {
    story: story === '' ? undefined : story,
    on: (values.get('on') ?? '').split(',').filter(Boolean).map(decoded),
    atMs: Number.isFinite(at) ? at : undefined,
  };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
