import { readFileSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { PhaseHandle, PhaseResult } from '../emulators/github/phase.ts';
import { agentPid, definition, filesBelow, onlyArtifact, useStage } from '../support/e2e/stage.ts';

const stage = useStage();

/** A job of steps by name, several of which may have the same. */
function stepsOf(steps: readonly (readonly [name: string, run: string])[], more: object = {}): object {
  return definition({}, { steps: [{ name: 'Setup' }, ...steps.map(([name, run]) => ({ name, run }))], ...more });
}

/** The only tags that the summary uses itself. */
const OWN_TAGS = /^<\/?(?:p|br|table|tr|td|b|code|a|details|summary|pre|ul|li)(?:>| open>| href=")/;

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

  it('reach no file, no command, no markup and no other step', async () => {
    const steps = NAMES.map((name, at): [string, string] => [name, `echo "line of ${at}"`]);
    const deployment = stage.enqueue(stepsOf([...steps, ['</summary>Last', END]]));
    const job = await stage.job({ 'artifact-name': '../a:b*c?"d\ne' });
    const main = await job.main();
    const post = await job.post();
    expect(main.outputs).toMatchObject({ outcome: 'failed', 'deployment-id': deployment.id });

    const artifact = await onlyArtifact(stage.github);
    const logs = [...artifact.files.keys()].filter((path) => path.startsWith('steps/'));
    expect(logs).toHaveLength(NAMES.length + 2);
    for (const path of artifact.files.keys()) expect(path).toMatch(/^(?:steps\/\d\d-[a-z0-9-]{1,60}\.log|[\w.]+)$/);
    for (const [at] of NAMES.entries()) {
      const log = logs.find((path) => path.startsWith(`steps/${String(at + 1).padStart(2, '0')}-`)) ?? '';
      expect(artifact.text(log)).toBe(`line of ${at}\n`);
      expect(main.console).toContain(`line of ${at}`);
      expect(deployment.steps[at + 1]?.lines.map(({ l }) => l)).toEqual([`line of ${at}\n`]);
    }

    for (const phase of [main, post]) {
      expect(phase?.reading.forged ?? []).toEqual([]);
      const commands = new Set((phase?.reading.commands ?? []).map(({ command }) => command));
      expect(
        [...commands].filter((command) => !['group', 'endgroup', 'error', 'add-mask', 'debug'].includes(command)),
      ).toEqual([]);
    }
    expect(main.annotations).toHaveLength(2);
    for (const hidden of ['\u001b', '\u202E', '\0']) expect(String(main.raw.stdout)).not.toContain(hidden);

    expect(main.summaryDropped).toBe(false);
    expect(main.summary).toContain('Last');
    for (const [tag] of main.summary.matchAll(/<\/?[a-z][^>]*>/gi)) expect(tag).toMatch(OWN_TAGS);
    // Markdown begins at a line's start: all of those are ours.
    const [chart = '', ...others] = main.summary.match(/^```mermaid\n[^`]*\n```$/gm) ?? [];
    expect(others).toEqual([]);
    for (const line of main.summary.replace(chart, '').split('\n')) {
      expect(line).toMatch(/^(?:## |<(?:p|table|details|ul)[ >]|$)/);
    }
  });
});

describe('hostile output', () => {
  it('forges nothing: no command, no output, no line that a reader would take for ours', async () => {
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
    const job = await stage.job();
    const main = await job.main();
    const post = await job.post();
    expect(main.outputs).toMatchObject({ outcome: 'failed', 'deployment-id': deployment.id });
    for (const phase of [main, post]) {
      expect(phase?.reading.forged ?? []).toEqual([]);
      const commands = (phase?.reading.commands ?? []).map(({ command }) => command);
      expect(
        commands.filter((command) => !['group', 'endgroup', 'error', 'add-mask', 'debug'].includes(command)),
      ).toEqual([]);
    }
    // The runner sees our annotations only: the step's failure and the job's.
    const messages = main.annotations.map(({ message }) => message);
    expect(messages.filter((message) => message.startsWith('forged'))).toEqual([]);
    expect(messages.length).toBeLessThanOrEqual(2);
    expect(main.state['x']).toBeUndefined();
    expect(String(main.raw.stdout)).not.toContain('\u001b[2J');
    expect(String(main.raw.stdout)).toContain('\u001b[31mred');
    // The artifact keeps what really was printed.
    expect((await onlyArtifact(stage.github)).text('steps/01-hostile.log')).toContain(
      '::set-output name=outcome::succeeded\n',
    );
  });
});

describe('secrets in every disguise', () => {
  const INNER = 'inner-5Yq';
  const OUTER = `outer-${INNER}-7Kd2`;
  const LINES = "first-line-8Hs1\"quoted\\back\r\nsecond-line-%0A-::error::x\r\n\r\nthird line '4Lp9'";
  const KEY = `-----BEGIN KEY-----\n${Array.from({ length: 6 }, (_, at) => `${at}canaryKeyMaterial`.repeat(3)).join('\n')}\n-----END KEY-----\n`;
  const LATER = 'later-3Vb8-from-a-step';

  it('are found in no place and at no moment, in debug mode either', async () => {
    const deployment = stage.enqueue(
      stepsOf(
        [
          [
            'Hand on',
            `echo "LATER=${LATER.slice(0, 9)}$(printf %s ${LATER.slice(9)})" >> "\${PULUMI_ENV_FILE:-/PULUMI_ENV}"; sleep 0.3`,
          ],
          [
            'Print',
            [
              'echo "$INNER|$OUTER|$OUTER$INNER|$INNER$OUTER"',
              'for i in $(seq 0 $((${#OUTER} - 1))); do printf "%s" "${OUTER:$i:1}"; sleep 0.02; done; echo',
              'printf "%s\\n" "$LINES"; printf "%s\\n" "$LINES" | tr -d "\\r"; printf "%s" "$LINES" | base64 -w0; echo',
              'printf "%s" "$KEY"; echo "$KEY" | base64; echo "$KEY" | base64 -w64; echo "x$KEY" | base64 -w0; echo',
              'echo "later $LATER" >&2; echo "$LATER" | base64',
              'hex=$(printf %s "$OUTER" | od -An -v -tx1 | tr -d " \\n"); echo "hex: $hex, ${hex^^}"',
              // As programs print it in an address and in JSON.
              ...[encodeURIComponent(LINES), JSON.stringify(LINES)].map(
                (form) => `echo "form: $(echo ${Buffer.from(form).toString('base64')} | base64 -d)"`,
              ),
              'cat /proc/self/environ | tr "\\0" "\\n"',
              'exit 3',
            ].join('; '),
          ],
        ],
        {
          env: {
            INNER: { secret: INNER },
            OUTER: { secret: OUTER },
            LINES: { isSecret: true, value: LINES },
            KEY: { secret: KEY },
          },
        },
      ),
    );
    const job = await stage.job({ token: undefined }, {}, { debug: true });
    const main = await job.startMain();
    const samples = await watched(main, join(job.workspace, '../../../_temp'));
    const ended = await main.exited;
    const post = await job.post();
    expect(ended.outputs).toMatchObject({ outcome: 'failed' });

    const artifact = await onlyArtifact(stage.github);
    const places = new Map<string, string>([
      ...samples,
      ...texts('main', ended),
      ...(post === undefined ? [] : texts('post', post)),
      ['Pulumi Cloud', deployment.steps.flatMap((step) => step.lines.map(({ l }) => l)).join('')],
      ...[...artifact.files].map(([path, bytes]): [string, string] => [`artifact ${path}`, String(bytes)]),
    ]);
    const tellTales = [
      INNER,
      '7Kd2',
      'first-line-8Hs1',
      'second-line-',
      '4Lp9',
      'canaryKeyMaterial',
      LATER,
      Buffer.from('first-line-8Hs1').toString('base64').slice(0, 16),
      Buffer.from('7Kd2').toString('hex'),
      Buffer.from('7Kd2').toString('hex').toUpperCase(),
      // What 57 and 48 bytes a line make of the key, wherever in it.
      ...[...base64Pieces(KEY)],
      ...stage.cloud.issuedTokens,
    ];
    for (const [place, text] of places) {
      const shown = text.replace(/^::add-mask::.*$/gm, '');
      for (const secret of tellTales) expect(shown.includes(secret), `${secret} in ${place}`).toBe(false);
    }
    expect([...samples.keys()].filter((place) => place.includes('/private/')).length).toBe(0);
    for (const shown of ['later ***\n', 'hex: ***, ***\n', 'form: ***\nform: "***"\n'])
      expect(artifact.text('steps/02-print.log')).toContain(shown);
  });

  function* base64Pieces(secret: string): Generator<string> {
    for (let at = 30; at + 24 < secret.length; at += 24) {
      for (const shift of [0, 1, 2]) yield Buffer.from(secret.slice(at + shift, at + shift + 24)).toString('base64');
    }
  }
});

const texts = (name: string, { raw, summary, outputs, state, annotations }: PhaseResult): [string, string][] => [
  [`${name} console`, String(raw.stdout) + String(raw.stderr)],
  [`${name} summary`, summary],
  [`${name} outputs`, JSON.stringify([outputs, state, annotations])],
];

/** Everything that can be read of a run from outside while it runs, by place; the private folder only for who may read it. */
async function watched(main: PhaseHandle, temporary: string): Promise<Map<string, string>> {
  const seen = new Map<string, string>();
  const add = (place: string, text: string) => seen.set(place, `${seen.get(place) ?? ''}\n${text}`);
  const pid = await agentPid(main);
  let over = false;
  void main.exited.then(() => {
    over = true;
  });
  for (; !over; await delay(20)) {
    for (const [path, bytes] of await filesBelow(temporary)) {
      const { mode } = await stat(join(temporary, path)).catch(() => ({ mode: 0 }));
      if (path.includes('/private/')) expect(mode & 0o077, path).toBe(0);
      else if (!path.startsWith('_runner_file_commands/')) {
        expect(mode & 0o077, path).toBe(0);
        add(`file ${path.replace(/^pulumi-runner-\w+\//, '')}`, String(bytes));
      }
    }
    try {
      add('command line', readFileSync(`/proc/${pid}/cmdline`, 'utf8'));
    } catch {
      // The agent has ended.
    }
  }
  return seen;
}
