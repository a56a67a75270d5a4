import { expect, it } from 'vitest';
import { SET_UP } from '../../../demo/pictures/runs.ts';
import { read } from '../../support/documents/pages.ts';

it('the picture of set-up shows the command of docs/command.md', () => {
  const commands = read('docs/command.md').replaceAll(/ \\\n\s*/g, ' ');
  expect(commands).toContain(`\npulumi-runner-agent ${SET_UP.join(' ')}\n`);
});
