import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Redactor } from '../../../src/base/log/redactor.ts';
import { secretForms } from '../../../src/base/log/secret-forms.ts';
import { startOf } from '../../../src/base/owner.ts';
import { AgentProcess } from '../../../src/pulumi-agent/agent-process.ts';
import { folder } from '../../support/agent/claimed-run.ts';

const SOURCE = join(import.meta.dirname, '../../../src/pulumi-agent/agent-process.ts');
const SECRET = 'correct-horse-battery-12';
/** Starts a program in a fresh folder; `lines` is what it prints. */
async function started(program: string, ...args: readonly string[]) {
  const lines: string[] = [];
  const redactor = new Redactor();
  redactor.add([SECRET]);
  const agent = await AgentProcess.start(
    { program, args, directory: await folder(), environment: { PATH: process.env['PATH'] ?? '' } },
    { redactor, onLine: (line) => void lines.push(line) },
  );
  return { agent, lines };
}

const exists = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  );

describe('the process of Pulumi’s agent', () => {
  it('is the child itself, with its exit code, and leaves no process behind', async () => {
    const script = 'echo $$; (trap "" INT TERM; sleep 60) & echo left $!; printf "no end" >&2; exit 7';
    const { agent, lines } = await started('/bin/sh', '-c', script);
    expect(await agent.exited).toEqual({ code: 7, signal: null });
    expect(lines).toContain(String(agent.pid));
    expect(lines).toContain('no end');
    const left = Number(lines.find((line) => line.startsWith('left'))?.slice(5));
    await expect.poll(() => startOf(left)).toBeUndefined();
    expect(agent.lastOutput).toMatch(/left \d+/);
  });

  it('shows no secret, folded over lines or with something invisible inside, and none in its last output', async () => {
    const folded = `printf %s 'user:${SECRET}@host' | base64 -w 12`;
    const styled = `printf '%s\\033[1m%s\\n' ${SECRET.slice(0, 9)} ${SECRET.slice(9)}`;
    const { agent, lines } = await started(
      '/bin/sh',
      '-c',
      `echo begin; ${folded}; ${styled}; ${folded} >&2; echo; echo end`,
    );
    await agent.exited;
    for (const text of [lines.join(''), agent.lastOutput.replaceAll('\n', '')]) {
      for (const form of secretForms(SECRET).keys()) expect(text).not.toContain(form);
      expect(text).toMatch(/begin.*\*\*\*.*\*\*\*.*end/);
    }
    expect(agent.lastOutput).not.toContain('\u001b');
  });

  it('shows a line of any length, without splitting a character', async () => {
    const script = 'head -c 16383 /dev/zero | tr "\\0" a; printf "\\360\\237\\230\\200%s" end';
    const { agent, lines } = await started('/bin/sh', '-c', script);
    await agent.exited;
    expect(Buffer.from(lines.join('\n')).toString().replaceAll('\n', '')).toBe(`${'a'.repeat(16_383)}😀end`);
    expect(lines.every((line) => line.isWellFormed())).toBe(true);
  });

  it('ends although a process that left its group holds its output open', async () => {
    const { agent } = await started('/bin/sh', '-c', 'setsid sleep 20 & echo last; exit 5');
    const began = performance.now();
    expect(await agent.exited).toEqual({ code: 5, signal: null });
    expect(performance.now() - began).toBeLessThan(15_000);
    expect(agent.lastOutput).toBe('last');
  });

  it('has nothing on its input, and no access to the pipe that signals our end', async () => {
    const { agent, lines } = await started('/bin/sh', '-c', 'cat; [ -e /proc/$$/fd/3 ] || echo closed');
    expect(await agent.exited).toEqual({ code: 0, signal: null });
    expect(lines).toEqual(['closed']);
  });

  it('is interrupted with its group when our process is killed, and its configuration is removed', async () => {
    const directory = join(await folder(), 'run');
    await mkdir(directory);
    await writeFile(join(directory, 'pulumi-workflow-agent.yaml'), 'token: x\n');
    const script = `trap 'echo interrupted > "${directory}/seen"; exit 3' INT; echo $$ > "${directory}/pid"; while :; do sleep 0.1; done`;
    const owner = spawn(process.execPath, [
      '--input-type=module',
      '--eval',
      `const { AgentProcess } = await import(${JSON.stringify(SOURCE)});
       await AgentProcess.start({ program: '/bin/sh', args: ['-c', ${JSON.stringify(script)}], directory: ${JSON.stringify(directory)},
         environment: { PATH: process.env.PATH } }, { redactor: { stream: () => ({ push: (bytes) => bytes, end: () => Buffer.alloc(0) }) }, onLine: () => undefined });`,
    ]);
    await expect.poll(() => exists(join(directory, 'pid')), { timeout: 20_000 }).toBe(true);
    const pid = Number(await readFile(join(directory, 'pid'), 'utf8'));
    const ended = once(owner, 'exit');
    owner.kill('SIGKILL');
    await ended;
    await expect.poll(() => exists(join(directory, 'seen')), { timeout: 20_000 }).toBe(true);
    await expect.poll(() => startOf(pid), { timeout: 20_000 }).toBeUndefined();
    expect(await exists(join(directory, 'pulumi-workflow-agent.yaml'))).toBe(false);
  });

  it('says so when it can’t be started', async () => {
    const { agent } = await started('/nowhere/agent');
    expect((await agent.exited).code).toBe(127);
    expect(agent.lastOutput).toContain('/nowhere/agent');
    const output = { redactor: new Redactor(), onLine: () => undefined };
    const start = (directory: string, environment: Record<string, string>) =>
      AgentProcess.start({ program: '/bin/true', args: [], directory, environment }, output);
    await expect(start('/nowhere', {})).rejects.toThrow(/^Failed to start Pulumi's agent with \/bin\/true/);
    // More than Linux takes of one variable (execve(2)).
    const huge = start(await folder(), { HUGE: 'x'.repeat(200_000) });
    await expect(huge).rejects.toThrow(/^Failed to start Pulumi's agent with \/bin\/true: spawn E2BIG/);
  });
});
