import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { searchDirectories } from '../../../../src/base/config/config-file.ts';
import { loadConfig } from '../../../../src/base/config/load.ts';
import { ConfigError, describeProblem } from '../../../../src/base/config/problem.ts';
import { TemplateFile } from '../../../../src/executor/kubernetes/template.ts';
import { runs } from '../../../support/property-runs.ts';
import { temporaryDirectory } from '../../../support/run/temporary-directory.ts';
import { FILE, load, problems, refusal } from './sources.ts';

const NAME = 'pulumi-workflow-agent.yaml';
const LEGACY = 'pulumi-deployment-agent.yaml';
const environment = { PULUMI_AGENT_TOKEN: 'pul-environment' };

describe('the search path', () => {
  let root: string;
  let places: { workingDirectory: string; directories: string[] };

  beforeEach(async () => {
    root = await temporaryDirectory();
    const make = (name: string): string => {
      mkdirSync(path.join(root, name));
      return path.join(root, name);
    };
    const workingDirectory = make('cwd');
    places = { workingDirectory, directories: [workingDirectory, make('last')] };
  });

  const put = (file: string, text: string): string => {
    writeFileSync(file, text);
    return file;
  };

  it('is the current directory, home, /etc and the agent’s folder, then the same with the old name', () => {
    const asked: string[] = [];
    const readFile = (file: string): undefined => void asked.push(file);
    const directories = ['/cwd', '/home', '/etc', '/agent'];
    const command = { workingDirectory: '/cwd', environment: { HOME: '/home' }, agentDirectory: '/agent' };
    expect(searchDirectories(command)).toEqual(directories);
    expect(searchDirectories({ ...command, environment: { HOME: '' } })).toEqual(['/cwd', '/etc', '/agent']);
    loadConfig({ ...places, directories, environment, readFile });
    expect(asked).toEqual([NAME, LEGACY].flatMap((name) => directories.map((from) => path.join(from, name))));
  });

  it('prefers a file with the new name, and says when a file has the old one', () => {
    const old = put(path.join(places.workingDirectory, LEGACY), 'token: pul-old\nversion: v0.0.5\n');
    const loaded = loadConfig({ ...places, environment: {} });
    expect(loaded).toMatchObject({ file: old, config: { token: 'pul-old' } });
    expect(loaded.notices).toEqual([
      `${old} has the old name of the configuration file; rename it to ${NAME}.`,
      `version (${old}:2) is a key of old configuration files and has no effect.`,
    ]);
    const newer = put(path.join(root, 'last', NAME), 'token: pul-new\n');
    expect(loadConfig({ ...places, environment: {} })).toMatchObject({
      file: newer,
      config: { token: 'pul-new' },
    });
  });

  it('is not searched when a file is named, relative to the current directory', () => {
    put(path.join(places.workingDirectory, NAME), 'no_such_key: 1\n');
    const file = put(path.join(places.workingDirectory, 'mine.yaml'), 'token: pul-mine\n');
    const loaded = loadConfig({ ...places, environment: {}, file: 'mine.yaml' });
    expect(loaded).toMatchObject({ file, config: { token: 'pul-mine' } });
  });

  it('does not hide that a named file is missing, or that a file cannot be read', () => {
    put(path.join(places.workingDirectory, NAME), 'token: pul-other\n');
    const missing = path.join(root, 'none.yaml');
    expect(() => loadConfig({ ...places, environment: {}, file: missing })).toThrow(
      `${missing}: the file cannot be read: ENOENT`,
    );
    const readFile = (): never => {
      throw new Error('EACCES: permission denied');
    };
    expect(() => loadConfig({ ...places, environment: {}, readFile })).toThrow(
      'the file cannot be read: EACCES: permission denied',
    );
  });
});

