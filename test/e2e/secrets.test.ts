import { readdir, readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { AUDIENCE, trust } from '../support/cloud/id-token.ts';
import { definition, filesBelow, JOB_IMAGE, logOf, POOL, useStage } from '../support/e2e/stage.ts';
import { INVISIBLE } from '../support/log/invisible.ts';

const FORWARDED = 'canary-forwarded-Zq81xL';
const JOB_SECRET = 'canary-job-secret-7Hd2pW';
const SPLIT = 'opened_by-apc-5d1e';
const JOB_PLAIN = 'canary-job-plain-5Kf9sT';
const REGISTRY_PASSWORD = 'canary-registry-3Rm6vB';
const OIDC_TOKEN = 'eyJhbGciOiJub25lIn0.eyJjYW5hcnkiOiJvaWRjIn0.canary-oidc-1Gx4';
const MULTI_LINE =
  '-----BEGIN PRIVATE KEY-----\nY2FuYXJ5LWtleS1saW5lLW9uZQ\nY2FuYXJ5LWtleS1saW5lLXR3bw\n-----END PRIVATE KEY-----';

const stage = useStage();
const hex = (text: string) => Buffer.from(text).toString('hex');

/** The base64 of pieces of a secret, in each alignment to base64's groups. */
function* base64Pieces(secret: string): Generator<string> {
  for (let at = 30; at + 24 < secret.length; at += 24)
    for (const shift of [0, 1, 2])
      yield Buffer.from(secret.slice(at + shift, at + shift + 24)).toString('base64');
}

/** The command lines of every process on this machine. */
async function runningCommandLines(): Promise<string> {
  const ids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const lines = ids.map((id) => readFile(`/proc/${id}/cmdline`, 'utf8').catch(() => ''));
  return (await Promise.all(lines)).map((line) => line.replaceAll('\0', ' ')).join('\n');
}

describe('a secret', () => {
  it('never appears in the console, run directory, artifact, summary or Pulumi Cloud', async () => {
    const deployment = stage.enqueue(
      definition(
        {
          'Print them all': [
            'env | sort',
            'cat /mnt/pulumi/pulumi.oidc; echo',
            'stat -c "%a %n" /mnt/pulumi/pulumi.oidc',
            'printf "%s" "${FORWARDED_SECRET:0:9}"; sleep 0.2; printf "%s\\n" "${FORWARDED_SECRET:9}"',
            'echo "region $AWS_REGION"',
            'echo "LATER=canary-later-8Bn2" >> "${PULUMI_ENV_FILE:-/PULUMI_ENV}"',
          ].join('; '),
          'Print them encoded': [
            'echo "later $LATER"; echo "$JOB_SECRET" >&2',
            'for i in $(seq 0 $((${#JOB_SECRET} - 1))); do printf "%s" "${JOB_SECRET:$i:1}"; sleep 0.02; done; echo',
            'printf "%s" "$JOB_MARKED" | base64 -w0; echo; printf "%s" "$JOB_MARKED" | base64 -w64; echo',
            'hex=$(printf %s "$JOB_SECRET" | od -An -v -tx1 | tr -d " \\n"); echo "hex: $hex, ${hex^^}"',
            ...[encodeURIComponent(MULTI_LINE), JSON.stringify(MULTI_LINE)].map(
              (form) => `echo "form: $(echo ${Buffer.from(form).toString('base64')} | base64 -d)"`,
            ),
            'exit 1',
          ].join('; '),
        },
        {
          image: {
            reference: JOB_IMAGE,
            credentials: { username: 'robot', password: { secret: REGISTRY_PASSWORD } },
          },
          env: {
            JOB_SECRET: { secret: JOB_SECRET },
            JOB_MARKED: { isSecret: true, value: MULTI_LINE },
            PULUMI_ACCESS_TOKEN: JOB_PLAIN,
            REGISTRY_COPY: REGISTRY_PASSWORD,
            FOO: 'bar',
          },
        },
      ),
      { oidcToken: OIDC_TOKEN },
    );
    const { main, post } = await stage.run(
      { 'env-forward-allowlist': 'FORWARDED_SECRET, AWS_REGION' },
      { FORWARDED_SECRET: FORWARDED, AWS_REGION: 'eu-west-1', NOT_ALLOWED: 'canary-not-allowed-4Vc7' },
      { debug: true },
    );
    expect(main.outputs).toMatchObject({ outcome: 'failed' });

    const runDirectory = main.outputs['run-directory'] ?? '';
    const artifact = await stage.onlyArtifact();
    const places: [string, string][] = [
      ['main console', String(main.raw.stdout) + String(main.raw.stderr)],
      ['post console', String(post.raw.stdout) + String(post.raw.stderr)],
      ['main summary', main.summary ?? ''],
      ['post summary', post.summary ?? ''],
      ['outputs', JSON.stringify([main.outputs, main.state, post.outputs])],
      ['Pulumi Cloud', deployment.steps.flatMap((step) => step.lines.map(({ l }) => l)).join('')],
      ...[...(await filesBelow(runDirectory))].map(([path, bytes]): [string, string] => [
        `run directory ${path}`,
        String(bytes),
      ]),
      ...[...artifact.files].map(([path, bytes]): [string, string] => [`artifact ${path}`, String(bytes)]),
    ];
    expect(places.length).toBeGreaterThan(15);
    const secrets = [
      ...[
        FORWARDED,
        JOB_SECRET,
        JOB_PLAIN,
        REGISTRY_PASSWORD,
        OIDC_TOKEN,
        'canary-later-8Bn2',
        'canary-not-allowed-4Vc7',
      ],
      ...MULTI_LINE.split('\n').slice(1, 3),
      ...[...base64Pieces(MULTI_LINE)],
      ...[JOB_SECRET.slice(-8)].flatMap((end) => [end, hex(end), hex(end).toUpperCase()]),
      ...stage.cloud.issuedTokens,
    ];
    for (const [place, text] of places) {
      // add-mask commands must carry the value; the runner hides those lines.
      const shown = text.replace(/^::add-mask::.*$/gm, '');
      for (const secret of secrets) expect(shown.includes(secret), `${secret} in ${place}`).toBe(false);
    }
    const log = artifact.text('steps/01-print-them-all.log');
    for (const shown of ['later ***\n', 'hex: ***, ***\n', 'form: ***\nform: "***"\n'])
      expect(artifact.text('steps/02-print-them-encoded.log')).toContain(shown);
    expect(log).toContain('FORWARDED_SECRET=***');
    expect(log).toContain('JOB_SECRET=***');
    expect(log).toContain('FOO=bar');
    expect(log).toContain('region eu-west-1');
    expect(log).toContain('600 /mnt/pulumi/pulumi.oidc');
    expect(log).not.toContain('NOT_ALLOWED');
    expect(artifact.result.forwarded).toEqual(['FORWARDED_SECRET', 'AWS_REGION']);
    // Nothing in the private folder outlives the job.
    const left = [...(await filesBelow(runDirectory.replace(/\/run$/, ''))).keys()];
    expect(left.filter((path) => !path.startsWith('run/'))).toEqual([]);
  });

  it('in the settings of a started deployment reaches Pulumi Cloud, and appears nowhere else', async () => {
    const rules = { aud: AUDIENCE, sub: 'repo:acme/infrastructure:*' };
    trust(
      stage.cloud,
      stage.github.issuer,
      { decision: 'allow', tokenType: 'runner', runnerID: POOL.id, rules },
      { decision: 'allow', tokenType: 'organization', rules },
    );
    const settings = {
      sourceContext: {
        git: { commit: '0123456789abcdef', gitAuth: { accessToken: { secret: 'canary-git-6Tn1qW' } } },
      },
      operationContext: {
        environmentVariables: { NOTE: 'canary-note-2Lp8', MARKED: { secret: MULTI_LINE } },
      },
    };
    // No variable of the job holds the last one: the agent knows it from the settings alone.
    const scripts = { Print: 'env | sort; echo canary-git-6Tn1qW' };
    stage.cloud.defineStack({
      ...{ project: 'network', stack: 'prod', poolId: POOL.id },
      job: () => definition(scripts, { env: settings.operationContext.environmentVariables }),
    });

    const job = await stage.job(
      {
        ...{ trigger: 'acme/network/prod', operation: 'preview' },
        'trigger-settings': JSON.stringify(settings, undefined, 2),
      },
      {},
      { debug: true },
    );
    const phase = await job.startMain();
    await stage.cloud.waitFor(() => stage.cloud.deployments.length === 1, 60_000);
    const commandLines = await runningCommandLines();
    const main = await phase.exited;
    const post = (await job.post()) ?? expect.fail('there was no post');

    expect(main.conclusion, main.console.join('\n')).toBe('success');
    const [deployment] = stage.cloud.deployments;
    expect(deployment?.settings).toEqual(settings);
    expect(commandLines).toContain('dist/agent');

    const artifact = await stage.onlyArtifact();
    const path = [...artifact.files.keys()].find((each) => each.endsWith('/steps/01-print.log'));
    const log = artifact.text(path ?? '');
    for (const shown of ['NOTE=***', 'MARKED=***', '\n***\n']) expect(log).toContain(shown);

    const places = {
      'command lines': commandLines,
      ...{ main: `${main.raw.stdout}${main.raw.stderr}`, post: `${post.raw.stdout}${post.raw.stderr}` },
      ...{ summary: `${main.summary}${post.summary}`, outputs: JSON.stringify([main.outputs, main.state]) },
      'Pulumi Cloud': deployment?.steps.flatMap(({ lines }) => lines.map(({ l }) => l)).join('') ?? '',
      ...Object.fromEntries(await filesBelow(main.outputs['run-directory'] ?? '')),
      ...Object.fromEntries([...artifact.files].map(([path, bytes]) => [`artifact ${path}`, bytes])),
    };
    const secrets = ['canary-git-6Tn1qW', 'canary-note-2Lp8', ...MULTI_LINE.split('\n').slice(1, 3)];
    for (const [place, content] of Object.entries(places)) {
      const shown = String(content).replace(/^::add-mask::.*$/gm, '');
      for (const secret of secrets) expect(shown.includes(secret), `${secret} in ${place}`).toBe(false);
    }
  });

  it('can be read nowhere, whatever is invisible inside it, and in no base64 of a text around it', async () => {
    const half = JOB_SECRET.length / 2;
    const cut = (between: string) =>
      `printf '%s${between}%s\\n' "\${JOB_SECRET:0:${half}}" "\${JOB_SECRET:${half}}"`;
    const wrapped = (text: string, width: number, indented: string) =>
      `printf '${text}' "$JOB_SECRET" | base64 -w ${width} | while read -r line; do printf '${indented}\\n' "$line"; done`;
    const deployment = stage.enqueue(
      definition(
        {
          'Print it': [
            'each() { for ((i = 0; i < ${#JOB_SECRET}; i++)); do printf "$1" "${JOB_SECRET:$i:1}"; done; echo; }',
            String.raw`each '\033[31m%s\033[0m'; each '%s\0'`,
            ...[
              '\\033[K',
              '\\r',
              '\\b',
              '\\342\\200\\213',
              '\\342\\200\\256',
              '\\033]0;title\\007',
              '\\302\\233m',
            ].map(cut),
            String.raw`printf '\033]0;%s\007\n' "$JOB_SECRET"`,
            // A mask touches a sequence's beginning, and the longest line that is shown ends in a sequence.
            String.raw`printf 'a\033%s unseen%s\007 z\n' "$OPENER" -rest`,
            String.raw`printf 'opened\033%s%09000d\007\n' "$(echo $SPLIT | cut -c 7-)" 0`,
            ...['token: %s', 'a: %s', ' %s\\nb'].map((text, at) =>
              wrapped(text, [8, 20, 76][at] ?? 8, ['%s', '  %s', '%s\\r'][at] ?? ''),
            ),
            'exit 1',
          ].join('; '),
        },
        {
          env: {
            JOB_SECRET: { secret: JOB_SECRET },
            SPLIT: { secret: SPLIT },
            OPENER: { secret: '_opener-5d1e' },
          },
        },
      ),
    );
    const { main, post } = await stage.run();
    const artifact = await stage.onlyArtifact();
    expect(deployment.steps[1]?.lines.length).toBeGreaterThan(10);
    const places: [string, string][] = [
      ['console', String(main.raw.stdout) + String(post.raw.stdout)],
      ['summary', main.summary + post.summary],
      ['Pulumi Cloud', deployment.steps.flatMap((step) => step.lines.map(({ l }) => l)).join('')],
      ...[...artifact.files].map(([path, bytes]): [string, string] => [`artifact ${path}`, String(bytes)]),
    ];
    // Without the first and last character, which the text around it decides too.
    const encoded = [0, 1, 2].map((before) =>
      Buffer.from(`${'x'.repeat(before)}${JOB_SECRET}`)
        .toString('base64')
        .slice(4, -4),
    );
    for (const [place, text] of places) {
      const shown = text.replace(/^::add-mask::.*$/gm, '');
      const read = shown.replaceAll(INVISIBLE, '').replaceAll(/[␍\ufffd]/g, '');
      for (const unseen of [JOB_SECRET, SPLIT, 'unseen-rest'])
        expect(read.includes(unseen), `${unseen} in ${place}`).toBe(false);
      const joined = read.replaceAll(/\s|","|<br>/g, '');
      for (const form of encoded) expect(joined.includes(form), `its base64 in ${place}`).toBe(false);
    }
    expect(artifact.text('steps/01-print-it.log')).toContain('***\u001b[0m\n');
  });

  it('is all that the environment of a deployment hides, whose stack and project can be read', async () => {
    const deployment = stage.enqueue(
      definition(
        {
          'Print the environment': 'env | sort; echo "$PULUMI_CI_PROJECT/$PULUMI_CI_STACK is up"',
          // Nothing marks what a step writes.
          'Write a variable': 'echo "WRITTEN=pr-web-124" >> "${PULUMI_ENV_FILE:-/PULUMI_ENV}"',
          'Print it': 'echo "written: $WRITTEN, named: $NAMED"',
        },
        { env: { PULUMI_ACCESS_TOKEN: { secret: JOB_SECRET }, NOTE: 'v2-beta.1', NAMED: 'team-7' } },
      ),
      { project: 'infra-v2', stack: 'pr-web-123' },
    );
    const { main } = await stage.run({ 'secret-variables': 'NAMED' });
    expect(main.outputs).toMatchObject({ outcome: 'succeeded' });
    const lines = logOf(deployment, 1).split('\n');
    expect(lines).toEqual(
      expect.arrayContaining([
        'NOTE=v2-beta.1',
        'PULUMI_CI_BUILD_NUMBER=1',
        `PULUMI_CI_BUILD_ID=${deployment.id}`,
        'PULUMI_CI_ORGANIZATION=acme',
        'PULUMI_CI_SYSTEM=Pulumi Deployments',
        'infra-v2/pr-web-123 is up',
      ]),
    );
    // The claim's OIDC token is no variable of the definition.
    const hidden = ['NAMED=***', 'PULUMI_ACCESS_TOKEN=***', 'PULUMI_OIDC_TOKEN=***'];
    expect(lines.filter((line) => line.includes('***'))).toEqual(hidden);
    expect(logOf(deployment, 3)).toBe('written: ***, named: ***\n');
  });

  it('is not in what docker inspect or kubectl shows of a running job, whether value, token or registry password', async () => {
    const credentials = { username: 'robot', password: { secret: REGISTRY_PASSWORD } };
    const deployment = stage.enqueue(
      definition(
        { Wait: 'echo ready; sleep 120' },
        { image: { reference: JOB_IMAGE, credentials }, env: { JOB_SECRET: { secret: JOB_SECRET } } },
      ),
      { oidcToken: OIDC_TOKEN },
    );
    const job = await stage.job(
      { 'env-forward-allowlist': 'FORWARDED_SECRET' },
      { FORWARDED_SECRET: FORWARDED },
    );
    const main = await job.startMain();
    await main.waitForConsole(/^ready$/m, 60_000);
    const shown = stage.inspect();
    expect(shown).toContain(deployment.jobId);
    for (const secret of [JOB_SECRET, OIDC_TOKEN, FORWARDED, REGISTRY_PASSWORD, ...stage.cloud.issuedTokens])
      expect(shown).not.toContain(secret);
    await main.cancel();
    await main.exited;
    await job.post();
  });
});
