import { expect, test } from 'vitest';
import { pages, pathOf, pathOfPicture, pictured, pictureOf, renewed } from './pages.ts';

test.each(pages())(
  'what the simulator tells on docs/%s is what it tells now (write it with vitest -u)',
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
