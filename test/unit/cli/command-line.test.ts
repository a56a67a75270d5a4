import { describe, expect, it } from 'vitest';
import { boolean } from '../../../src/base/config/kinds.ts';
import { definitionOf, KEY_NAMES } from '../../../src/base/config/schema.ts';
import { COMMAND_NAMES } from '../../../src/cli/command-help.ts';
import { parseCommand } from '../../../src/cli/command-line.ts';
import { settingsHelp } from '../../../src/cli/settings-help.ts';
import { usage } from '../../../src/cli/usage.ts';

const flagOf = (key: string) => `--${key.replaceAll('_', '-')}`;
const flags = { defaults: {}, overrides: {}, labels: {} };
const run = { name: 'run', drainOnStdinEnd: false, ...flags };
const ci = { name: 'ci', ...flags, identity: {}, onNoWork: 'succeed', doctor: false };

describe('the command line', () => {
  it.each([
    [[], { name: 'help', text: usage() }],
    [['-h'], { name: 'help', text: usage() }],
    [['run', '--max-wait', '5s', '-h'], { name: 'help', text: usage('run') }],
    [['help', 'doctor'], { name: 'help', text: usage('doctor') }],
    [['help', 'settings'], { name: 'help', text: settingsHelp() }],
    [['help', 'settings', 'images'], { name: 'help', text: settingsHelp('images') }],
    [['version'], { name: 'version' }],
    [['run'], run],
    [['run', '--config', '/etc/a.yaml'], { ...run, file: '/etc/a.yaml' }],
    [['run', '--no-search'], { ...run, search: false }],
    [['run', '--max-wait=0s', '--single-run'], { ...run, overrides: { max_wait: '0s', single_run: 'true' } }],
    [['run', '--drain-on-stdin-end'], { ...run, drainOnStdinEnd: true }],
    [['run', '--interrupt-on-sigterm'], { ...run, interruptedBySigterm: true }],
    [['run', '--stack-outputs', '/o'], { ...run, stackOutputs: '/o' }],
    [['run', '--no-pull-image'], { ...run, overrides: { pull_image: 'false' } }],
    [['run', '--max-wait', '1s', '--max-wait', '2s'], { ...run, overrides: { max_wait: '2s' } }],
    [
      [
        'run',
        '--default',
        'polling_interval=10s',
        '--default',
        'image=a=b',
        '--default',
        'max-wait=5m',
        '--label',
        'run=1',
        '--label',
        'empty=',
      ],
      {
        ...run,
        defaults: { polling_interval: '10s', image: 'a=b', max_wait: '5m' },
        labels: { run: '1', empty: '' },
      },
    ],
    [
      ['sweep', '--run-directory', '/r', '--grace', '1.5s'],
      { name: 'sweep', runDirectory: '/r', graceMs: 1_500 },
    ],
    [['trace', '/r'], { name: 'trace', runDirectory: '/r', send: false }],
    [['trace', '--send', '/r'], { name: 'trace', runDirectory: '/r', send: true }],
    [['sweep', '--run-directory', '/r', '--no-search'], { name: 'sweep', runDirectory: '/r', search: false }],
    [['sweep', '--run-directory', '/r', '--config', 'c'], { name: 'sweep', runDirectory: '/r', file: 'c' }],
    [
      ['doctor', '--json', '--config', 'c.yaml', '--image', 'd', '--label', 'run=1'],
      {
        ...flags,
        name: 'doctor',
        json: true,
        file: 'c.yaml',
        overrides: { image: 'd' },
        labels: { run: '1' },
      },
    ],
    [
      ['trigger', 'acme/web/prod', '--json', 'acme/api/*', '--operation', 'preview', '--trigger', 'acme/x/y'],
      {
        ...flags,
        name: 'trigger',
        json: true,
        overrides: { trigger: 'acme/web/prod acme/api/*', operation: 'preview' },
      },
    ],
    [['ci'], ci],
    [
      ['ci', '--identity-token-env', 'ID', '--on-no-work', 'fail', '--doctor', '--cancel-window', '7s'],
      { ...ci, identity: { variable: 'ID' }, onNoWork: 'fail', doctor: true, cancelWindowMs: 7_000 },
    ],
    [
      ['ci', '--identity-token-command', 'print token', '--max-wait', '5s'],
      { ...ci, identity: { command: 'print token' }, overrides: { max_wait: '5s' } },
    ],
    [['finish'], { name: 'finish' }],
    [['plan', '--plan-max', '3'], { ...flags, name: 'plan', overrides: { plan_max: '3' } }],
    [['configure'], { name: 'configure', force: false, settings: {} }],
    [
      [
        'configure',
        '--force',
        '--output',
        'o.yaml',
        '--token-file',
        't',
        '--polling-interval',
        '5s',
        '--single-run',
      ],
      {
        name: 'configure',
        force: true,
        output: 'o.yaml',
        tokenFile: 't',
        settings: { polling_interval: '5s', single_run: 'true' },
      },
    ],
    [['debug', 'workflow-runner', 'job.json'], { ...flags, name: 'debug', job: 'job.json' }],
    [
      ['debug', 'workflow-runner', '-', '--to', '3', '--no-pull-image'],
      { ...flags, name: 'debug', job: '-', to: 3, overrides: { pull_image: 'false' } },
    ],
  ])('reads %j as %j', (argv, expected) => {
    expect(parseCommand(argv)).toEqual(expected);
  });

  it('has a flag for each key that can stand on a command line', () => {
    for (const key of KEY_NAMES.filter((each) => definitionOf(each).noFlag !== true)) {
      const isSwitch = definitionOf(key).kind === boolean;
      const argv = ['run', ...(isSwitch ? [flagOf(key)] : [flagOf(key), 'value'])];
      expect(parseCommand(argv)).toEqual({ ...run, overrides: { [key]: isSwitch ? 'true' : 'value' } });
    }
  });

  it.each([
    [['docter'], 'there is no command "docter" (did you mean doctor?).'],
    [['constructor'], 'there is no command "constructor"'],
    [['help', 'rnu'], 'there is no command "rnu" (did you mean run?)'],
    [['configure', '--config', 'a'], '--config'],
    [['debug', 'job.json'], 'debug needs workflow-runner and one file'],
    [['debug', 'workflow-runner'], 'debug needs workflow-runner and one file'],
    [['debug', 'workflow-runner', 'a', 'b'], 'debug needs workflow-runner and one file'],
    [['debug', 'workflow-runner', 'a', '--to', '0'], '--to needs a step number'],
    [['run', '--max-weight', '5s'], 'there is no flag --max-weight.'],
    [
      ['run', '--max-wiat', '5s'],
      'there is no flag --max-wiat (did you mean --max-wait?). See pulumi-runner-agent run --help.',
    ],
    [['run', '--no-pull-imag'], 'there is no flag --no-pull-imag (did you mean --no-pull-image?).'],
    [['run', '--organization=acme'], 'there is no flag --organization (did you mean --organization-name?).'],
    [['run', '-x'], 'there is no flag -x.'],
    [['ci', '--on-no-wrok', 'fail'], 'there is no flag --on-no-wrok (did you mean --on-no-work?).'],
    [['trigger', 'acme/web/prod', '--jsn'], 'there is no flag --jsn (did you mean --json?).'],
    [['verify', '--sned', 'run'], 'there is no flag --sned.'],
    [
      ['help', 'settings', 'kubernets'],
      'there is no subject or setting "kubernets" (did you mean kubernetes?)',
    ],
    [['help', 'settings', 'max-wiat'], 'there is no subject or setting "max-wiat" (did you mean max_wait?)'],
    [['run', '--max-wait'], '--max-wait'],
    [['run', '--single-run=yes'], '--single-run'],
    [['run', 'now'], 'now'],
    [['run', '--default', 'polling_interval'], '--default needs KEY=VALUE'],
    [
      ['run', '--default', 'allowed-stack=a'],
      'there is no setting allowed_stack for --default (did you mean allowed_stacks?)',
    ],
    [['run', '--label', '=value'], '--label needs KEY=VALUE'],
    [['ci', '--on-no-work', 'shrug'], '--on-no-work needs one of succeed, warn, fail, not "shrug"'],
    [['finish', '--force'], '--force'],
    [['sweep'], 'sweep needs --run-directory'],
    [['trace'], 'trace needs one RUN_DIRECTORY'],
    [['trace', '/r', '/s'], 'trace needs one RUN_DIRECTORY'],
    [['sweep', '--run-directory', '/r', '--grace', 'soon'], '--grace needs a duration'],
  ])('refuses %j and says what is wrong', (argv, reason) => {
    const refused = () => parseCommand(argv);
    expect(refused).toThrow(expect.objectContaining({ outcome: 'config-error', code: 'PRA-CONFIG-02' }));
    expect(refused).toThrow(
      /^Failed to read the command line for pulumi-runner-agent: .*See pulumi-runner-agent (?:help|\w+ --help)\.$/s,
    );
    expect(refused).toThrow(reason);
  });

  it.each([
    ['trigger', '--trigger-settings', 'hunter22'],
    ['plan', '--default', 'trigger_settings=hunter22'],
    ['configure', '--trigger-settings=hunter22'],
    ['ci', '--trigger-settings', 'hunter22'],
  ])('keeps the settings of deployments off the command line of %s', (...argv) => {
    const refused = () => parseCommand(argv);
    expect(refused).toThrow(/set PULUMI_AGENT_TRIGGER_SETTINGS, or trigger_settings in the file/);
    expect(refused).toThrow(expect.objectContaining({ message: expect.not.stringContaining('hunter22') }));
  });

  it('explains all commands together and each on its own', () => {
    for (const word of [...COMMAND_NAMES, '<command> --help', 'help settings'])
      expect(usage()).toContain(word);
    for (const name of COMMAND_NAMES) {
      expect(parseCommand([name, '--help'])).toEqual({ name: 'help', text: usage(name) });
      expect(usage(name)).toMatch(new RegExp(`^Usage: pulumi-runner-agent ${name}\\b`));
    }
  });
});