describe('the YAML', () => {
  it.each([
    ['lists in a block', 'env_forward_allowlist:\n  - A\n  - B\n'],
    ['lists in a line', 'env_forward_allowlist: [A, "B"]\n'],
    ['aliases', 'run_directory: &b B\nenv_forward_allowlist: [A, *b]\n'],
    ['CRLF and a byte order mark', '\ufeffenv_forward_allowlist:\r\n  - A\r\n  - B\r\n'],
    ['JSON', '{"env_forward_allowlist": ["A", "B"]}'],
  ])('may have %s', (_what, text) => {
    expect(load({ environment, text }).config.envForwardAllowlist).toEqual(['A', 'B']);
  });

  it.each([
    ['token: "pul-1\nsingle_run: true\n', [`${FILE}:3:1: not valid YAML: Missing closing "quote`]],
    ['a: b: c\n', [`${FILE}:1:4: not valid YAML: Nested mappings are not allowed in compact mappings`]],
    ['\tsingle_run: true\n', [`${FILE}:1:1: not valid YAML: Tabs are not allowed as indentation`]],
    ['pul-secret\n', [`${FILE}:1:1: the file must hold keys and values, one \`key: value\` a line`]],
    ['max_wait: { a: 1s }\n', [`${FILE}:1:1: max_wait must be one value, not a mapping`]],
    [
      'max_wait: 1s\nmax_wait: 2s\nmax_wait: 3s\n',
      [2, 3].map((line) => `${FILE}:${line}:1: duplicate key; keep one`),
    ],
    [
      'env_forward_allowlist:\n  - A-1\n  - B\n  - C-1\n',
      [
        expect.stringContaining(`${FILE}:1:1: env_forward_allowlist "A-1" is not a name`),
        expect.stringContaining(`${FILE}:1:1: env_forward_allowlist "C-1" is not a name`),
      ],
    ],
    ['env_forward_allowlist: { A: B }\n', [`${FILE}:1:1: env_forward_allowlist must be a plain list`]],
  ])('is refused: %j', (text, expected) => {
    const { problems: list, warnings } = refusal({ environment, text });
    expect([...list.map(describeProblem), ...warnings.map((warning) => `ignored: ${warning}`)]).toEqual(
      expected,
    );
  });

  it.each([
    ['? [a]\n: b\n', '3: "" is not a known key and has no effect.'],
    ['max-wait: 1s\n', '1: "max-wait" is not a known key and has no effect; did you mean max_wait?'],
    ['toString: 1\n', '1: "toString" is not a known key and has no effect.'],
  ])('with an unknown key is accepted with a warning: %j', (text, warning) => {
    const loaded = load({ environment, text: `${text}single_run: true\n` });
    expect(loaded.warnings).toEqual([`${FILE}:1:${warning}`]);
    expect(loaded.config).toEqual({ ...load({ environment }).config, singleRun: true });
  });

  it('is refused with its unknown keys listed, as one may be a misspelling of what is missing', () => {
    expect(refusal({ text: 'tokne: pul-1\n' }).message.split('\n')).toEqual([
      "Failed to load the agent's configuration: 1 problem. Correct what is listed:",
      expect.stringContaining('no way to authenticate'),
      `  ignored: ${FILE}:1:1: "tokne" is not a known key and has no effect; did you mean token?`,
    ]);
  });

  it('may merge several mappings', () => {
    const text = 'a: &a { max_wait: 1s }\nb: &b { max_wait: 2s, image: y }\n<<: [*a, *b]\n';
    const { config, warnings } = load({ environment, text });
    expect(config).toEqual({ ...load({ environment }).config, maxWaitMs: 1_000, image: 'y' });
    expect(warnings[0]).toContain(`${FILE}:1:1: "a" is not a known key`);
  });

  it.each([
    ['in a block', 'max_wait: 1s\npod_template:\n  # ours\n  spec:\n    a: b # c\n\nsingle_run: true\n'],
    ['merged in', 'mine: &m\n  pod_template:\n    spec: {a: b}\n<<: *m\n'],
    ['that merges from elsewhere', 'mine: &m {a: b}\npod_template:\n  spec: {<<: *m}\n'],
  ])('may hold a pod template %s', (_what, text) => {
    const { podTemplate } = load({ environment, text }).config;
    if (typeof podTemplate !== 'object') throw new Error(`read as ${podTemplate}`);
    expect(podTemplate).toEqual({ name: FILE, text: '{"spec":{"a":"b"}}' });
    expect(new TemplateFile(podTemplate).patch).toEqual({ spec: { a: 'b' } });
  });

  it('is refused when a pod template has a key twice, or expands without limit', () => {
    const aliases = (of: number) => Array(3).fill(`*a${of}`).join(', ');
    const grown = Array.from(
      { length: 11 },
      (_, index) => `a${index + 1}: &a${index + 1} [${aliases(index)}]\n`,
    );
    expect(
      problems({ environment, text: `a0: &a0 [x, x]\n${grown.join('')}pod_template: {spec: *a11}\n` }),
    ).toEqual([
      `${FILE}:1:1: the file can't be read: Excessive alias count indicates a resource exhaustion attack`,
    ]);
    expect(problems({ environment, text: 'pod_template:\n  spec: {a: 1, a: 2}\n' })).toEqual([
      `${FILE}:2:16: duplicate key; keep one`,
    ]);
  });

  it('is refused when a pod template refers back to itself', () => {
    expect(problems({ environment, text: 'pod_template: &all\n  spec: *all\n' })).toEqual([
      `${FILE}:1:1: pod_template can't be read: an alias in it leads back to itself`,
    ]);
  });

  it('causes no complaint about missing keys when it is broken', () => {
    expect(problems({ text: 'token: "pul-1\n' })).toHaveLength(1);
  });

  it('passes on the parser’s warnings', () => {
    const { warnings, config } = load({ environment, text: 'image: !mine a/b\n' });
    expect({ warnings, image: config.image }).toEqual({
      warnings: [`${FILE}:1:8: Unresolved tag.`],
      image: 'a/b',
    });
  });
});

