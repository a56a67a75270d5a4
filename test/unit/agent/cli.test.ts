import { describe, expect, it } from 'vitest';
import { parseCommand, usage } from '../../../src/agent/cli.ts';
import { definitionOf, fileKey, KEY_NAMES } from '../../../src/config/schema.ts';
import { OutcomeError } from '../../../src/outcome.ts';

const keys = KEY_NAMES.filter((key) => fileKey(key) !== undefined);
const flagOf = (key: string) => `--${key.replaceAll('_', '-')}`;
const run = { name: 'run', defaults: {}, overrides: {}, labels: {} };

describe('the command line', () => {
  it.each([
    [[], { name: 'help' }],
    [['help'], { name: 'help' }],
    [['--help'], { name: 'help' }],
    [['-h'], { name: 'help' }],
    [['run', '--help'], { name: 'help' }],
    [['run', '--max-wait', '5s', '-h'], { name: 'help' }],
    [['version'], { name: 'version' }],
    [['--version'], { name: 'version' }],
    [['-v'], { name: 'version' }],
    [['run'], run],
    [['run', '--config', '/etc/a.yaml'], { ...run, file: '/etc/a.yaml' }],
    [['run', '--max-wait=0s', '--single-run'], { ...run, overrides: { max_wait: '0s', single_run: 'true' } }],
    [['run', '--no-pull-image'], { ...run, overrides: { pull_image: 'false' } }],
    [['run', '--max-wait', '1s', '--max-wait', '2s'], { ...run, overrides: { max_wait: '2s' } }],
    [
      ['run', '--default', 'polling_interval=10s', '--default', 'image=a=b', '--label', 'run=1', '--label', 'empty='],
      { ...run, defaults: { polling_interval: '10s', image: 'a=b' }, labels: { run: '1', empty: '' } },
    ],
    [['sweep', '--run-directory', '/run/1'], { name: 'sweep', runDirectory: '/run/1' }],
  ])('%j is %j', (argv, expected) => {
    expect(parseCommand(argv)).toEqual(expected);
  });

  it.each(keys)('has a flag for %s', (key) => {
    const isSwitch = definitionOf(key).type === 'boolean';
    const argv = ['run', ...(isSwitch ? [flagOf(key)] : [flagOf(key), 'value'])];
    expect(parseCommand(argv)).toEqual({ ...run, overrides: { [key]: isSwitch ? 'true' : 'value' } });
  });

  it.each(KEY_NAMES.filter((key) => fileKey(key) === undefined))(
    'has none for %s, which only the environment sets',
    (key) => {
      expect(() => parseCommand(['run', flagOf(key), 'value'])).toThrow(OutcomeError);
    },
  );

  it.each([
    [['start'], 'there is no command "start"'],
    [['run', '--max-weight', '5s'], '--max-weight'],
    [['run', '--max_wait', '5s'], '--max_wait'],
    [['run', '--max-wait'], '--max-wait'],
    [['run', '--max-wait', '--single-run'], '--max-wait'],
    [['run', '--single-run=yes'], '--single-run'],
    [['run', '--no-image'], '--no-image'],
    [['run', 'now'], 'now'],
    [['run', '-x'], '-x'],
    [['run', '--default', 'polling_interval'], '--default wants KEY=VALUE'],
    [['run', '--label', '=value'], '--label wants KEY=VALUE'],
    [['sweep'], 'sweep needs --run-directory'],
    [['sweep', '--all'], '--all'],
  ])('%j is refused, with what is wrong', (argv, reason) => {
    const refused = () => parseCommand(argv);
    expect(refused).toThrow(OutcomeError);
    expect(refused).toThrow(reason);
    expect(refused).toThrow(
      /^Failed to read the command line for pulumi-runner-agent: .*See pulumi-runner-agent help\.$/s,
    );
    try {
      refused();
    } catch (error) {
      expect(error).toMatchObject({ outcome: 'config-error' });
    }
  });

  it('explains itself', () => {
    const text = usage('THE KEYS');
    for (const word of ['run', 'sweep', 'version', '--config', '--default', '--label', '--<key>', 'THE KEYS']) {
      expect(text).toContain(word);
    }
  });
});
