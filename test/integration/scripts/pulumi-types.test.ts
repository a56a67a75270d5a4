import { expect, it } from 'vitest';
import { read } from '../../support/documents/pages.ts';
import { scriptOutput } from '../../support/script.ts';

it("the committed types of Pulumi Cloud's API are what its SDK yields", async () => {
  const file = 'test/support/pulumi-types/schema.json';
  const yielded: unknown = JSON.parse(await scriptOutput('pulumi-types.ts', ['--print']));
  expect(JSON.parse(read(file)), 'outdated: run scripts/pulumi-types.ts and commit what it writes').toEqual(
    yielded,
  );
});
