import { describe, expect, it } from 'vitest';
import { main } from '../../../src/cli/main.ts';

describe('the error of a command', () => {
  it.each([
    '##vso[task.setvariable variable=PATH]x',
    "##teamcity[setParameter name='a' value='b']",
    '##[add-mask]a',
  ])('makes no message to a CI system of what it quotes: %s', async (quoted) => {
    let stderr = '';
    const process = { stderr: { write: (text: string) => (stderr += text) } };
    const code = await main({
      argv: [quoted],
      environment: {},
      workingDirectory: '/',
      agentDirectory: '/',
      process: process as unknown as NodeJS.Process,
      exit: () => undefined,
    });
    expect(code).not.toBe(0);
    expect(stderr).toContain(`# ${quoted.slice(1)}`);
    expect(stderr).not.toContain('##');
  });
});
