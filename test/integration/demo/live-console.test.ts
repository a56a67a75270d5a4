import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { eachConsoleLine, marginRenderer } from '../../../demo/live-console.ts';
import { type GitHub, startGitHub } from '../../emulators/github/github.ts';
import { writeAction } from '../../emulators/github/throwaway-action.ts';

let directory: string;
let github: GitHub;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'live-console-'));
  github = await startGitHub({ repository: 'acme/infra' });
});
afterEach(async () => {
  await github.stop();
  await rm(directory, { recursive: true, force: true });
});

it('hands on every line while the step runs, those before the first look too, and ends with the step', async () => {
  const gate = join(directory, 'gate');
  const action = await writeAction(join(directory, 'action'), {
    main: `
      import { existsSync } from 'node:fs';
      console.log('first');
      const timer = setInterval(() => {
        if (!existsSync(${JSON.stringify(gate)})) return;
        clearInterval(timer);
        console.log('::add-mask::hidden-value\\nlast hidden-value');
      }, 10);
    `,
  });
  const phase = await (await github.newJob(action)).startMain();
  await phase.waitForConsole(/^first$/u, 10_000);
  const lines: string[] = [];
  const shown = eachConsoleLine(phase, (line) => lines.push(line));
  expect(lines).toEqual(['first']);
  await writeFile(gate, '');
  await shown;
  expect(lines).toEqual(['first', 'last ***']);
  expect((await phase.exited).exitCode).toBe(0);
});

it('renders groups and annotations behind the margin', () => {
  const render = marginRenderer('| ');
  const lines = ['a', '##[group]Step 1', 'b', '##[endgroup]', '##[error]it failed', '##[command]x'];
  expect(lines.map(render)).toEqual(['| a', '| ▸ Step 1', '|   b', undefined, '| error: it failed', '| ##[command]x']);
});
