import { describe, expect, it } from 'vitest';
import type { PhaseResult } from '../emulators/github/phase.ts';
import { definition, useStage } from '../support/e2e/stage.ts';

const stage = useStage();

/** The only tags that the summary itself uses. */
const OWN_TAGS = /^<\/?(?:h2|p|br|table|tr|th|td|b|code|a|details|summary|pre|ul|li)(?:>| open>| href=")/;

const OWN_COMMANDS = ['group', 'endgroup', 'error', 'add-mask', 'debug'];

/** Expects that the runner accepted only our own commands from a phase. */
function expectOwnCommands({ reading }: PhaseResult): void {
  expect(reading.forged).toEqual([]);
  expect(
    reading.commands.map(({ command }) => command).filter((each) => !OWN_COMMANDS.includes(each)),
  ).toEqual([]);
}

describe('names that a job gives its steps', () => {
  const NAMES = [
    '../../../../outside',
    '/etc/passwd',
    '::error::forged by a name',
    '##[group]forged ##[error]by a name',
    '%0A::error::forged%0D::set-output name=outcome::succeeded',
    'two\n::error::forged lines',
    '</code></td></table><script>alert(1)</script>',
    '`code` **bold** [link](https://example.org) @somebody | cell |',
    '```\n# heading\n',
    'x'.repeat(300),
    '🙂🚀 ünïcödé',
    '',
    '   ',
    'Same name',
    'Same name',
    'same_name',
    '-rf',
    '\u001b[2J\u001b]0;title\u0007cleared',
    'nul\u0000byte',
    '\u202Edesrever',
    '$(id) `id` ; id',
  ];
  const END = String.raw`printf '%s\n' '\`\`\`' '</pre></details><img src=x onerror=alert(1)>' '| a | b |' '# heading'; exit 1`;

  it('cannot reach a file, a command, markup or another step', async () => {
    // Some names are the same, or lead to the same file name.
    const steps = NAMES.map((name, at) => ({ name, run: `echo "line of ${at}"` }));
    const all = [{ name: 'Setup' }, ...steps, { name: '</summary>Last', run: END }];
    const deployment = stage.enqueue(definition({}, { steps: all }));
    const { main, post } = await stage.run({ 'artifact-name': '../a:b*c?"d\ne' });
    expect(main.outputs).toMatchObject({ outcome: 'failed', 'deployment-id': deployment.id });

    const artifact = await stage.onlyArtifact();
    const logs = [...artifact.files.keys()].filter((path) => path.startsWith('steps/'));
    expect(logs).toHaveLength(NAMES.length + 2);
    for (const path of artifact.files.keys())
      expect(path).toMatch(/^(?:steps\/\d\d-[a-z0-9-]{1,60}\.log|[\w.]+)$/);
    for (const [at] of NAMES.entries()) {
      const log = logs.find((path) => path.startsWith(`steps/${String(at + 1).padStart(2, '0')}-`)) ?? '';
      expect(artifact.text(log)).toBe(`line of ${at}\n`);
      expect(main.console).toContain(`line of ${at}`);
      expect(deployment.steps[at + 1]?.lines.map(({ l }) => l)).toEqual([`line of ${at}\n`]);
    }

    for (const phase of [main, post]) expectOwnCommands(phase);
    expect(main.annotations).toHaveLength(2);
    for (const hidden of ['\u001b', '\u202E', '\0']) expect(String(main.raw.stdout)).not.toContain(hidden);

    expect(main.summaryDropped).toBe(false);
    expect(main.summary).toContain('Last');
    for (const [tag] of main.summary.matchAll(/<\/?[a-z][^>]*>/gi)) expect(tag).toMatch(OWN_TAGS);
    // Markdown blocks begin at a line's start, and all those starts are ours.
    const [chart = '', ...others] = main.summary.match(/^```mermaid\n[^`]*\n```$/gm) ?? [];
    expect(others).toEqual([]);
    for (const line of main.summary.replace(chart, '').split('\n')) {
      expect(line).toMatch(/^(?:<(?:h2|p|table|details|ul)[ >]|<\/details>$|$)/);
    }
  });
});

describe('hostile output', () => {
  it('cannot forge a command, an output or a line that readers would take for ours', async () => {
    const deployment = stage.enqueue(
      definition({
        Hostile: [
          String.raw`printf '::set-output name=outcome::succeeded\n'`,
          String.raw`printf '   ::error::forged\n'`,
          String.raw`printf '\t::save-state name=x::y\n'`,
          String.raw`printf 'text ##[set-output name=outcome]succeeded\n'`,
          String.raw`printf '##[error]forged\n##[group]forged\n'`,
          String.raw`printf 'progress\r::add-mask::eu\r::warning::forged\n'`,
          String.raw`printf '%%0A::error::forged%%0D\n'`,
          String.raw`printf '::stop-commands::abc\n::endgroup::\n'`,
          String.raw`printf '\033[2J\033[1;1H\033]0;title\007\033[31mred\033[0m\n'`,
          String.raw`printf '\302\240::error::nbsp\n\342\200\250::error::line separator\n\302\205::error::nel\n'`,
          'exit 1',
        ].join('; '),
      }),
    );
    const { main, post } = await stage.run();
    expect(main.outputs).toMatchObject({ outcome: 'failed', 'deployment-id': deployment.id });
    for (const phase of [main, post]) expectOwnCommands(phase);
    // The runner sees only our own annotations: the failures of the step and of the job.
    const messages = main.annotations.map(({ message }) => message);
    expect(messages.filter((message) => message.startsWith('forged'))).toEqual([]);
    expect(messages.length).toBeLessThanOrEqual(2);
    expect(main.state['x']).toBeUndefined();
    expect(String(main.raw.stdout)).not.toContain('\u001b[2J');
    expect(String(main.raw.stdout)).toContain('\u001b[31mred');
    // The artifact keeps the output as printed.
    expect((await stage.onlyArtifact()).text('steps/01-hostile.log')).toContain(
      '::set-output name=outcome::succeeded\n',
    );
  });
});
