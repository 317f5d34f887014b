import { describe, expect, test } from 'vitest';
import { Resource } from '../../src/sim/schedule/resource.ts';
import { Recorder, World } from '../../src/simulator/index.ts';

/** A resource, and an older and a newer holder with the tokens 1 and 2. */
function stage() {
  const world = new World();
  const recorder = new Recorder(world);
  const hold = recorder.acquire(world.process('a'), 'k');
  const resource = new Resource(recorder);
  const write = (reading: ReturnType<Resource['read']>, token: bigint | undefined) => {
    resource.write(hold, reading, token);
    return recorder
      .history()
      .filter((event) => event.type === 'write')
      .findLast(({ fenced }) => fenced);
  };
  return { resource, write };
}

describe('the fenced counter of a resource', () => {
  test('shows nothing to a token that is smaller than one it has seen, nor to none', () => {
    const { resource } = stage();

    expect(resource.read(2n)).toEqual({ open: 0, fenced: 0 });
    expect(resource.read(1n)).toEqual({ open: 0, fenced: undefined });
    expect(resource.read(undefined)).toEqual({ open: 0, fenced: undefined });
    expect(resource.refused).toBe(1);
  });

  test('lets a holder read and write with one token, as often as it likes', () => {
    const { resource, write } = stage();

    expect(write(resource.read(1n), 1n)).toMatchObject({ accepted: true, value: 1 });
    expect(write(resource.read(1n), 1n)).toMatchObject({ accepted: true, value: 2 });
    expect(resource.refused).toBe(0);
  });

  test('refuses a late write as soon as the newer holder has read: the newer one computes from that value', () => {
    const { resource, write } = stage();
    const early = resource.read(1n);
    const later = resource.read(2n);

    expect(write(early, 1n)).toMatchObject({ accepted: false, readValue: 0 });
    expect(write(later, 2n)).toMatchObject({ accepted: true, readValue: 0, value: 1 });
  });

  test('refuses a value computed without a reading, though by then no larger token is known', () => {
    const { resource, write } = stage();

    expect(write(resource.read(undefined), 1n)).toMatchObject({ accepted: false });
    expect(resource.read(1n).fenced).toBe(0);
  });
});

test('the open counter accepts every write, with any token', () => {
  const { resource, write } = stage();
  resource.read(2n);

  write(resource.read(1n), 1n);

  expect(resource.read(undefined).open).toBe(1);
});
