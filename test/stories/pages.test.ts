import { expect, test } from 'vitest';
import { pages, pathOf, pathOfPicture, pictured, pictureOf, renewed } from './pages.ts';

test.each(pages())(
  'the runs on docs/%s are up to date (write them with vitest -u)',
  async (page) => {
    await expect(await renewed(page)).toMatchFileSnapshot(pathOf(page));
  },
);

test.each(pictured())(
  'the picture of %s is what is drawn now (write it with vitest -u)',
  async (name) => {
    await expect(await pictureOf(name)).toMatchFileSnapshot(pathOfPicture(name));
  },
);
