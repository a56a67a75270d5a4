import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { leavesAtOnce } from '../support/e2e/moments.ts';
import {
  ACTION,
  agentPid,
  definition,
  ENGINE,
  logOf,
  ORDERLY_END,
  statuses,
  useStage,
} from '../support/e2e/stage.ts';
import { LIES, strangerCommand } from '../support/pulumi-agent/stranger.ts';
import { temporaryDirectory } from '../support/run/temporary-directory.ts';

const stage = useStage();
let inputs: Record<string, string>;
/** Where the stand-in looks for shell code that it runs first. */
let before: string;

/**
 * Puts our own built agent in the place of Pulumi's: a real agent that talks to the relay as if to Pulumi Cloud.
 * Everything that it creates carries the stage's label.
 */
beforeEach(async () => {
  const folder = join(await temporaryDirectory(), 'customer-managed-workflow-agent');
  await mkdir(folder);
  before = join(folder, 'before');
  const script = `#!/bin/sh
export PULUMI_AGENT_ALLOW_INSECURE_SERVICE_URL=true
[ "$1" = run ] && set -- "$@" --label '${stage.label}'
[ "$1" = run ] && [ -e '${before}' ] && . '${before}'
exec '${process.execPath}' '${join(ACTION, 'dist/agent/index.js')}' "$@"
`;
  for (const name of ['customer-managed-workflow-agent', 'workflow-runner', 'workflow-runner-embeddable'])
    await writeFile(join(folder, name), script, { mode: 0o755 });
  inputs = {
    engine: 'pulumi',
    'engine-path': folder,
    'workflow-types': 'deployment',
    'cancel-grace-period': '30s',
  };
});

/** Enqueues a job whose programs call another Pulumi Cloud directly. */
const enqueue = (scripts: Record<string, string>) =>
  stage.enqueue(
    definition(scripts, {
      env: {
        PULUMI_SERVICE_URL: 'https://api.example.com',
        SECRET: { secret: 'hidden-8c1d' },
        LABEL: 'pr-web-123',
        NAMED: 'pr-web-124',
      },
    }),
  );

describe('Pulumi’s agent in place of ours', () => {
  it('is shown like ours, with console, outputs, page and artifact, and its calls are recorded on request', async () => {
    const deployment = enqueue({
      'pulumi preview': 'seq 1 500; echo "not $SECRET"',
      'pulumi update': 'echo "updated $LABEL, not $NAMED"',
    });
    const { main: ended } = await stage.run({
      ...inputs,
      'engine-record': 'true',
      'secret-variables': 'NAMED',
    });
    expect(ended.conclusion).toBe('success');
    expect(ended.outputs).toMatchObject({ outcome: 'succeeded', 'deployment-id': deployment.id });
    expect(statuses(deployment).slice(1)).toEqual(Array(2).fill(['running', 'succeeded']));
    const console = ended.console.join('\n');
    for (const text of ['pulumi preview', '\n500\n', 'not ***', 'updated pr-web-123, not ***'])
      expect(console).toContain(text);
    const { result, files, text } = await stage.onlyArtifact();
    expect(result).toMatchObject({
      outcome: 'succeeded',
      reported: true,
      steps: [{}, { lines: 501 }, { lines: 1 }],
    });
    expect([...files.keys()]).toEqual(
      expect.arrayContaining(['wire.ndjson', 'report.html', 'health.ndjson']),
    );
    const shown = [
      console,
      text('wire.ndjson'),
      text('agent.log'),
      text('events.ndjson'),
      text('report.html'),
    ];
    expect(shown.filter((each) => each.includes('hidden-8c1d') || /172\.17\.0\.1:\d/.test(each))).toEqual([]);
  });

  it('is what the relay believes, and neither a container nor a program of the machine without its credentials', async () => {
    const answers = `${before}.answers`;
    const cli = { method: 'GET', path: '/api/user', token: 'lie', agent: 'pulumi-cli/3.190.0 (v3; linux)' };
    const commands = (['container', 'program'] as const).map((from) =>
      strangerCommand(from, 'URL', [...LIES, cli])
        .map((word) => (word === 'URL' ? '"$url"' : `'${word.replaceAll("'", "'\\''")}'`))
        .join(' '),
    );
    const settings = 'pulumi-workflow-agent.yaml';
    const url = `url=$(sed -n 's/^service_url: "\\(.*\\)"$/\\1/p' ${settings})`;
    await writeFile(before, [url, ...commands.map((command) => `${command} >> '${answers}'`), ''].join('\n'));
    const deployment = enqueue({ 'pulumi destroy': 'echo "3 destroyed"' });
    const { main: ended } = await stage.run(inputs);
    expect(ended.outputs).toMatchObject({ outcome: 'succeeded', 'deployment-id': deployment.id });
    expect(ended.console.join('\n')).toContain('\n3 destroyed\n');
    const refused = [...LIES.map(() => '401'), '421'];
    expect((await readFile(answers, 'utf8')).trim().split('\n')).toEqual([...refused, ...refused]);
    expect(stage.cloud.requests.filter(({ path }) => path.includes('false-1'))).toEqual([]);
    expect((await stage.onlyArtifact()).result).toMatchObject({
      notices: [],
      steps: [{}, { name: 'pulumi destroy' }],
    });
  });

  it('ends its step gracefully in post when the CI job is cancelled', async () => {
    const deployment = enqueue({ 'pulumi update': ENGINE });
    const { job, main } = await stage.updating(inputs);
    await leavesAtOnce(main, () => main.cancel());
    const post = await job.post();
    expect(post?.conclusion).toBe('success');
    expect(logOf(deployment, 1)).toContain(ORDERLY_END);
    const { result } = await stage.onlyArtifact();
    expect(result).toMatchObject({ outcome: 'interrupted', exitCode: 7, steps: [{}, { status: 'failed' }] });
  });

  it('ends and leaves nothing behind when the process that started it is killed', async () => {
    enqueue({ 'pulumi update': ENGINE });
    const { job, main } = await stage.updating(inputs);
    process.kill(await agentPid(main), 'SIGKILL');
    const ended = await main.exited;
    await job.post();
    expect(ended.conclusion).toBe('failure');
    expect(ended.annotations.map(({ message }) => message).join('\n')).toMatch(/The agent was killed/);
    // The watcher next to the agent interrupts it, so it ends its job itself.
    await expect.poll(() => stage.objectsLeft(), { timeout: 30_000 }).toEqual([]);
  });
});
