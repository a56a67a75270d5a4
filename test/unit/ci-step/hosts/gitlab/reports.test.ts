import { linkSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { dotenvReport, linksReport, writeReport } from '../../../../../src/ci-step/hosts/gitlab/reports.ts';
import { gitlabLinks, gitlabVariables } from '../../../../support/hosts/gitlab-reports.ts';
import { runs } from '../../../../support/property-runs.ts';
import { temporaryDirectory } from '../../../../support/run/temporary-directory.ts';

const TOKEN = 'secret-job-token';

const name = fc.constantFrom(
  'outcome',
  'stack',
  'console-url',
  'deployments',
  ...Array.from({ length: 30 }, (_, n) => `o-${n}`),
);
const value = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.constantFrom(
    '$CI_JOB_TOKEN',
    'a%CI_JOB_TOKEN%',
    '${CI_JOB_TOKEN}x',
    'a\n\nb=c',
    '\r\n',
    '=',
    '',
    '%C3%A9',
    ' # x',
    '"q"',
    '\u0000',
  ),
  fc.integer({ min: 100, max: 4_000 }).map((length) => 'é'.repeat(length)),
);
const outputs = fc.array(fc.tuple(name, value), { maxLength: 40 }).map((entries) => new Map(entries));

describe('the report of variables', () => {
  test('is always one that GitLab takes, and gives later jobs the value of each output that it has', () => {
    fc.assert(
      fc.property(outputs, (given) => {
        const { text, omissions } = dotenvReport(given);
        const variables = gitlabVariables(text, { CI_JOB_TOKEN: TOKEN, C3: 'x' });
        const had = [...given].filter(([each]) => !omissions.includes(each));

        expect(Object.keys(variables)).toEqual(
          had.map(([each]) => `PULUMI_RUNNER_${each.toUpperCase().replaceAll('-', '_')}`),
        );
        for (const [at, [, given]] of had.entries()) {
          const got = Object.values(variables)[at] ?? '';
          expect(got).not.toContain(TOKEN);
          if (/^[\x21-\x7e]*$/.test(given)) expect(got).toBe(given);
        }
      }),
      { numRuns: runs(2_000) },
    );
  });

  test('has the outputs of a run', () => {
    const given = new Map([
      ['outcome', 'succeeded'],
      ['console-url', 'https://app.pulumi.com/org/project/stack/deployments/7'],
      ['drift', ''],
      ['deployments', '[{"stack":"org/project/stack"}]'],
    ]);
    expect(dotenvReport(given)).toEqual({
      text: `PULUMI_RUNNER_OUTCOME=succeeded
PULUMI_RUNNER_CONSOLE_URL=https://app.pulumi.com/org/project/stack/deployments/7
PULUMI_RUNNER_DRIFT=
PULUMI_RUNNER_DEPLOYMENTS=[{"stack":"org/project/stack"}]
`,
      omissions: [],
    });
  });

  test('leaves out empty outputs first where GitLab takes no more variables', () => {
    const named = Array.from({ length: 23 }, (_, at) => [`o${at}`, at < 3 ? '' : `${at}`] as const);
    const { text, omissions } = dotenvReport(new Map(named));
    expect(omissions).toEqual(['o2', 'o1', 'o0']);
    expect(text.split('\n')).toHaveLength(21);
  });

  test('leaves out the deployments first where there is no room', () => {
    const given = new Map([
      ['run-directory', 'r'.repeat(2_600)],
      ['deployments', 'd'.repeat(2_500)],
      ['outcome', 'succeeded'],
    ]);
    expect(dotenvReport(given).omissions).toEqual(['deployments']);
    expect(dotenvReport(new Map([...given, ['stack', 's'.repeat(3_000)]])).omissions).toEqual([
      'deployments',
      'stack',
    ]);
  });

  test.each(['$CI_JOB_TOKEN', 'cost: 5$', '%CI_JOB_TOKEN%', '%%'])(
    'leaves out the value %j, which GitLab would change',
    (text) => {
      expect(
        dotenvReport(
          new Map([
            ['stack', text],
            ['outcome', 'failed'],
          ]),
        ),
      ).toEqual({
        text: 'PULUMI_RUNNER_OUTCOME=failed\n',
        omissions: ['stack'],
      });
    },
  );
});

describe('the report of links', () => {
  test('has the page of the deployment', () => {
    const url = 'https://app.pulumi.com/org/project/stack/deployments/7';
    expect(gitlabLinks(linksReport(url))).toEqual([{ label: 'Deployment in Pulumi Cloud', url }]);
  });

  test.each(['', 'javascript:alert(1)', 'no address'])('has none for %j', (url) => {
    expect(gitlabLinks(linksReport(url))).toEqual([]);
  });
});

describe('a report in the checkout', () => {
  let directory: string;
  let file: string;
  beforeEach(async () => {
    directory = await temporaryDirectory();
    file = join(directory, 'pulumi-runner.env');
  });

  test('takes the place of an earlier one', async () => {
    await writeReport(file, 'a much longer text');
    await writeReport(file, 'short');
    expect(readFileSync(file, 'utf8')).toBe('short');
    expect(readdirSync(directory)).toEqual(['pulumi-runner.env']);
  });

  test.each([
    ['a link', (other: string) => symlinkSync(other, file)],
    ['a second name', (other: string) => linkSync(other, file)],
    ['a folder', () => mkdirSync(file)],
  ])('is not written through %s that a commit put there', async (_, put) => {
    const other = join(directory, 'other');
    writeFileSync(other, 'untouched');
    put(other);
    await expect(writeReport(file, 'x')).rejects.toThrow(`${file} is a link, or no file`);
    expect(readFileSync(other, 'utf8')).toBe('untouched');
  });
});
