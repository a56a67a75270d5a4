import { describe, expect, it } from 'vitest';
import { jsonLine, textLine } from '../../../src/agent/logging/log-line.ts';

const entry = (message: string) => ({ at: 0, level: 'info', message }) as const;

describe('a line of the agent’s log', () => {
  // As a proxy's answer or a hook's output can have them.
  it.each([
    ['a move of the cursor', 'x\u001b[1A\u001b[2Kforged', 'xforged'],
    ['a title', 'x\u001b]0;title\u0007y', 'xy'],
    ['a sequence without an end before a line break', 'x\u001b]0;title\nsecond', 'x]0;title | second'],
    ['a carriage return', 'x\rforged', 'x | forged'],
    ['another line separator', 'x\u0085y\u2028z', 'xy␤z'],
  ])('moves no cursor of a terminal, by %s', (_, message, shown) => {
    expect(textLine(entry(message))).toBe(`1970-01-01T00:00:00.000Z info    ${shown}\n`);
    expect(jsonLine(entry(message))).not.toMatch(/\p{Cc}./u);
  });

  it.each(['##vso[task.setvariable variable=X]evil', "##teamcity[publishArtifacts 'x']"])(
    'commands no CI system: %s',
    (command) => {
      const message = `Failed to run step 1, in the step's own words: "${command}".`;
      for (const line of [textLine(entry(message)), jsonLine(entry(message))])
        expect(line).not.toContain('##');
    },
  );
});
