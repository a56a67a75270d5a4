import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { OUTCOMES } from '../../src/outcome.ts';
import {
  anchorOf,
  BEGINNINGS,
  beginningOf,
  entryFor,
  TROUBLESHOOTING_PAGE,
  withEntry,
} from '../../src/troubleshooting.ts';
import { anchorsOf, headingsOf } from './markdown.ts';

const ROOT = join(import.meta.dirname, '../..');
const page = readFileSync(join(ROOT, 'TROUBLESHOOTING.md'), 'utf8');
const entries = page.split('<!-- errors -->')[1]?.split('<!-- /errors -->')[0] ?? '';
const sources = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts') && path !== 'troubleshooting.ts')
  .map((path): [string, string] => [path, codeOf(readFileSync(join(ROOT, 'src', path), 'utf8'))]);

/** The source without its comments. */
function codeOf(source: string): string {
  return source.replace(/\/\*[\s\S]*?\*\//g, '').replace(/^\s*\/\/.*$/gm, '');
}

/** The literals that stand behind `opening` in the sources of `folder`. */
function literals(opening: string, folder: string): string[] {
  const pattern = new RegExp(`${opening}(['"\`])((?:(?!\\1).)+)\\1`, 'g');
  return sources
    .filter(([path]) => path.startsWith(folder))
    .flatMap(([, text]) => [...text.matchAll(pattern)].map(([, , literal = '']) => literal));
}

const purposes = ['cloud/', 'agent/doctor/'].flatMap((folder) => literals('\\bpurpose(?::| =) ', folder));
/** What stands for the verb and its object where the sentence itself is made for several: found where it is given. */
function verbsFor(name: string, path: string): readonly string[] | undefined {
  if (name === 'purpose' || name === 'call.purpose') return purposes;
  if (name !== 'what') return undefined;
  return literals('\\b(?:unreachable|refused)\\(', `${dirname(path)}/`);
}

/** Every error of a source: its template up to what it can't tell, each part of it replaced by a word. */
function sentencesOf(path: string, text: string): string[] {
  const templates = text.matchAll(/(['"`])(Failed to (?:\$\{[^{}]*\}|(?!\1|\$\{)[^\n])*)/g);
  return [...templates].flatMap(([, , template = '']) => {
    const [part, name = ''] = /\$\{([\w.]+)\}/.exec(template.slice('Failed to '.length)) ?? [];
    const verbs = template.startsWith(`Failed to ${part}`) ? verbsFor(name, path) : undefined;
    const each =
      verbs === undefined || part === undefined ? [template] : verbs.map((verb) => template.replace(part, verb));
    return each.map((sentence) =>
      sentence.replace(/\$\{where\}/g, 'the workflow').replace(/\$\{[^{}]*\}/g, 'something'),
    );
  });
}

const errors = [...new Set(sources.flatMap(([path, text]) => sentencesOf(path, text)))].filter(
  // A line of the log about a try that isn't the last is no error yet.
  (sentence) => !sentence.includes('. Trying again in '),
);
/** Of what is no failure of an operation, but found dead: its sentences begin otherwise. */
const OTHERS = [
  'The agent (process 7) was killed by SIGKILL',
  'The agent (process 7) ended with exit code 1 and without',
  OUTCOMES.unreported.sentence,
];

describe('the entries of TROUBLESHOOTING.md', () => {
  it('are those that errors link to, in their order', () => {
    const headings = headingsOf(entries).filter((heading) => /^Failed to |^The (?:agent|workflow's) /.test(heading));
    expect(headings).toEqual(BEGINNINGS);
  });

  it('are found by GitHub where the links lead', () => {
    expect(BEGINNINGS.map(anchorOf).filter((anchor) => !anchorsOf(page).includes(anchor))).toEqual([]);
    expect(new Set(anchorsOf(page)).size).toBe(anchorsOf(page).length);
  });

  it('each say what it means, its causes, what to do and where to look', () => {
    const parts = entries.split(/^#{2,3} /m).filter((part) => /^Failed to |^The (?:agent|workflow's) /.test(part));
    const lacking = parts.filter(
      (part) => !['**Means**', '**Causes**', '**Do**', '**See**'].every((word) => part.includes(word)),
    );
    expect(lacking.map((part) => part.split('\n')[0])).toEqual([]);
    expect(parts).toHaveLength(BEGINNINGS.length);
  });
});

describe('errors of the sources', () => {
  it('are found', () => {
    expect(errors.length).toBeGreaterThan(100);
    expect(purposes).toContain('poll for work');
    expect(errors).toContainEqual(
      expect.stringMatching(/^Failed to poll for work for something: too many calls failed/),
    );
    expect(errors).toContainEqual(expect.stringMatching(/^Failed to trust something for Pulumi Cloud: /));
  });

  it.each(errors)('have an entry: %s', (sentence) => {
    expect(beginningOf(sentence)).toBeDefined();
  });

  it('are what each entry is about: none is about what is said no more', () => {
    const met = new Set([...errors, ...OTHERS].map(beginningOf));
    expect(BEGINNINGS.filter((beginning) => !met.has(beginning))).toEqual([]);
    const death = sources.find(([path]) => path === 'action/death.ts')?.[1] ?? '';
    expect(death).toMatch(/`The agent \(process \$\{pid\}\)`/);
  });
});

describe('the link', () => {
  it.each([
    ['Failed to poll for work for the pool: HTTP 403: no. Do.', 'failed-to-poll-for-work'],
    ['Failed to read ca_certificate for the agent: it is empty. Give it.', 'failed-to-read--for-the-agent'],
    ['Failed to read the Docker context "x" for the Docker target: gone. See.', 'failed-to-read-the-docker-context'],
    ['Failed to start the agent for this job: no.', 'failed-to-start-the-agent'],
    ['Failed to start detect-drift for acme/web/prod: HTTP 409. Wait.', 'failed-to-start--for'],
    [
      'Failed to start the pod for the job: the cluster forbids it: may not.',
      'failed-to--for-the-job-the-cluster-forbids-it',
    ],
    ['Failed to run Deploy: prod of the workflow: exit code 1. Its log says more.', 'failed-to-run--of-the-workflow'],
    ['Failed to finish Update: the workflow was cancelled. It.', 'failed-to-finish'],
  ])('of %s leads to #%s', (message, anchor) => {
    expect(entryFor(message)).toBe(`${TROUBLESHOOTING_PAGE}#${anchor}`);
  });

  it('stands behind the message, on its own line below a list', () => {
    const link = `${TROUBLESHOOTING_PAGE}#failed-to-load-the-agents-configuration`;
    const list = "Failed to load the agent's configuration: 1 problem. Correct what is listed:\n  a";
    expect(withEntry(list)).toBe(`${list}\nSee ${link}`);
    expect(withEntry('Failed to look up x: no. Do.')).toBe(
      `Failed to look up x: no. Do. See ${TROUBLESHOOTING_PAGE}#failed-to-look-up`,
    );
  });

  it.each([
    '',
    'The workflow ran and every step succeeded.',
    'Failed to',
    'Failed to read',
    'failed to look up x',
    `Failed to read ${'x'.repeat(400)} for the agent`,
  ])('is none for what has no entry: %s', (message) => {
    expect(entryFor(message)).toBeUndefined();
    expect(withEntry(message)).toBe(message);
  });
});
