import { reportOf } from '../../../src/record/report/report.ts';
import type { RunResult, StepResult } from '../../../src/record/schema.ts';
import { SampleRun, sampleStep } from '../run/sample-run.ts';
import { temporaryDirectory } from '../run/temporary-directory.ts';

const BEGIN = Date.parse('2026-06-18T10:00:00.000Z');

export interface SampleStep {
  readonly name: string;
  readonly seconds: number;
  readonly text?: string;
  readonly over?: Partial<StepResult>;
}

/** A run directory as the agent leaves it, and its report. */
export async function sampleRun(steps: readonly SampleStep[], over: Partial<RunResult> = {}) {
  const run = new SampleRun(await temporaryDirectory());
  const claimedAt = BEGIN + 42_000;
  let now = claimedAt + 300;
  run.claim();
  const results = steps.map(
    ({ name, seconds, text = `${name} at work\n`, over: stepOver = {} }, index): StepResult => {
      const startedAt = now;
      now += seconds * 1_000;
      const lines = text.split('\n').length - 1;
      const bytes = Buffer.byteLength(text);
      const figures = { lines, bytes, cloud: { sent: lines, undelivered: 0 } };
      const step = sampleStep({ index, name, ...figures, ...stepOver });
      if (step.status === 'not-started') {
        const { startedAt: _, finishedAt: __, exitCode: ___, log: ____, ...rest } = step;
        return { ...rest, lines: 0, bytes: 0, cloud: { sent: 0, undelivered: 0 } };
      }
      run.step(index, name)(text);
      const { status, lines: written } = step;
      run.finishStep(index, name, { status, seconds, lines: written });
      const log = run.logs[index] ?? '';
      return { ...step, log, startedAt: time(startedAt), finishedAt: time(now) };
    },
  );
  const result = run.result({
    startedAt: time(BEGIN),
    claimedAt: time(claimedAt),
    finishedAt: time(now + 1_200),
    waitSeconds: 42,
    runSeconds: (now + 1_200 - claimedAt) / 1_000,
    consoleUrl: 'https://app.pulumi.com/acme/deployments',
    image: 'pulumi/pulumi:latest',
    imageDigest: `sha256:${'0123456789abcdef'.repeat(4)}`,
    deploymentId: '6f1c0f5e-7d0e-4a55-8e57-9b1f4d1c0a11',
    steps: results,
    ...over,
  });
  run.close();
  return { directory: run.directory, result, report: await reportOf(run.directory, result) };
}

const time = (ms: number) => new Date(ms).toISOString();

export const PULUMI_END = `
Outputs:
    url: "https://example.com"

Resources:
    + 3 created
    ~ 1 updated
    +-1 replaced
    5 changes. 12 unchanged

Duration: 1m3s
`;

export const SETUP: SampleStep = {
  name: 'Setup',
  seconds: 11,
  text: 'Pulling pulumi/pulumi:latest\nStarted container\n',
};
export const SOURCE: SampleStep = { name: 'Get source', seconds: 4 };
export const FAILED: SampleStep = {
  name: 'pulumi update',
  seconds: 63,
  over: { status: 'failed', exitCode: 255, reason: 'exit code 255' },
};

/** Step names from people who mean harm or just don't know better. */
export const HOSTILE_NAMES = [
  'done, 1s :crit, x; y # z',
  '%% a comment',
  "%%{init: {'theme':'forest'}}%%",
  'section Forged',
  'title Forged',
  'click a href "javascript:alert(1)"',
  '``` \n\n# Forged\n\n```mermaid\ngantt',
  '</code></td></table><script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '![x](https://example.com/x.png) [y](javascript:alert(1)) **bold** | cell',
  '#quot;#59; &lt;b&gt; &#35;',
  '\u202eevil\u2028two\u0000three\u001b[31mred',
  '---\ntitle: x\n---',
  '日本語 العربية émoji 🚀',
  '2024-01-01 12:00',
  '   ',
];
