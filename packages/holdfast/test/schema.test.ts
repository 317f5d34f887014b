import { expect, test } from 'vitest';
import { jsonSchema } from './support/json-schema.ts';

test('the published schema is the one made from the code (write it with vitest -u)', async () => {
  await expect(jsonSchema()).toMatchFileSnapshot('../holdfast.schema.json');
});
