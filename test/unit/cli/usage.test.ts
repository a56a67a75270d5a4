import { describe, expect, it } from 'vitest';
import { definitionOf, KEY_NAMES } from '../../../src/base/config/schema.ts';
import { COMMAND_NAMES, COMMON_FLAGS, helpOf } from '../../../src/cli/command-help.ts';
import { parseCommand } from '../../../src/cli/command-line.ts';
import { settingsHelp } from '../../../src/cli/settings-help.ts';
import { usage } from '../../../src/cli/usage.ts';

const linesOf = (text: string) => text.trimEnd().split('\n');
/** The keys that a text lists. */
const keysIn = (text: string) => [...text.matchAll(/^ {2}([a-z_]+) {2}/gm)].map(([, key]) => key ?? '');
/** The words of a command line, without the quotes of a shell. */
const wordsOf = (line: string) =>
  [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, word = '']) => quoted ?? word);

describe('help', () => {
  it('fits a screen', () => {
    const lines = linesOf(usage());
    expect(lines.length).toBeGreaterThanOrEqual(24);
    expect(lines.length).toBeLessThanOrEqual(40);
  });

  it.each(
    Object.entries({
      help: usage(),
      ...Object.fromEntries(COMMAND_NAMES.map((name) => [`help ${name}`, usage(name)])),
      'help settings': settingsHelp(),
      'help settings all': settingsHelp('all'),
    }),
  )('on %s fits a terminal', (_, text) => {
    for (const line of linesOf(text)) expect(line).toMatch(/^(?=.{0,100}$)(.*\S)?$/);
  });

  it.each(COMMAND_NAMES.filter((name) => name !== 'version' && name !== 'finish'))(
    'on %s has examples that the command line takes',
    (name) => {
      const { examples } = helpOf(name);
      expect(examples.length).toBeGreaterThan(0);
      for (const example of examples) expect(() => parseCommand(wordsOf(example))).not.toThrow();
    },
  );

  it.each(COMMAND_NAMES)('on %s names only flags that the command line takes', (name) => {
    const { flags = [], takesSettings } = helpOf(name);
    const listed = [...flags, ...(takesSettings === true ? COMMON_FLAGS : [])].map(([flag]) => flag);
    const own = listed.flatMap((flag) =>
      [...flag.matchAll(/(--[a-z-]+)(?: [A-Z])?/g)].map(([, each = '']) => each),
    );
    for (const flag of own) {
      const tried = () => parseCommand([name, `${flag}=x`, flag]);
      expect(tried).not.toThrow(/there is no flag/);
    }
  });
});

describe('help on settings', () => {
  const all = keysIn(settingsHelp('all'));

  it('has every setting with an effect in one subject, and no other', () => {
    expect(all.toSorted()).toEqual(
      KEY_NAMES.filter((key) => definitionOf(key).noEffect === undefined).toSorted(),
    );
  });

  it('shows eight first, then the subjects', () => {
    const text = settingsHelp();
    expect(keysIn(text.split('Further settings')[0] ?? '')).toEqual([
      'organization_name',
      'runner_pool_id',
      'token',
      'oidc_token_file',
      'single_run',
      'max_wait',
      'env_forward_allowlist',
      'soft_timeout',
    ]);
    const subjects = [...text.matchAll(/^ {2}([a-z-]+) {2,}\S/gm)].map(([, name = '']) => name);
    for (const subject of subjects.slice(1)) expect(() => settingsHelp(subject)).not.toThrow();
    expect(linesOf(text).length).toBeLessThanOrEqual(48);
  });

  it.each([
    [
      'polling_interval',
      '  polling_interval  duration; default: 1m\n      Time between two polls for work.\n',
    ],
    ['--max-wait', '  max_wait  duration; default: no limit\n'],
    ['--no-pull-image', '  pull_image  true or false; default: true\n'],
    ['env_forward_allowlist', '  env_forward_allowlist  list; default: empty\n'],
    ['image', '  image  word; variable: PULUMI_DEPLOY_OVERRIDE_IMAGE_REFERENCE\n'],
    ['trigger_settings', "  trigger_settings  JSON or YAML; default: the stacks' own; no flag\n"],
    ['version', 'No effect.'],
  ])('says of %s what it takes and does', (topic, text) => {
    expect(settingsHelp(topic)).toContain(text);
  });
});
