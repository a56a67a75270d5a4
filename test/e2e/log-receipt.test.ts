import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import type { PhaseResult } from '../emulators/github/phase.ts';
import type { Deployment } from '../emulators/pulumi-cloud/deployment.ts';
import { definition, useStage } from '../support/e2e/stage.ts';

const stage = useStage();

/** The hash according to another program. */
function sha256sum(bytes: Buffer): string {
  return execFileSync('sha256sum', { input: bytes, encoding: 'utf8' }).slice(0, 64);
}

const sentOf = (deployment: Deployment, step: number) =>
  deployment.steps[step]?.lines.map(({ l }) => l) ?? [];
const warnings = ({ annotations }: PhaseResult) =>
  annotations.filter(({ level }) => level === 'warning').map(({ message }) => message);

describe('unusual output', () => {
  const STEPS = {
    binary: String.raw`head -c 3000 /dev/zero | tr '\0' '\377'; printf 'nul \0 and cut \342\234'; printf '\nü\n'`,
    progress: String.raw`for i in $(seq 1 2000); do printf 'progress %d %%\r' "$i"; done; printf 'done\n'`,
    long: String.raw`head -c 300000 /dev/zero | tr '\0' x; printf '\nafter $SECRET\n'`.replace(
      '$SECRET',
      '\'"$SECRET"\'',
    ),
    endless: 'yes 0123456789 | head -c 1000000 | tr -d "\\n"',
    unended: 'printf "first\nno final newline"',
  };

  it('is complete in the artifact with the stated SHA-256, in lines of at most 40 KiB in Pulumi Cloud, and cut with a pointer on the console', async () => {
    const deployment = stage.enqueue(definition(STEPS, { env: { SECRET: { secret: 'canary-5Yq-7Kd2' } } }));
    const { main } = await stage.run();
    expect(main.outputs).toMatchObject({ outcome: 'succeeded' });
    const artifact = await stage.onlyArtifact();
    const { steps } = artifact.result;

    const bytes = (name: string) =>
      artifact.files.get(steps.find((step) => step.name === name)?.log ?? '') ?? Buffer.alloc(0);
    expect(bytes('binary').toString()).toBe(`${'\ufffd'.repeat(3_000)}nul \0 and cut \ufffd\nü\n`);
    expect(bytes('progress').toString()).toBe(
      `${Array.from({ length: 2_000 }, (_, at) => `progress ${at + 1} %\r`).join('')}done\n`,
    );
    expect(bytes('long').toString()).toBe(`${'x'.repeat(300_000)}\nafter ***\n`);
    expect(bytes('endless').length).toBeGreaterThan(900_000);
    expect(bytes('unended').toString()).toBe('first\nno final newline');

    for (const [index, step] of steps.entries()) {
      const file = artifact.files.get(step.log ?? '') ?? Buffer.alloc(0);
      expect(step.bytes).toBe(file.length);
      expect(step.sha256, step.name).toBe(sha256sum(file));
      const sent = sentOf(deployment, index);
      // Pulumi Cloud gets a long line in pieces, each as a line with a line end.
      expect(sent.join('').replaceAll('\n', '')).toBe(
        file.toString().replaceAll('\n', '').replaceAll('\0', '\ufffd'),
      );
      for (const line of sent) expect(Buffer.byteLength(line)).toBeLessThanOrEqual(40 * 1024 + 1);
      expect(step.cloud).toEqual({
        sent: sent.length,
        undelivered: 0,
        batches: deployment.steps[index]?.logCalls.length,
        retries: 0,
        failures: 0,
      });
      expect(artifact.text('report.html')).toContain(step.sha256);
    }
    expect(sentOf(deployment, 3).map((line) => line.length)).toEqual([...Array(7).fill(40_961), 13_281, 10]);
    expect(main.console.find((line) => line.startsWith('x'.repeat(1_000)))).toMatch(
      / … \(\d+ more bytes: see steps\/03-long\.log of the run\)$/,
    );
    expect(Math.max(...main.console.map((line) => line.length))).toBeLessThan(10_000);
    expect(warnings(main)).toEqual([]);
  });
});