describe('a token', () => {
  const SECRET = 'pul-3f9c0b7a5d1e48c2a6f0917b3d5e8c4a2b6f1d0e';
  const lines = [
    '# configuration',
    `token: ${SECRET}`,
    'service_url: "https://pulumi.example.com"',
    'env_forward_allowlist: [A, B]',
    'polling_interval: 10s',
    '',
  ];
  const edit = fc.record({
    at: fc.double({ min: 0, max: 1, noNaN: true }),
    remove: fc.nat({ max: 3 }),
    insert: fc.constantFrom('', ...'\n:"\'[{&*!%|>?\t@#', ': ', '- ', ', '),
  });

  it('appears in no message, however the file is broken', () => {
    let refused = 0;
    fc.assert(
      fc.property(
        fc.shuffledSubarray(lines, { minLength: 2 }).filter((kept) => kept.includes(lines[1] ?? '')),
        fc.array(edit, { minLength: 1, maxLength: 3 }),
        (kept, edits) => {
          const text = edits.reduce((before, { at, remove, insert }) => {
            const offset = Math.floor(at * before.length);
            return `${before.slice(0, offset)}${insert}${before.slice(offset + remove)}`;
          }, kept.join('\n'));
          let said = '';
          try {
            const { notices, warnings } = load({ text });
            said = JSON.stringify([notices, warnings]);
          } catch (error) {
            expect(error).toBeInstanceOf(ConfigError);
            refused++;
            said = `${String(error)}${JSON.stringify(error)}`;
          }
          for (let from = 0; from + 20 <= SECRET.length; from++)
            expect(said).not.toContain(SECRET.slice(from, from + 20));
        },
      ),
      { numRuns: runs(300) },
    );
    expect(refused).toBeGreaterThan(runs(40));
  });

  it.each(['polling_interval', 'service_url', 'single_run', 'env_forward_allowlist'])(
    'given as %s is masked',
    (key) => {
      const [problem] = problems({ environment, text: `${key}: ${SECRET}\n` });
      expect(problem).toContain('"***"');
      expect(problem).not.toContain(SECRET.slice(4, 16));
    },
  );
});
